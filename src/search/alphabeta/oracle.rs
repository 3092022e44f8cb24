//! Oracles for the tests of the search: slow code that is too simple to be wrong.

use crate::game::{Board, Mark, Shape, Square};

/// Sizes of boards for the tests: rows, columns and k.
#[rustfmt::skip]
pub const SIZES: [(u64, u64, u64); 14] = [
    (3, 3, 3), (4, 4, 3), (4, 4, 4), (5, 5, 4), (5, 5, 3), (6, 6, 4), (4, 6, 3), (2, 9, 4),
    (1, 12, 3), (6, 6, 5), (1, 9, 1), (1, 12, 2), (3, 4, 2), (1, 14, 7),
];

/// A random number below `most`, by Marsaglia's xorshift.
pub fn below(state: &mut u64, most: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize % most
}

/// A random shape of these sizes; one time in three with the rule of exactly k.
pub fn random_shape(sizes: &[(u64, u64, u64)], state: &mut u64) -> Shape {
    let (rows, cols, k) = sizes[below(state, sizes.len())];
    let shape = Shape::new(rows, cols, k).expect("a shape");
    shape.with_exact(below(state, 3) == 0)
}

/// A random board with `empty` empty squares, or `None` where chance puts a line on it.
pub fn random_board(shape: Shape, empty: usize, state: &mut u64) -> Option<Board> {
    let mut board = Board::new(shape);
    let mut squares: Vec<_> = shape.iter().collect();
    while squares.len() > empty {
        let square = squares.swap_remove(below(state, squares.len()));
        let mark = Mark::after(squares.len());
        if board.would_complete(square, mark) {
            return None;
        }
        board.place(square, mark).expect("an empty square");
    }
    Some(board)
}

/// The value of a move by the textbook search: 0 for a draw, a win 1000 less the moves until the
/// end.
pub fn slow_move(board: &mut Board, square: Square, mark: Mark, ply: i32) -> i32 {
    if board.would_complete(square, mark) {
        return 1000 - ply;
    }
    board.place(square, mark).expect("an empty square");
    let value = -slow(board, mark.other(), ply + 1);
    board.unplace(square);
    value
}

/// The value for the side to move, on the scale of [`slow_move`].
pub fn slow(board: &mut Board, turn: Mark, ply: i32) -> i32 {
    let free: Vec<_> = board.free().collect();
    free.into_iter().map(|square| slow_move(board, square, turn, ply)).max().unwrap_or(0)
}
