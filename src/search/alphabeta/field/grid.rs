//! The lines through a square, as steps in the array of squares.

use crate::game::Shape;

/// The steps along row, column, diagonal and anti-diagonal, down and to the right.
const DIRECTIONS: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The sides of a board whose squares are one array, row by row.
#[derive(Clone, Copy)]
pub struct Grid {
    pub rows: usize,
    pub cols: usize,
}

impl Grid {
    pub fn new(shape: Shape) -> Self {
        Self { rows: shape.rows().into(), cols: shape.cols().into() }
    }

    /// The distance in the array from one square to the next along a direction.
    pub const fn step(self, direction: usize) -> usize {
        let (down, right) = DIRECTIONS[direction];
        (down * self.cols).wrapping_add_signed(right)
    }

    /// The numbers of squares before and after `at`, for each of the four directions.
    pub fn steps(self, at: usize) -> [(usize, usize); 4] {
        let (above, left) = (at / self.cols, at % self.cols);
        let (below, right) = (self.rows - 1 - above, self.cols - 1 - left);
        [
            (left, right),
            (above, below),
            (above.min(left), below.min(right)),
            (above.min(right), below.min(left)),
        ]
    }
}
