//! A game played by a loop: a line in, the board out. `Square` and `Game` find every mistake.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::io::{self, BufRead, Write};

use noughts::{Game, Mark, Outcome, Shape, Square};

/// Reads moves until the game is over or the input ends.
fn play(game: &mut Game, input: impl BufRead, mut out: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        match line.parse::<Square>() {
            Err(error) => writeln!(out, "\"{line}\" is no move: {error}")?,
            Ok(square) => match game.play(square) {
                Err(refusal) => writeln!(out, "refused: {refusal}")?,
                Ok(_) => writeln!(out, "{}", game.board())?,
            },
        }
        match (game.turn(), game.outcome()) {
            (Some(mark), _) => writeln!(out, "{mark} to move")?,
            (None, Some(outcome)) => return writeln!(out, "{outcome}"),
            (None, None) => {}
        }
    }
    Ok(())
}

/// Plays a game with three mistakes. `io::stdin().lock()` in place of `typed` plays with a person.
pub fn main() -> Result<(), Box<dyn Error>> {
    let typed = "1 1\n1 1\n0 0\n3 0\nmiddle\n0 2\n2 0\n2 1\n1 0\n";
    let mut game = Game::new(Shape::TIC_TAC_TOE);
    let mut out = Vec::new();
    play(&mut game, typed.as_bytes(), &mut out)?;
    let shown = String::from_utf8(out)?;
    print!("{shown}");
    for mistake in [
        "refused: 1 1 is taken by X",
        "refused: 3 0 is off the board: rows and columns run from 0 to 2",
        "\"middle\" is no move: expected a row and a column, such as \"0 2\"",
    ] {
        assert!(shown.contains(mistake), "{mistake}");
    }
    assert_eq!(game.outcome(), Some(Outcome::Won(Mark::O)));
    Ok(())
}
