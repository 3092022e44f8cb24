//! Two clients of one game.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::{Barrier, Mutex};
use std::thread;

use noughts::game::{Game, Refusal, Verdict};
use noughts::game::{Shape, Square};

#[test]
fn of_two_clients_with_the_same_move_one_is_stale() {
    const ROUNDS: u64 = 1_000;
    // Row by row on 31 columns, no mark has 33 in a row.
    let shape = Shape::new(33, 31, 33).unwrap();
    let game = Mutex::new(Game::new(shape));
    let together = Barrier::new(2);
    let client = || {
        let mut results = Vec::new();
        for (version, square) in (0..ROUNDS).zip(shape.iter()) {
            together.wait();
            let result = game.lock().unwrap().play_as(None, square, Some(version));
            results.push(result);
            together.wait();
        }
        results
    };
    let (one, other) = thread::scope(|scope| {
        let other = scope.spawn(client);
        (client(), other.join().unwrap())
    });
    let mut first = [0, 0];
    for (version, results) in (0..ROUNDS).zip(one.into_iter().zip(other)) {
        let stale = Err(Refusal::Stale {
            seen: version,
            version: version + 1,
        });
        match results {
            (Ok(Verdict::Ongoing), second) if second == stale => first[0] += 1,
            (second, Ok(Verdict::Ongoing)) if second == stale => first[1] += 1,
            other => assert_eq!(other, (Ok(Verdict::Ongoing), stale), "at version {version}"),
        }
    }
    assert_eq!(first[0] + first[1], ROUNDS);
    let game = game.into_inner().unwrap();
    let expected: Vec<Square> = shape.iter().take(1_000).collect();
    assert_eq!((game.version(), game.moves()), (ROUNDS, &expected[..]));
}
