//! Threat patterns along one line: their classes, and the scan that finds them.
//!
//! The names are those of gomoku, where k is 5, and serve for every k: a *five* completes a line, a
//! *four* is one mark short of it and so forces the answer, a *three* is two short, and so on.
//! *Open* patterns can be completed at both ends; all others are called *closed*. The classes
//! follow Allis, van den Herik and Huntjens, "Go-Moku and threat-space search" (1993).

use crate::game::Shape;

/// The code of an empty cell of a line.
pub const EMPTY: u8 = 0;
/// The code of a cell beyond the edge, which blocks both sides.
pub const WALL: u8 = 3;
/// The code of a mark of `side`, 0 or 1.
pub const fn code(side: usize) -> u8 {
    if side == 0 { 1 } else { 2 }
}

/// The pattern that a mark on an empty square would make along one line, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
#[repr(u8)]
pub enum Class {
    /// No line can be completed here any more.
    #[default]
    Dead,
    /// A line of k is still possible, and needs four marks or more besides this one.
    Alive,
    /// The line is three marks short.
    ClosedTwo,
    /// Two more marks would make an open four.
    OpenTwo,
    /// The line is two marks short: one more makes a four.
    ClosedThree,
    /// One more mark makes an open four.
    OpenThree,
    /// One square completes the line.
    ClosedFour,
    /// Two squares complete a line, so that it cannot be blocked.
    OpenFour,
    /// The mark completes a line.
    Five,
}

/// The pattern of one side on one square along one line, in 13 bits: its class, and the support as
/// a finer measure of the marks that are already there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(u32);

impl Entry {
    /// The [`Class`] as an index.
    pub const fn class(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The marks in the open windows through the square, counted once a window: 0 to
    /// [`MOST_SUPPORT`].
    pub const fn support(self) -> u32 {
        self.0 >> 4
    }
}

/// The limit of an entry's support, so that the sum of four directions fits into eight bits.
pub const MOST_SUPPORT: u32 = 63;
const ENTRY_BITS: u32 = 13;
const ENTRY_MASK: u32 = (1 << ENTRY_BITS) - 1;

/// The entries of both sides for one square and one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pair(u32);

impl Pair {
    /// The pair of a square with no mark in reach, and room for a line of five or more.
    pub const ALIVE: Self = Self(Class::Alive as u32 | (Class::Alive as u32) << ENTRY_BITS);

    /// The entry of one side, 0 or 1.
    pub const fn side(self, side: usize) -> Entry {
        Entry(if side == 0 { self.0 & ENTRY_MASK } else { self.0 >> ENTRY_BITS & ENTRY_MASK })
    }

    const fn set(&mut self, side: usize, class: Class, support: u32) {
        self.0 |= (class as u32 | support << 4) << (side as u32 * ENTRY_BITS);
    }
}

/// A scanner of lines for the patterns on their empty cells. It keeps its scratch memory.
#[derive(Default)]
pub struct Scan {
    k: usize,
    exact: bool,
    reach: usize,
    line: Vec<u8>,
    gaps: Vec<usize>,
    found: Vec<Found>,
    pairs: Vec<Pair>,
    /// The pairs of an empty cell by its neighbours along a line, two bits a neighbour. They are
    /// computed when they are first asked for, since most never are.
    memo: Vec<u32>,
}

/// Marks an entry of the memo as filled.
const KNOWN: u32 = 1 << 31;
/// The most neighbours to either side with which there is a memo: 2^20 neighbourhoods in 4 MiB.
const MEMO_REACH: usize = 5;

/// The classes of the empty cells in an open window of k, by the number of them.
const CLOSED: [Class; 5] =
    [Class::Dead, Class::Five, Class::ClosedFour, Class::ClosedThree, Class::ClosedTwo];
/// The classes of the empty cells that two overlapping open windows with empty ends have in common,
/// by the number of them. (With one such cell the four has two costs, one from each window.)
const OPEN: [Class; 4] = [Class::Dead, Class::Dead, Class::OpenThree, Class::OpenTwo];

/// The pattern of one side on one cell, while a line is scanned.
#[derive(Clone, Copy, Default)]
struct Found {
    class: Class,
    /// The cell that would complete the line after a four here.
    cost: Option<usize>,
    /// Open windows that begin here less those that ended before: the sum up to a cell is the
    /// number of windows over it.
    windows: i32,
    /// The marks in the same windows.
    marks: i64,
}

impl Scan {
    /// A scanner for the lines of boards of `shape`, where cells depend on `reach` neighbours to
    /// either side.
    pub fn new(shape: Shape, reach: usize) -> Self {
        let memo = vec![0; if reach <= MEMO_REACH { 1 << (4 * reach) } else { 0 }];
        let (k, exact) = (shape.k().into(), shape.is_exact());
        Self { k, exact, reach, memo, ..Self::default() }
    }

    /// True where there is a memo of neighbourhoods: for short lines.
    pub const fn has_memo(&self) -> bool {
        !self.memo.is_empty()
    }

    /// The pair of an empty cell among `neighbours`, the farthest on the left in the lowest bits.
    /// There must be a memo.
    pub fn pair(&mut self, neighbours: u32) -> Pair {
        let known = self.memo[neighbours as usize];
        if known != 0 { Pair(known & !KNOWN) } else { self.fill(neighbours) }
    }

    #[cold]
    fn fill(&mut self, neighbours: u32) -> Pair {
        let reach = self.reach;
        let neighbour = |at| (neighbours >> (2 * at) & 3) as u8;
        let (left, right) = ((0..reach).map(neighbour), (reach..2 * reach).map(neighbour));
        let pair = self.line(left.chain([EMPTY]).chain(right))[reach];
        self.memo[neighbours as usize] = pair.0 | KNOWN;
        pair
    }

    /// The pair of every cell of a line. A cell that is not empty gets the pair of a dead one. The
    /// cost is linear in the line, whatever k is.
    pub fn line(&mut self, line: impl Iterator<Item = u8>) -> &[Pair] {
        self.line.clear();
        self.line.extend(line);
        self.gaps.clear();
        self.gaps.extend((0..self.line.len()).filter(|&at| self.line[at] == EMPTY));
        self.pairs.clear();
        self.pairs.resize(self.line.len(), Pair::default());
        for side in 0..2 {
            self.windows(code(side));
            let (mut windows, mut marks) = (0, 0);
            for at in 0..self.line.len() {
                windows += self.found[at].windows;
                marks += self.found[at].marks;
                if self.line[at] == EMPTY && windows > 0 {
                    let class = self.found[at].class.max(Class::Alive);
                    let support = self.support(marks);
                    self.pairs[at].set(side, class, support);
                }
            }
        }
        &self.pairs
    }

    /// The support from the marks of all windows. Longer lines have more windows, so that for k
    /// above 16 the count is scaled to that length.
    fn support(&self, marks: i64) -> u32 {
        let scaled = if self.k > 16 { marks * 16 / self.k as i64 } else { marks };
        u32::try_from(scaled).map_or(MOST_SUPPORT, |scaled| scaled.min(MOST_SUPPORT))
    }

    /// Slides a window of k cells along the line, and for open threats one of k + 1 with empty
    /// ends.
    fn windows(&mut self, own: u8) {
        let (k, len) = (self.k, self.line.len());
        self.found.clear();
        self.found.resize(len, Found::default());
        let theirs = |cell: u8| cell != own && cell != EMPTY;
        let (mut mine, mut others, mut gap, mut open_before) = (0, 0, 0, false);
        for end in 0..len {
            let line = &self.line;
            mine += usize::from(line[end] == own);
            others += usize::from(theirs(line[end]));
            if end >= k {
                mine -= usize::from(line[end - k] == own);
                others -= usize::from(theirs(line[end - k]));
            }
            let Some(start) = (end + 1).checked_sub(k) else {
                continue;
            };
            while self.gaps.get(gap).is_some_and(|&at| at < start) {
                gap += 1;
            }
            let before = start.checked_sub(1).map(|at| line[at]);
            let too_long = self.exact && (before == Some(own) || line.get(end + 1) == Some(&own));
            let open = others == 0 && !too_long && mine < k;
            if open {
                let missing = k - mine;
                let open_ends = open_before && before == Some(EMPTY) && line[end] == EMPTY;
                self.raise(gap, missing, &CLOSED);
                if open_ends {
                    self.raise(gap, missing - 1, &OPEN);
                }
                if missing == 2 {
                    self.four(self.gaps[gap], self.gaps[gap + 1]);
                }
                self.found[start].windows += 1;
                self.found[start].marks += mine as i64;
                if let Some(after) = self.found.get_mut(end + 1) {
                    after.windows -= 1;
                    after.marks -= mine as i64;
                }
            }
            open_before = open;
        }
    }

    /// Raises `count` empty cells, from the `first` gap on, to their class at least.
    fn raise(&mut self, first: usize, count: usize, classes: &[Class]) {
        if let Some(&class) = classes.get(count) {
            for &at in &self.gaps[first..first + count] {
                self.found[at].class = self.found[at].class.max(class);
            }
        }
    }

    /// Notes that a mark on either of two cells leaves the other to complete a line.
    fn four(&mut self, left: usize, right: usize) {
        for (gain, cost) in [(left, right), (right, left)] {
            let found = &mut self.found[gain];
            match found.cost {
                Some(other) if other != cost => found.class = found.class.max(Class::OpenFour),
                _ => found.cost = Some(cost),
            }
        }
    }
}
