//! Slow code too simple to be wrong, for the tests of the search.

use crate::game::{Board, Mark, Shape, Square};

/// Marsaglia's xorshift: enough to shuffle tests.
pub fn below(state: &mut u64, most: usize) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize % most
}

/// One of these sizes, with long lines winning or, one time in three, not.
pub fn random_shape(sizes: &[(u64, u64, u64)], state: &mut u64) -> Shape {
    let (rows, cols, k) = sizes[below(state, sizes.len())];
    let shape = Shape::new(rows, cols, k).expect("a shape");
    shape.with_exact(below(state, 3) == 0)
}

/// A board without a line and with this many empty squares, unless chance puts a line on it.
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

/// The textbook search, for who moves to `square`: 0 for a draw, else 1000 less the moves until the end.
pub fn slow_move(board: &mut Board, square: Square, mark: Mark, ply: i32) -> i32 {
    if board.would_complete(square, mark) {
        return 1000 - ply;
    }
    board.place(square, mark).expect("an empty square");
    let value = -slow(board, mark.other(), ply + 1);
    board.unplace(square);
    value
}

/// The same for who is to move.
pub fn slow(board: &mut Board, turn: Mark, ply: i32) -> i32 {
    let free: Vec<_> = board.free().collect();
    free.into_iter()
        .map(|square| slow_move(board, square, turn, ply))
        .max()
        .unwrap_or(0)
}
