//! The four lines through a square taken together: a census of their classes, with its rank, its
//! evaluation and its score for move ordering.

use super::patterns::{Class, Entry};

/// The census of one square for one side. From the lowest bit it holds the number of lines alive in
/// three bits, the support of all four in eight, and the number of lines of each class from
/// [`Class::ClosedTwo`] up, in three bits each. So a better square is mostly a larger number.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Census(u32);

const SUPPORT: u32 = 1 << 3;
const COUNTS: u32 = 11;

/// The lowest bit of the count of a class, from [`Class::ClosedTwo`] up.
const fn bit(class: usize) -> u32 {
    COUNTS + 3 * (class as u32 - Class::ClosedTwo as u32)
}

/// The census of one line of each class, without its support.
const ONE: [u32; Class::Five as usize + 1] = {
    let mut one = [1; Class::Five as usize + 1];
    one[Class::Dead as usize] = 0;
    let mut class = Class::ClosedTwo as usize;
    while class < one.len() {
        one[class] += 1 << bit(class);
        class += 1;
    }
    one
};

impl Census {
    /// The census of four lines.
    pub fn of(lines: [Entry; 4]) -> Self {
        Self(lines.into_iter().map(bits).sum())
    }

    /// Replaces one line.
    pub const fn with(self, old: Entry, new: Entry) -> Self {
        Self(self.0.wrapping_add(bits(new)).wrapping_sub(bits(old)))
    }

    /// The best that a mark here makes along all four lines.
    pub const fn rank(self) -> Rank {
        if self.0 >> bit(Class::Five as usize) > 0 {
            return Rank::Five;
        }
        let open_threes = self.0 >> bit(Class::OpenThree as usize) & 7;
        match self.0 >> bit(Class::ClosedFour as usize) {
            0 if open_threes > 1 => Rank::DoubleThree,
            0 if open_threes > 0 => Rank::OpenThree,
            0 if self.0 >> bit(Class::OpenTwo as usize) > 0 => Rank::OpenTwo,
            0 if self.0 >= SUPPORT => Rank::Weak,
            0 if self.0 > 0 => Rank::Alive,
            0 => Rank::Dead,
            1 if open_threes > 0 => Rank::FourThree,
            1 => Rank::Four,
            _ => Rank::OpenFour,
        }
    }

    /// The evaluation term of an empty square, in the unit of [`EVAL_LINES`].
    pub fn evaluation(self) -> i32 {
        EVAL_LINES[self.best_two()] + self.support_term()
    }

    /// True where rank and evaluation differ by no more than the support. The test may miss some
    /// such pairs, for speed.
    pub const fn differs_in_support_only(self, other: Self) -> bool {
        (self.0 ^ other.0) >> COUNTS == 0
            && (self.0 >= SUPPORT) == (other.0 >= SUPPORT)
            && self.0 > 0
            && other.0 > 0
    }

    /// The part of the evaluation that comes from the support.
    pub const fn support_term(self) -> i32 {
        self.support() * EVAL_SUPPORT
    }

    /// The score of a move for ordering, where this is the mover's census and `theirs` the other
    /// side's: 100 more is a factor of e in how likely the move is played.
    pub fn appeal(self, theirs: Self) -> i32 {
        let mine = MAKES[self.best_two()] + self.support() * MAKES_OF_SUPPORT;
        mine + TAKES[theirs.best_two()] + theirs.support() * TAKES_OF_SUPPORT
    }

    const fn support(self) -> i32 {
        (self.0 >> 3 & 255) as i32
    }

    /// The index of the two best lines in the tables below.
    const fn best_two(self) -> usize {
        let mut counts = self.0 >> COUNTS;
        if counts == 0 {
            return 0;
        }
        let first = counts.ilog2() / 3;
        counts -= 1 << (3 * first);
        let second = if counts == 0 { 0 } else { counts.ilog2() / 3 + 1 };
        ((first + 1) * (first + 2) / 2 + second) as usize
    }
}

const fn bits(line: Entry) -> u32 {
    ONE[line.class()] + line.support() * SUPPORT
}

/// The best that a mark on an empty square makes for one side along all four lines, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
#[repr(u8)]
pub enum Rank {
    /// No line can be completed through this square.
    #[default]
    Dead,
    /// A line can be completed, but has no mark yet.
    Alive,
    /// A line can be completed, and has some marks.
    Weak,
    /// The mark makes an open two or a closed three.
    OpenTwo,
    /// The mark makes an open three.
    OpenThree,
    /// The mark makes two open threes.
    DoubleThree,
    /// The mark makes a closed four, which must be answered.
    Four,
    /// The mark makes a closed four and an open three.
    FourThree,
    /// The mark makes an open four, or two closed ones: two squares complete a line.
    OpenFour,
    /// The mark completes a line.
    Five,
}

impl Rank {
    /// All ranks, worst first.
    #[rustfmt::skip]
    pub const ALL: [Self; 10] = [
        Self::Dead, Self::Alive, Self::Weak, Self::OpenTwo, Self::OpenThree, Self::DoubleThree,
        Self::Four, Self::FourThree, Self::OpenFour, Self::Five,
    ];
}

// The three tables are triangles. The row is the better of the two best lines through a square, the
// column the other: none, closed two, open two, closed three, and so on up to five. They were
// fitted by logistic regression to games of self-play on 15 x 15, k = 5: the first to the winner,
// the other two to the square that was played.

/// The evaluation term of an empty square by its two best lines: 500 is a factor of e in the odds
/// of winning. Entries that cannot matter, since the game is decided, are 0.
#[rustfmt::skip]
const EVAL_LINES: [i32; 36] = [
    0,
    -8, -18,
    -18, -20, 4,
    6, -3, 13, 25,
    27, 20, 76, 91, 38,
    142, 170, 240, 296, 464, 854,
    361, 444, 496, 542, 662, 378, 500,
    0, 0, 0, 0, 0, 0, 0, 0,
];
/// The evaluation term of each point of support.
const EVAL_SUPPORT: i32 = 7;
/// The evaluation term of having the move.
pub const EVAL_MOVE: i32 = 402;
/// The further term where a move can make an open three.
pub const EVAL_OPEN_THREE: i32 = 194;
/// The further term where a move can make two open threes.
pub const EVAL_DOUBLE_THREE: i32 = 524;

/// The ordering score of a move for the pattern that it makes.
#[rustfmt::skip]
const MAKES: [i32; 36] = [
    -156,
    -173, -125,
    -129, -133, -78,
    -103, -72, -44, 34,
    3, -23, 34, 53, 106,
    169, 137, 212, 320, 728, 900,
    900, 900, 900, 900, 900, 900, 900,
    2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000,
];
const MAKES_OF_SUPPORT: i32 = 35;

/// The ordering score of a move for the pattern that it takes from the other side.
#[rustfmt::skip]
const TAKES: [i32; 36] = [
    -191,
    -221, -248,
    -216, -260, -263,
    -192, -226, -222, -169,
    -119, -157, -129, -107, -86,
    -7, -18, 27, 74, 206, 278,
    354, 348, 400, 343, 278, 149, 130,
    1500, 1500, 1500, 1500, 1500, 1500, 1500, 1500,
];
const TAKES_OF_SUPPORT: i32 = 19;
