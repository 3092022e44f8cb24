//! Where the lines through a square lead.

use crate::game::Shape;

/// Steps along row, column, diagonal and anti-diagonal: down by the first, right by the second.
const DIRECTIONS: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The squares of a board as one array, row by row.
#[derive(Clone, Copy)]
pub struct Grid {
    pub rows: usize,
    pub cols: usize,
}

impl Grid {
    pub fn new(shape: Shape) -> Self {
        Self {
            rows: shape.rows().into(),
            cols: shape.cols().into(),
        }
    }

    /// From one square to the next.
    pub const fn step(self, direction: usize) -> usize {
        let (down, right) = DIRECTIONS[direction];
        (down * self.cols).wrapping_add_signed(right)
    }

    /// How many squares there are before and after this one, all four directions in turn.
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
