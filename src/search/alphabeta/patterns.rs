//! Threat patterns along one line: their classes, and the scan that finds them.
//!
//! The names are those of gomoku, where k is 5, and serve for every k: a *five* completes a line, a
//! *four* is one mark short of it and so forces the answer, a *three* is two short, and so on.
//! *Open* patterns can be completed at both ends; all others are called *closed*. The classes
//! follow Allis, van den Herik and Huntjens, "Go-Moku and threat-space search" (1993).

/// The code of an empty cell of a line.
pub const EMPTY: u8 = 0;
/// The code of a cell beyond the edge, which blocks both sides.
pub const WALL: u8 = 3;
/// The code of a mark of `side`, 0 or 1.
pub const fn code(side: usize) -> u8 {
    if side == 0 { 1 } else { 2 }
}

/// The pattern that a mark on an empty square would make along one line, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Class {
    /// No line can be completed here any more.
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

/// The number of classes.
pub const CLASSES: usize = 9;

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
pub struct Scan {
    k: usize,
    exact: bool,
    gaps: Vec<usize>,
    found: Vec<Found>,
}

/// The pattern of one side on one cell, while a line is scanned.
#[derive(Clone, Copy)]
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

impl Found {
    const NOTHING: Self = Self { class: Class::Dead, cost: None, windows: 0, marks: 0 };

    fn raise(&mut self, class: Class) {
        self.class = self.class.max(class);
    }
}

impl Scan {
    /// A scanner for lines of `k` marks or more, or of exactly `k`.
    pub const fn new(k: usize, exact: bool) -> Self {
        Self { k, exact, gaps: Vec::new(), found: Vec::new() }
    }

    /// Writes the pair of every cell of `line` into `pairs`, which must be as long. A cell that is
    /// not empty gets the pair of a dead one. The cost is linear in the line, whatever k is.
    pub fn line(&mut self, line: &[u8], pairs: &mut [Pair]) {
        pairs.fill(Pair::default());
        self.gaps.clear();
        self.gaps.extend((0..line.len()).filter(|&at| line[at] == EMPTY));
        for side in 0..2 {
            self.windows(line, code(side));
            let (mut windows, mut marks) = (0, 0);
            for (at, found) in self.found.iter().enumerate() {
                windows += found.windows;
                marks += found.marks;
                if line[at] == EMPTY && windows > 0 {
                    pairs[at].set(side, found.class.max(Class::Alive), self.support(marks));
                }
            }
        }
    }

    /// The support from the marks of all windows. Longer lines have more windows, so that for k
    /// above 16 the count is scaled to that length.
    fn support(&self, marks: i64) -> u32 {
        let scaled = if self.k > 16 { marks * 16 / self.k as i64 } else { marks };
        u32::try_from(scaled).map_or(MOST_SUPPORT, |scaled| scaled.min(MOST_SUPPORT))
    }

    /// Slides a window of k cells along the line, and for open threats one of k + 1 with empty
    /// ends.
    fn windows(&mut self, line: &[u8], own: u8) {
        let k = self.k;
        self.found.clear();
        self.found.resize(line.len(), Found::NOTHING);
        let (mut mine, mut others, mut gap, mut open_before) = (0, 0, 0, false);
        for end in 0..line.len() {
            mine += usize::from(line[end] == own);
            others += usize::from(line[end] != own && line[end] != EMPTY);
            if end >= k {
                mine -= usize::from(line[end - k] == own);
                others -= usize::from(line[end - k] != own && line[end - k] != EMPTY);
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
                self.window(gap, missing);
                self.found[start].windows += 1;
                self.found[start].marks += mine as i64;
                if let Some(after) = self.found.get_mut(end + 1) {
                    after.windows -= 1;
                    after.marks -= mine as i64;
                }
                if open_before && before == Some(EMPTY) && line[end] == EMPTY {
                    self.open_window(gap, missing - 1);
                }
            }
            open_before = open;
        }
    }

    /// Raises the empty cells of an open window of k: `missing` of them, from the `first` gap on.
    fn window(&mut self, first: usize, missing: usize) {
        let class = match missing {
            1 => Class::Five,
            2 => Class::ClosedFour,
            3 => Class::ClosedThree,
            4 => Class::ClosedTwo,
            _ => return,
        };
        for &at in &self.gaps[first..first + missing] {
            self.found[at].raise(class);
        }
        if let &[left, right] = &self.gaps[first..first + missing] {
            for (gain, cost) in [(left, right), (right, left)] {
                let found = &mut self.found[gain];
                match found.cost {
                    Some(other) if other != cost => found.raise(Class::OpenFour),
                    _ => found.cost = Some(cost),
                }
            }
        }
    }

    /// Raises the empty cells inside two overlapping open windows with empty ends: `missing` of k -
    /// 1 cells. (With one missing cell the four has two costs, one from each window.)
    fn open_window(&mut self, first: usize, missing: usize) {
        let class = match missing {
            2 => Class::OpenThree,
            3 => Class::OpenTwo,
            _ => return,
        };
        for &at in &self.gaps[first..first + missing] {
            self.found[at].raise(class);
        }
    }
}

/// A memo of the pairs of an empty cell by its neighbours along a line, two bits a neighbour.
/// Entries are scanned when they are first asked for, since most never are.
pub struct Memo {
    reach: usize,
    scan: Scan,
    pairs: Vec<u32>,
}

/// Marks an entry of the memo as filled.
const KNOWN: u32 = 1 << 31;
/// The most neighbours to either side that a memo can have: 2^20 neighbourhoods in 4 MiB.
pub const MEMO_REACH: usize = 5;

impl Memo {
    /// A memo for cells that depend on `reach` neighbours to either side, or `None` where `reach`
    /// is above [`MEMO_REACH`].
    pub fn new(k: usize, exact: bool, reach: usize) -> Option<Self> {
        (reach <= MEMO_REACH).then(|| Self {
            reach,
            scan: Scan::new(k, exact),
            pairs: vec![0; 1 << (4 * reach)],
        })
    }

    /// The pair of an empty cell among `neighbours`, the farthest on the left in the lowest bits.
    pub fn pair(&mut self, neighbours: u32) -> Pair {
        let known = self.pairs[neighbours as usize];
        if known != 0 { Pair(known & !KNOWN) } else { self.fill(neighbours) }
    }

    #[cold]
    fn fill(&mut self, neighbours: u32) -> Pair {
        let mut line = [EMPTY; 2 * MEMO_REACH + 1];
        for (at, cell) in line.iter_mut().enumerate().take(2 * self.reach + 1) {
            *cell = match at.cmp(&self.reach) {
                std::cmp::Ordering::Less => neighbours >> (2 * at) & 3,
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => neighbours >> (2 * at - 2) & 3,
            } as u8;
        }
        let mut pairs = [Pair::default(); 2 * MEMO_REACH + 1];
        let cells = 2 * self.reach + 1;
        self.scan.line(&line[..cells], &mut pairs[..cells]);
        let pair = pairs[self.reach];
        self.pairs[neighbours as usize] = pair.0 | KNOWN;
        pair
    }
}
