//! A set of squares in one machine word.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// An unsigned integer whose bits are the squares of a board, bit 0 being the first square in row order.
///
/// Everything above is generic over it, so that a board of 65 to 128 squares costs the smaller ones nothing.
pub trait Word:
    Copy
    + Default
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many squares it holds.
    const BITS: u32;
    /// No square.
    const ZERO: Self;

    /// The set with one square, `index` below [`Self::BITS`].
    fn bit(index: u32) -> Self;
    /// How many squares are in the set.
    fn count(self) -> u32;
    /// The index of the first square; [`Self::BITS`] for the empty set.
    fn first(self) -> u32;
    /// The set without its first square.
    fn rest(self) -> Self;
    /// Its `place`-th byte.
    fn byte(self, place: u32) -> usize;
    /// Folded to 64 bits, for hashing.
    fn fold(self) -> u64;

    /// Whether no square is in the set.
    fn is_empty(self) -> bool {
        self == Self::ZERO
    }
    /// Whether the sets share a square.
    fn meets(self, other: Self) -> bool {
        self & other != Self::ZERO
    }
    /// Whether more than one square is in the set.
    fn is_several(self) -> bool {
        !self.rest().is_empty()
    }
    /// The indices of the squares, lowest first.
    fn squares(self) -> Squares<Self> {
        Squares(self)
    }
}

/// See [`Word::squares`].
#[derive(Clone)]
pub struct Squares<W>(W);

impl<W: Word> Iterator for Squares<W> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0.is_empty() {
            return None;
        }
        let index = self.0.first();
        self.0 = self.0.rest();
        Some(index)
    }
}

macro_rules! word {
    ($uint:ty, $fold:expr) => {
        impl Word for $uint {
            const BITS: u32 = <$uint>::BITS;
            const ZERO: Self = 0;

            fn bit(index: u32) -> Self {
                1 << index
            }
            fn count(self) -> u32 {
                self.count_ones()
            }
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            fn byte(self, place: u32) -> usize {
                usize::try_from((self >> (8 * place)) & 0xff).unwrap_or_default()
            }
            fn fold(self) -> u64 {
                $fold(self)
            }
        }
    };
}

word!(u64, |word| word);
word!(u128, |word: u128| {
    // The odd factor keeps the halves from cancelling out.
    let [low, high] = [word & u128::from(u64::MAX), word >> 64]
        .map(|half| u64::try_from(half).unwrap_or_default());
    low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15)
});
