//! The four lines through a square taken together: a census of their classes, its rank, and what it is worth.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "squares, plies and packed fields are far below 2^31"
)]

use super::patterns::{CLASSES, Class, Entry};

/// For one square and side, how many of the four lines are of each class from [`Class::ClosedTwo`] up, three bits a class
/// and the strongest highest, so that a better square is mostly a larger number; below them the support of all four
/// lines in eight bits, and how many of them are alive in three.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Census(u32);

const SUPPORT: u32 = 1 << 3;
const COUNTS: u32 = 11;

/// Where the count of a class begins.
const fn bit(class: Class) -> u32 {
    COUNTS + 3 * (class as u32 - Class::ClosedTwo as u32)
}

/// What one line of each class adds.
const ONE: [u32; CLASSES] = {
    let mut one = [0; CLASSES];
    let mut class = Class::Alive as usize;
    while class < CLASSES {
        let counted = class >= Class::ClosedTwo as usize;
        one[class] = 1 + if counted {
            1 << (COUNTS + 3 * (class as u32 - Class::ClosedTwo as u32))
        } else {
            0
        };
        class += 1;
    }
    one
};

impl Census {
    /// Of these four lines.
    pub fn of(lines: [Entry; 4]) -> Self {
        Self(lines.into_iter().map(bits).sum())
    }

    /// The same with one line changed.
    pub const fn with(self, old: Entry, new: Entry) -> Self {
        Self(self.0.wrapping_add(bits(new)).wrapping_sub(bits(old)))
    }

    /// What they promise together.
    pub const fn rank(self) -> Rank {
        if self.0 >> bit(Class::Five) > 0 {
            return Rank::Five;
        }
        let open_threes = self.0 >> bit(Class::OpenThree) & 7;
        match self.0 >> bit(Class::ClosedFour) {
            0 if open_threes > 1 => Rank::DoubleThree,
            0 if open_threes > 0 => Rank::OpenThree,
            0 if self.0 >> bit(Class::OpenTwo) > 0 => Rank::OpenTwo,
            0 if self.0 >= SUPPORT => Rank::Weak,
            0 if self.0 > 0 => Rank::Alive,
            0 => Rank::Dead,
            1 if open_threes > 0 => Rank::FourThree,
            1 => Rank::Four,
            _ => Rank::OpenFour,
        }
    }

    /// How much an empty square adds to the chances of a side, as [`EVAL_LINES`] has it.
    pub fn evaluation(self) -> i32 {
        EVAL_LINES[self.best_two()] + self.support_term()
    }

    /// Whether rank and worth are the same, support aside.
    pub const fn differs_in_support_only(self, other: Self) -> bool {
        (self.0 ^ other.0) >> COUNTS == 0
            && (self.0 >= SUPPORT) == (other.0 >= SUPPORT)
            && self.0 > 0
            && other.0 > 0
    }

    /// The part of its worth that is not in the classes.
    pub const fn support_term(self) -> i32 {
        self.support() * EVAL_SUPPORT
    }

    /// How likely a player is to move here, where this is the mover's census and `theirs` that of the other side.
    pub fn appeal(self, theirs: Self) -> i32 {
        let mine = MAKES[self.best_two()] + self.support() * MAKES_OF_SUPPORT;
        mine + TAKES[theirs.best_two()] + theirs.support() * TAKES_OF_SUPPORT
    }

    const fn support(self) -> i32 {
        (self.0 >> 3 & 255) as i32
    }

    /// The two best lines as a place in a triangle: the first by the row, the second by the column.
    const fn best_two(self) -> usize {
        let mut counts = self.0 >> COUNTS;
        if counts == 0 {
            return 0;
        }
        let first = counts.ilog2() / 3;
        counts -= 1 << (3 * first);
        let second = if counts == 0 {
            0
        } else {
            counts.ilog2() / 3 + 1
        };
        ((first + 1) * (first + 2) / 2 + second) as usize
    }
}

const fn bits(line: Entry) -> u32 {
    ONE[line.class()] + line.support() * SUPPORT
}

/// What all four lines through an empty square promise to one side, from worst to best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Rank {
    /// No line can be completed through this square.
    Dead,
    /// A line can, but has no mark yet.
    Alive,
    /// Some marks are in line with it.
    Weak,
    /// Makes a three or an open two.
    OpenTwo,
    /// Makes an open three.
    OpenThree,
    /// Makes two open threes.
    DoubleThree,
    /// Makes a four, which must be answered.
    Four,
    /// Makes a four and an open three.
    FourThree,
    /// Makes an open four or two fours: two squares that complete a line.
    OpenFour,
    /// Completes a line.
    Five,
}

impl Rank {
    /// All of them, from worst to best.
    pub const ALL: [Self; 10] = [
        Self::Dead,
        Self::Alive,
        Self::Weak,
        Self::OpenTwo,
        Self::OpenThree,
        Self::DoubleThree,
        Self::Four,
        Self::FourThree,
        Self::OpenFour,
        Self::Five,
    ];
}

// The three tables have a row for the better of the two best lines through a square and a column for the other, both
// from none and two, open two, three, open three, four, open four up to five. They were fitted by logistic regression to
// games on 15 x 15, k = 5, that the search played against itself: the first to who won, the other two to which square
// was played.

/// What an empty square adds to the chances of a side, 500 to a factor of e in the odds of winning. Where some entry
/// cannot matter, since the game is decided, it is 0.
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
const EVAL_SUPPORT: i32 = 7;
/// The same for having the move.
pub const EVAL_MOVE: i32 = 402;
/// The same for having the move where it makes an open three, or two of them.
pub const EVAL_OPEN_THREE: i32 = 194;
/// See [`EVAL_OPEN_THREE`].
pub const EVAL_DOUBLE_THREE: i32 = 524;

/// How much likelier a square is played for what it makes, 100 to a factor of e.
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

/// And for what it takes from the other side.
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
