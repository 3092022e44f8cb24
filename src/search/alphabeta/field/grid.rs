//! The lines through a square, as steps in the array of squares.

use crate::game::{Run, Shape};

/// The squares of a board as one array, row by row.
#[derive(Clone, Copy)]
pub struct Grid {
    pub shape: Shape,
    /// The farthest distance at which a mark matters along a line.
    pub reach: usize,
}

/// A part of a line through a square: the `before` squares before it, itself, and the `after`
/// squares after it.
#[derive(Clone, Copy)]
pub struct Line {
    pub first: usize,
    /// The distance in the array from one square to the next.
    pub step: usize,
    pub before: usize,
    pub after: usize,
}

impl Line {
    /// Lists the squares of the line.
    pub fn cells(self) -> impl ExactSizeIterator<Item = usize> {
        (0..self.before + 1 + self.after).map(move |away| self.first + away * self.step)
    }
}

impl Grid {
    /// The lines through the square `at`, up to `most` squares to either side, in the order of
    /// [`Run::DIRECTIONS`].
    #[inline]
    pub fn lines(self, at: usize, most: usize) -> [Line; 4] {
        let (rows, cols) = (usize::from(self.shape.rows()), usize::from(self.shape.cols()));
        let (above, left) = (at / cols, at % cols);
        let (below, right) = (rows - 1 - above, cols - 1 - left);
        let lengths = [
            (left, right),
            (above, below),
            (above.min(left), below.min(right)),
            (above.min(right), below.min(left)),
        ];
        std::array::from_fn(|direction| {
            let (down, right) = Run::DIRECTIONS[direction];
            let step = (down as usize * cols).wrapping_add_signed(right.into());
            let (before, after) = lengths[direction];
            let (before, after) = (before.min(most), after.min(most));
            Line { first: at - before * step, step, before, after }
        })
    }

    /// Calls `visit` for each square in reach of `at`, with the direction, the square, and the
    /// lowest bit of `at` in its neighbourhood.
    #[inline]
    pub fn each_neighbour(self, at: usize, mut visit: impl FnMut(usize, usize, usize)) {
        let reach = self.reach;
        for (direction, line) in self.lines(at, reach).into_iter().enumerate() {
            // A square to the left sees this one on its right, in lower bits the nearer it is.
            for away in 1..=line.before {
                visit(direction, at - away * line.step, 2 * (reach + away - 1));
            }
            for away in 1..=line.after {
                visit(direction, at + away * line.step, 2 * (reach - away));
            }
        }
    }
}
