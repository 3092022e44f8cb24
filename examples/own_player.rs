//! A player of one's own, and its games against `Random`.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use noughts::{Budget, Choice, ChooseError, Game, Mark, Outcome, Player, Random, Shape, Square};

/// Wins if it can, else blocks, else moves as near to the middle as it can.
struct Central;

impl Player for Central {
    fn choose(&mut self, game: &Game, _: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        let (rows, cols) = (board.shape().rows(), board.shape().cols());
        let completes = |mark| board.free().find(|at| board.would_complete(*at, mark));
        let distance = |Square { row, col }: &Square| {
            (2 * row + 1).abs_diff(rows) + (2 * col + 1).abs_diff(cols)
        };
        let square = completes(turn)
            .or_else(|| completes(turn.other()))
            .or_else(|| board.free().min_by_key(distance));
        square.map(Choice::from).ok_or(ChooseError::GameOver)
    }
}

/// Plays a game between two players to its end.
fn play(shape: Shape, x: &mut dyn Player, o: &mut dyn Player) -> Result<Game, Box<dyn Error>> {
    let mut game = Game::new(shape);
    while let Some(turn) = game.turn() {
        let mut budget = Budget::nodes(1_000);
        let choice = match turn {
            Mark::X => x.choose(&game, &mut budget)?,
            Mark::O => o.choose(&game, &mut budget)?,
        };
        game.play(choice.square)?;
    }
    Ok(game)
}

/// Plays both sides of every board.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut wins = 0;
    for (side, k) in [(3, 3), (7, 4), (15, 5)] {
        let shape = Shape::new(side, side, k)?;
        let as_x = play(shape, &mut Central, &mut Random::new(1))?;
        let as_o = play(shape, &mut Random::new(1), &mut Central)?;
        for (game, own) in [(as_x, Mark::X), (as_o, Mark::O)] {
            let outcome = game.outcome().ok_or("the loop goes on to the end")?;
            let moves = game.moves().len();
            println!("{side} x {side}, {k} in a row, Central is {own}: {outcome}, {moves} moves");
            wins += u32::from(outcome == Outcome::Won(own));
            if side < 15 {
                println!("{}", game.board());
            }
        }
    }
    println!("Central has won {wins} of 6 games");
    assert_eq!(wins, 5);
    Ok(())
}
