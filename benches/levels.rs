//! Matches between computer players, by which the levels are calibrated.
//!
//! `cargo bench --bench levels -- FIRST SECOND SIDE K GAMES`, where FIRST and SECOND are names such
//! as `level3`, `rules`, `random` and `best` (20,000 positions a move). An opening of some marks
//! near the centre is played twice, with changed colours; in each game levels overlook other
//! squares. Without arguments, as under `cargo test --all-targets`, nothing is played.

use std::error::Error;
use std::io::{self, Write};
use std::time::Instant;

use noughts::player::{Best, Kind, Level, Player, Random, Rules};
use noughts::search::Budget;
use noughts::{Game, Mark, Outcome, Shape, Square};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [first, second, side, k, games] = &words[..] else {
        return Ok(());
    };
    let kinds: [Kind; 2] = [first.parse()?, second.parse()?];
    let (side, games): (u64, u64) = (side.parse()?, games.parse()?);
    let shape = Shape::new(side, side, k.parse()?)?;
    let (start, mut moves) = (Instant::now(), 0);
    let [mut won, mut drawn, mut lost] = [0_u64; 3];
    for nth in 0..games {
        let mut game = opening(shape, nth / 2);
        let mut players =
            [0, 1].map(|side: u64| player(kinds[usize::from(side == 1)], 2 * nth + side));
        // The player that has X changes within a pair of games.
        let x = usize::from(nth % 2 == 1);
        while let Some(turn) = game.turn() {
            let turn_of = if turn == Mark::X { x } else { 1 - x };
            let choice = players[turn_of].choose(&game, &mut Budget::nodes(20_000))?;
            game.play(choice.square)?;
            moves += 1;
        }
        match game.outcome() {
            Some(Outcome::Won(mark)) if (mark == Mark::X) == (x == 0) => won += 1,
            Some(Outcome::Won(_)) => lost += 1,
            _ => drawn += 1,
        }
    }
    let permille = (1000 * won + 500 * drawn) / games.max(1);
    let micros = start.elapsed().as_micros() / moves.max(1);
    writeln!(
        io::stdout(),
        "{first} - {second}, {side} x {side}, k = {k}: +{won} ={drawn} -{lost}, {}.{} %, {micros} us a move",
        permille / 10,
        permille % 10
    )?;
    Ok(())
}

fn player(kind: Kind, seed: u64) -> Box<dyn Player> {
    match kind {
        Kind::Random => Box::new(Random::new(seed)),
        Kind::Level(strength) => Box::new(Level::new(strength, seed)),
        Kind::Best => Box::new(Best::default()),
        _ => Box::new(Rules),
    }
}

/// A game after some marks within two squares of the centre: none on boards that are too small.
fn opening(shape: Shape, nth: u64) -> Game {
    let marks = match shape.rows() {
        ..4 => 0,
        4..10 => 2,
        10.. => 5,
    };
    let mut chance = Pcg64Mcg::seed_from_u64(nth);
    let (spread, start) = (shape.rows().min(5), shape.rows().saturating_sub(5) / 2);
    let mut game = Game::new(shape);
    while game.moves().len() < marks {
        let [row, col] = [0; 2].map(|_: u8| {
            let word = chance.next_u32().to_le_bytes();
            start + u16::from_le_bytes([word[2], word[3]]) % spread
        });
        // A square that is taken is drawn again.
        let _ = game.play(Square { row, col });
    }
    if game.turn().is_some() { game } else { Game::new(shape) }
}
