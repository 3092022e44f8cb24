//! Perft against a plain count on the board, and against published counts.

use noughts::game::{Board, Mark, Shape};
use noughts::search::Budget;
use noughts::search::perft::{PerftError, perft, walk};

use crate::oracle::Dice;

fn board(rows: u64, cols: u64, k: u64, exact: bool) -> Board {
    Board::new(Shape::new(rows, cols, k).unwrap().with_exact(exact))
}

fn count(board: &Board, turn: Mark, depth: u64) -> Result<u64, PerftError> {
    perft(board, turn, depth, &mut Budget::nodes(u64::MAX))
}

/// Compares [`perft`] with [`walk`] at each depth up to `deepest` that has fewer than `most`
/// sequences, if no line ended one.
fn check(board: &Board, turn: Mark, deepest: u64, most: u64) {
    let free = board.free().count() as u64;
    let mut orders = 1;
    for depth in 0..=deepest {
        if orders >= most {
            break;
        }
        orders *= free.saturating_sub(depth);
        let is_over = depth > 0 && board.has_line();
        let mut budget = Budget::nodes(u64::MAX);
        let played = walk(&mut board.clone(), turn, depth, &mut budget).unwrap();
        let expected = Ok(if is_over { 0 } else { played });
        let exact = board.shape().is_exact();
        assert_eq!(count(board, turn, depth), expected, "{board:?} {exact} {turn} {depth}");
    }
}

#[test]
fn every_small_board_counts_as_it_is_played() {
    for (rows, cols) in (1..=4).flat_map(|rows| (1..=5).map(move |cols| (rows, cols))) {
        for (k, exact) in (1..=rows.max(cols)).flat_map(|k| [(k, false), (k, true)]) {
            let squares = rows * cols;
            let most = if squares > 16 { 1_000 } else { 100_000 };
            check(&board(rows, cols, k, exact), Mark::X, squares, most);
        }
    }
}

/// No balance of marks is kept, and now and then there is a line already.
#[test]
fn any_board_counts_as_it_is_played() {
    let sizes = [(3, 3), (1, 9), (4, 4), (5, 3), (2, 6), (5, 5), (6, 4), (6, 7)];
    let mut dice = Dice::new(3);
    for _ in 0..500 {
        let (rows, cols) = sizes[dice.below(sizes.len())];
        let k = 1 + dice.below(rows.max(cols)) as u64;
        let mut board = board(rows as u64, cols as u64, k, dice.below(2) == 0);
        let turn = Mark::after(dice.below(2));
        let empty = dice.below(8);
        for square in board.shape().iter() {
            let chance = dice.below(8);
            if chance >= empty {
                let lines = board.place(square, Mark::after(chance)).unwrap();
                if lines.is_some() && dice.below(20) > 0 {
                    board.unplace(square);
                }
            }
        }
        check(&board, turn, 11, 10_000);
    }
}

#[test]
fn published_counts_are_met() {
    let games = |side| {
        let board = board(side, side, side, false);
        let free = side * side;
        let count = |depth| count(&board, Mark::X, depth).unwrap();
        // A sequence that goes on does so in as many ways as squares are free.
        let ended = |depth| match free - depth {
            0 => count(depth),
            left => count(depth) - count(depth + 1) / left,
        };
        (1..=free).map(ended).sum::<u64>()
    };
    assert_eq!((games(3), games(4)), (255_168, 15_038_733_958_272));
    for (side, k, depth, sequences) in [
        (4, 3, 16, 106_483_507_200),
        (4, 4, 16, 10_859_692_032_000),
        (19, 5, 7, 753_587_602_331_659_200),
        // 2^64 is just above this, and far below with one square more a side.
        (256, 5, 4, 65_536 * 65_535 * 65_534 * 65_533),
    ] {
        let found = count(&board(side, side, k, false), Mark::X, depth);
        assert_eq!(found, Ok(sequences), "{side} {k} {depth}");
    }
}

#[test]
fn what_cannot_be_counted_is_refused() {
    for (side, k, depth) in [(257, 5, 4), (300, 2, 100), (19, 5, 8), (300, 300, 1 << 14)] {
        let found = count(&board(side, side, k, false), Mark::X, depth);
        assert_eq!(found, Err(PerftError::Overflow), "{side} {k} {depth}");
    }
    let found = count(&board(5, 5, 3, false), Mark::X, 7);
    assert_eq!(found, Err(PerftError::TooWide));
    assert_eq!(count(&board(3, 3, 3, false), Mark::X, u64::MAX), Ok(0));
    for exact in [false, true] {
        let found = perft(&board(4, 4, 3, exact), Mark::X, 9, &mut Budget::nodes(100));
        assert_eq!(found, Err(PerftError::Stopped));
    }
}
