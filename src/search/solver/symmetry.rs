//! The turns and reflections of a board.

use super::position::Position;
use super::word::Word;
use crate::game::{Shape, Square};

/// One of them.
struct Symmetry<W> {
    /// Where the squares of each byte of a word go, by the value of the byte.
    images: Vec<[W; 256]>,
    /// Which of the symmetries takes it back.
    inverse: usize,
}

/// All of them: four, or eight where the board is square. The first one leaves everything where it is.
pub struct Symmetries<W>(Vec<Symmetry<W>>);

impl<W: Word> Symmetries<W> {
    /// Those of a board that fits into `W`.
    pub fn new(shape: Shape) -> Self {
        let [rows, cols] = [shape.rows(), shape.cols()].map(u32::from);
        let codes = if rows == cols { 0..8 } else { 0..4 };
        let symmetry = |code: usize| {
            // First across the diagonal, then upside down, then left to right.
            let image = |square: Square| {
                let [mut row, mut col] = [square.row, square.col].map(u32::from);
                if code & 4 != 0 {
                    (row, col) = (col, row);
                }
                row = if code & 1 != 0 { rows - 1 - row } else { row };
                col = if code & 2 != 0 { cols - 1 - col } else { col };
                W::bit(row * cols + col)
            };
            let squares: Vec<W> = shape.iter().map(image).collect();
            let images = squares.chunks(8).map(|squares| {
                let mut images = [W::ZERO; 256];
                for (byte, set) in images.iter_mut().enumerate() {
                    let inside = squares
                        .iter()
                        .enumerate()
                        .filter(|&(place, _)| byte >> place & 1 != 0);
                    *set = inside.fold(W::ZERO, |set, (_, &image)| set | image);
                }
                images
            });
            // A quarter turn is the only one that is not its own inverse.
            let inverse = match code {
                5 => 6,
                6 => 5,
                code => code,
            };
            Symmetry {
                images: images.collect(),
                inverse,
            }
        };
        Self(codes.map(symmetry).collect())
    }

    /// The least of the images of `key`, and which symmetry leads to it.
    pub fn canonical(&self, key: [W; 2]) -> ([W; 2], usize) {
        // What lies beyond the board has no image, so the position as it is goes through one too.
        let mut least = (key.map(|set| self.image(0, set)), 0);
        for symmetry in 1..self.0.len() {
            let first = self.image(symmetry, key[0]);
            if first <= least.0[0] {
                least = least.min(([first, self.image(symmetry, key[1])], symmetry));
            }
        }
        least
    }

    /// Where `set` goes.
    pub fn image(&self, symmetry: usize, set: W) -> W {
        let images = self
            .0
            .get(symmetry)
            .map_or(&[][..], |symmetry| &symmetry.images);
        images
            .iter()
            .zip(0..)
            .fold(W::ZERO, |image, (images, place)| {
                image | images[set.byte(place)]
            })
    }

    /// Where a set comes from that went to `set`.
    pub fn preimage(&self, symmetry: usize, set: W) -> W {
        self.image(
            self.0.get(symmetry).map_or(0, |symmetry| symmetry.inverse),
            set,
        )
    }

    /// The first of the squares that `square` can be turned into while `position` stays what it is.
    pub fn representative(&self, position: Position<W>, square: W) -> W {
        let same = |set: W, symmetry: usize| self.image(symmetry, set) == set;
        (0..self.0.len())
            .filter(|&symmetry| {
                same(position.attacker, symmetry) && same(position.defender, symmetry)
            })
            .map(|symmetry| self.image(symmetry, square))
            .min()
            .unwrap_or(square)
    }
}
