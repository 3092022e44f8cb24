//! Bitboards: a set of squares in one machine word.

use std::hash::Hash;
use std::iter;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// An unsigned integer whose bits are squares. Bit 0 is the first square in row order.
///
/// The solver is generic over it, so that boards of 65 to 128 squares cost smaller ones nothing.
pub trait Word:
    Copy
    + Default
    + Eq
    + Ord
    + Hash
    + Into<u128>
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Send
    + Sync
    + 'static
{
    const BITS: u32;
    const ZERO: Self;

    /// The set of the square `index`, which is below [`Self::BITS`].
    fn bit(index: u32) -> Self;
    fn count(self) -> u32;
    /// The index of the first square; [`Self::BITS`] for the empty set.
    fn first(self) -> u32;
    /// The set without its first square.
    fn rest(self) -> Self;
    /// The byte number `place`, from the least significant one.
    fn byte(self, place: u32) -> usize;
    /// The word folded to 64 bits, for hashing.
    fn fold(self) -> u64;

    fn is_empty(self) -> bool {
        self == Self::ZERO
    }
    fn meets(self, other: Self) -> bool {
        self & other != Self::ZERO
    }
    /// True if the set has two squares or more.
    fn is_several(self) -> bool {
        !self.rest().is_empty()
    }
    /// The first two squares of the set, or as many as there are.
    fn first_two(self) -> Self {
        self & !self.rest().rest()
    }
    /// The indices of the squares, lowest first.
    fn squares(self) -> impl Iterator<Item = u32> {
        let mut rest = self;
        iter::from_fn(move || {
            let index = rest.first();
            rest = rest.rest();
            (index < Self::BITS).then_some(index)
        })
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
