//! The symmetries of a board: its turns and reflections, under which a proof stays a proof.

use super::position::Position;
use super::word::Word;
use crate::game::{Shape, Square};

/// The symmetries of a board: eight where it is square, else four. The first is the identity.
///
/// Each has the images of the squares in each byte of a word, by the value of the byte.
pub struct Symmetries<W>(Vec<Vec<[W; 256]>>);

impl<W: Word> Symmetries<W> {
    /// The symmetries of `shape`, whose squares must fit into `W`.
    pub fn new(shape: Shape) -> Self {
        let (rows, cols) = (shape.rows(), shape.cols());
        let symmetry = |code| {
            let image = |Square { mut row, mut col }| {
                // First across the diagonal, then upside down, then left to right.
                if code & 4 != 0 {
                    (row, col) = (col, row);
                }
                row = if code & 1 != 0 { rows - 1 - row } else { row };
                col = if code & 2 != 0 { cols - 1 - col } else { col };
                W::bit(u32::from(row * cols + col))
            };
            let squares: Vec<W> = shape.iter().map(image).collect();
            let images = squares.chunks(8).map(|squares| {
                std::array::from_fn(|byte| {
                    let inside = (0..8).zip(squares).filter(|(bit, _)| byte >> bit & 1 != 0);
                    inside.fold(W::ZERO, |set, (_, &image)| set | image)
                })
            });
            images.collect()
        };
        Self((0..if rows == cols { 8 } else { 4 }).map(symmetry).collect())
    }

    /// The least image of `key`, and the symmetry that leads to it.
    pub fn canonical(&self, key: [W; 2]) -> ([W; 2], usize) {
        // A key has bits beyond the board, which an image has not: so the identity is applied too.
        let mut least = (key.map(|set| self.image(0, set)), 0);
        for symmetry in 1..self.0.len() {
            let first = self.image(symmetry, key[0]);
            if first <= least.0[0] {
                least = least.min(([first, self.image(symmetry, key[1])], symmetry));
            }
        }
        least
    }

    /// The image of `set` under a symmetry, less what lies beyond the board.
    pub fn image(&self, symmetry: usize, set: W) -> W {
        let images = &self.0[symmetry];
        (0..).zip(images).fold(W::ZERO, |image, (place, images)| image | images[set.byte(place)])
    }

    /// The set whose image under a symmetry is `set`.
    pub fn preimage(&self, symmetry: usize, set: W) -> W {
        self.image(Self::inverse(symmetry), set)
    }

    /// The symmetry that takes another one back.
    pub const fn inverse(symmetry: usize) -> usize {
        // Only the quarter turns are not their own inverses.
        match symmetry {
            5 => 6,
            6 => 5,
            own => own,
        }
    }

    /// The image of the square `index` under a symmetry.
    pub fn square(&self, symmetry: usize, index: u32) -> u32 {
        self.image(symmetry, W::bit(index)).first()
    }

    /// The symmetry that does what `first` and `then` do one after the other.
    pub const fn product(first: usize, then: usize) -> usize {
        // A turn across the diagonal exchanges what is done before it.
        let turned = match (then & 4, first & 3) {
            (4, 1) => 2,
            (4, 2) => 1,
            (_, own) => own,
        };
        (first & 4 ^ then & 4) | (turned ^ then & 3)
    }

    /// The first of the squares that `square` goes to under the symmetries of `position` itself.
    pub fn representative(&self, position: Position<W>, square: W) -> W {
        let keeps = |set: W, symmetry: usize| self.image(symmetry, set) == set;
        (0..self.0.len())
            .filter(|&at| keeps(position.attacker, at) && keeps(position.defender, at))
            .map(|symmetry| self.image(symmetry, square))
            .min()
            .unwrap_or(square)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// Checks every symmetry of a board on each square and on the whole board.
    fn check<W: Word>(rows: u32, cols: u32) {
        let shape = Shape::new(rows.into(), cols.into(), 1).unwrap();
        let symmetries = Symmetries::<W>::new(shape);
        let all: Vec<u32> = (0..rows * cols).collect();
        let set = |cells: &[u32]| cells.iter().fold(W::ZERO, |set, &at| set | W::bit(at));
        let some: Vec<u32> = all.iter().copied().filter(|at| at * at % 7 < 3).collect();
        let key = [set(&some), set(&all[..all.len() / 3])];
        for symmetry in 0..symmetries.0.len() {
            let image = |set| symmetries.image(symmetry, set);
            let case = format!("{rows} x {cols}: {symmetry}");
            for &index in &all {
                let square = image(W::bit(index));
                assert!(symmetries.preimage(symmetry, square) == W::bit(index), "{case}, {index}");
                // Neighbours stay neighbours.
                if index % cols != 0 {
                    let step = square.first().abs_diff(image(W::bit(index - 1)).first());
                    assert!(square.count() == 1 && (step == 1 || step == cols), "{case}, {index}");
                }
            }
            assert!(image(set(&all)) == set(&all), "{case}");
            let back = key.map(|set| symmetries.preimage(symmetry, image(set)));
            assert!(back == key, "{case}");
            let (least, to_it) = symmetries.canonical(key);
            assert!(least == key.map(|set| symmetries.image(to_it, set)), "{case}");
            assert!(symmetries.canonical(key.map(image)).0 == least, "{case}");
            for then in 0..symmetries.0.len() {
                let both = Symmetries::<W>::product(symmetry, then);
                let image = symmetries.image(then, image(key[0]));
                assert!(symmetries.image(both, key[0]) == image, "{case}, {then}");
            }
        }
    }

    #[test]
    fn a_preimage_takes_an_image_back_on_every_board() {
        for (rows, cols) in (1..=16).flat_map(|rows| (1..=16).map(move |cols| (rows, cols))) {
            if rows * cols <= u64::BITS {
                check::<u64>(rows, cols);
            }
            if rows * cols <= u128::BITS {
                check::<u128>(rows, cols);
            }
        }
    }
}
