//! A game behind a lock: two clients send the same move at the same version, 200 times. One of them
//! is accepted, and the other learns that it has not seen the newest move.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

use noughts::{Game, Refusal, Shape, Square, Verdict};

const RACES: u64 = 200;

/// Runs the races and counts who came first.
pub fn main() -> Result<(), Box<dyn Error>> {
    // Row by row, the marks alternate in each column, and a row is too short.
    let shape = Shape::new(16, 13, 16)?;
    let game = Mutex::new(Game::new(shape));
    let start = Barrier::new(2);
    let client = || {
        let race = |(version, square)| {
            start.wait();
            let mut game = game.lock().unwrap_or_else(PoisonError::into_inner);
            game.play_as(None, square, Some(version))
        };
        (0..RACES).zip(shape.iter()).map(race).collect::<Vec<_>>()
    };
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(client);
        (client(), other.join())
    });
    let other = other.map_err(|_| "a client has panicked")?;
    let mut first = [0, 0];
    for (seen, results) in (0..RACES).zip(one.into_iter().zip(other)) {
        let version = seen + 1;
        let (accepted, stale) = (Ok(Verdict::Ongoing), Err(Refusal::Stale { seen, version }));
        let winner = usize::from(results.0 != accepted);
        let expected = [(accepted, stale), (stale, accepted)][winner];
        assert_eq!(results, expected, "race {seen}");
        first[winner] += 1;
    }
    let [one, other] = first;
    println!("of {RACES} races one client came first in {one}, the other in {other}");
    let game = game.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{}", game.board());
    let moves: Vec<Square> = shape.iter().take(200).collect();
    assert_eq!((game.version(), game.moves()), (RACES, &moves[..]));
    Ok(())
}
