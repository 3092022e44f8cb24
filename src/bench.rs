//! `noughts bench`: the same positions on every machine, so that a change of behaviour shows as a
//! change of the node total, and a change of speed as nodes a second.

use std::io::{self, Write};
use std::time::Instant;

use crate::game::{Game, Mark, Shape, Square};
use crate::player::{Best, Minimax, Player};
use crate::search::Budget;
use crate::search::perft::walk;

/// The work of one line of the bench.
#[derive(Clone, Copy)]
enum Work {
    /// Counts the sequences of this length, one by one.
    Walk(u64),
    /// The textbook search.
    Minimax,
    /// A move of `best`.
    Best,
    /// The score of every move.
    Analyze,
}

/// Rows, columns and k of a board, the moves made on it, and what to do from there: the raw count,
/// the textbook search, proofs of wins and draws on small boards, and openings, middle games and
/// threats on large ones.
const POSITIONS: &[(u64, u64, u64, &str, Work)] = &[
    (3, 3, 3, "", Work::Walk(9)),
    (4, 4, 4, "", Work::Walk(7)),
    (3, 3, 3, "", Work::Minimax),
    (3, 3, 3, "", Work::Analyze),
    (4, 4, 4, "", Work::Analyze),
    (3, 5, 3, "", Work::Best),
    (4, 6, 4, "", Work::Best),
    (5, 5, 4, "", Work::Best),
    (5, 6, 4, "", Work::Best),
    (7, 7, 4, "", Work::Best),
    (5, 8, 5, "", Work::Best),
    (6, 7, 5, "", Work::Best),
    (9, 9, 5, "4 4, 3 3, 4 5, 5 4", Work::Best),
    (15, 15, 5, "7 7", Work::Best),
    (15, 15, 5, "7 7, 6 7, 7 8, 6 8, 7 6, 7 5, 6 6, 6 9, 4 4, 8 8", Work::Best),
    (15, 15, 5, "7 7, 6 8, 8 8, 6 6, 6 7", Work::Analyze),
    (19, 19, 6, "9 9, 8 9, 9 10, 8 10", Work::Best),
    (500, 500, 5, "250 250, 249 251", Work::Best),
];

/// The most nodes that one position may take.
const NODES: u64 = 200_000;

/// Writes a line a position, with its nodes and nodes a second, and the totals last.
///
/// # Errors
///
/// The error of writing, or of a position that no game can reach.
pub fn bench(mut out: impl Write) -> io::Result<()> {
    let speed = |nodes: u64, start: Instant| {
        let micros = start.elapsed().as_micros().max(1);
        format!("{nodes:>12} nodes {:>12} nodes/s", u128::from(nodes) * 1_000_000 / micros)
    };
    let (mut total, start) = (0, Instant::now());
    for &(rows, cols, k, moves, work) in POSITIONS {
        let mut game = Game::new(Shape::new(rows, cols, k).map_err(io::Error::other)?);
        for square in moves.split_terminator(',') {
            let square: Square = square.parse().map_err(io::Error::other)?;
            game.play(square).map_err(io::Error::other)?;
        }
        let start = Instant::now();
        let (name, nodes) = run(&game, work);
        total += nodes;
        let board = format!("{rows} x {cols}, k = {k}, {} moves", game.moves().len());
        writeln!(out, "{board:<26}{name:<16}{}", speed(nodes, start))?;
    }
    writeln!(out, "{:<42}{}", "total", speed(total, start))
}

/// Does the work. Returns its name and how many positions it took.
fn run(game: &Game, work: Work) -> (String, u64) {
    let mut budget = Budget::nodes(NODES);
    let name = match work {
        Work::Walk(depth) => {
            let turn = game.turn().unwrap_or(Mark::X);
            let sequences =
                walk(&mut game.board().clone(), turn, depth, &mut Budget::nodes(u64::MAX));
            return (format!("walk to depth {depth}"), sequences.unwrap_or_default());
        }
        Work::Minimax => Minimax.choose(game, &mut budget).map(|_| "minimax"),
        Work::Best => Best::default().choose(game, &mut budget).map(|_| "best"),
        Work::Analyze => Best::default().scores(game, &mut budget).map(|_| "analyze"),
    };
    (name.unwrap_or("over").to_owned(), budget.spent())
}
