//! What one more mark would make along one line: the classes of threats, and the scan that finds them.
//!
//! The names are those of gomoku, where k is 5, and are used for every k: a *five* completes a line, a *four* is one
//! mark short of it and so forces the answer, a *three* is two short, and so on. *Open* ones can be completed at
//! both ends. The classes follow Allis, van den Herik and Huntjens, "Go-Moku and threat-space search" (1993).

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "squares, plies and packed fields are far below 2^31"
)]

/// A cell of a line as the scan reads it: nothing there yet.
pub const EMPTY: u8 = 0;
/// Beyond the edge: blocks both sides.
pub const WALL: u8 = 3;
/// The cell of the first or the second side, 0 or 1.
pub const fn code(side: usize) -> u8 {
    if side == 0 { 1 } else { 2 }
}

/// What a mark on an empty square would make along one line, from the weakest to the strongest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Class {
    /// No line can be completed here any more.
    Dead,
    /// Some line of k is still open, and needs four marks or more besides this one.
    Alive,
    /// Three short of a line.
    ClosedTwo,
    /// Two more marks would make an open four.
    OpenTwo,
    /// Two short of a line: one more makes a four.
    ClosedThree,
    /// One more mark makes an open four.
    OpenThree,
    /// One short of a line, with one square that completes it.
    ClosedFour,
    /// One short of a line, with two squares that complete it: it cannot be blocked.
    OpenFour,
    /// Completes a line.
    Five,
}

/// How many classes there are.
pub const CLASSES: usize = 9;

/// What a mark of one side would make on one square along one line: its class, and a finer measure of how much
/// is already there, packed into 13 bits; both sides share a `u32` (see [`Pair`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry(u32);

impl Entry {
    /// The class in the lowest four bits, as an index.
    pub const fn class(self) -> usize {
        (self.0 & 15) as usize
    }

    /// How many marks there are in the open windows through the square, counted once a window: 0 to
    /// [`MOST_SUPPORT`].
    pub const fn support(self) -> u32 {
        self.0 >> 4
    }
}

/// Support is cut off here so that four directions of it fit into eight bits.
pub const MOST_SUPPORT: u32 = 63;
const ENTRY_BITS: u32 = 13;
const ENTRY_MASK: u32 = (1 << ENTRY_BITS) - 1;

/// The entries of both sides for one square and one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pair(u32);

impl Pair {
    /// Of a square with no mark in reach, and room for a line of five or more.
    pub const ALIVE: Self = Self(Class::Alive as u32 | (Class::Alive as u32) << ENTRY_BITS);

    /// The entry of one side, 0 or 1.
    pub const fn side(self, side: usize) -> Entry {
        Entry(if side == 0 {
            self.0 & ENTRY_MASK
        } else {
            self.0 >> ENTRY_BITS & ENTRY_MASK
        })
    }

    const fn set(&mut self, side: usize, class: Class, support: u32) {
        self.0 |= (class as u32 | support << 4) << (side as u32 * ENTRY_BITS);
    }
}

/// Finds what a mark would make on every empty cell of a line. Keeps its scratch memory between lines.
pub struct Scan {
    k: usize,
    exact: bool,
    gaps: Vec<usize>,
    found: Vec<Found>,
}

/// What is known of a cell while a line is scanned for one side.
#[derive(Clone, Copy)]
struct Found {
    class: Class,
    /// The square that would complete the line after a four here.
    cost: Option<usize>,
    /// Windows that begin here less those that ended before, and the marks in them: sums to what covers the cell.
    windows: i32,
    marks: i64,
}

impl Found {
    const NOTHING: Self = Self {
        class: Class::Dead,
        cost: None,
        windows: 0,
        marks: 0,
    };

    fn raise(&mut self, class: Class) {
        self.class = self.class.max(class);
    }
}

impl Scan {
    /// For lines of `k` marks, or of exactly `k`.
    pub const fn new(k: usize, exact: bool) -> Self {
        Self {
            k,
            exact,
            gaps: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Writes the pair of every cell of `line` into `pairs`, which must be as long; a cell that is not empty gets
    /// the pair of a dead one. One pass a side: linear in the line, whatever k is.
    pub fn line(&mut self, line: &[u8], pairs: &mut [Pair]) {
        pairs.fill(Pair::default());
        self.gaps.clear();
        self.gaps
            .extend((0..line.len()).filter(|&at| line[at] == EMPTY));
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

    /// Marks counted once a window. Longer lines have more windows, so beyond 16 the count is scaled to that length.
    fn support(&self, marks: i64) -> u32 {
        let scaled = if self.k > 16 {
            marks * 16 / self.k as i64
        } else {
            marks
        };
        u32::try_from(scaled).map_or(MOST_SUPPORT, |scaled| scaled.min(MOST_SUPPORT))
    }

    /// Slides a window of k cells along the line, and a wider one of k + 1 whose ends are empty, for open threats.
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

    /// An open window of k cells: `missing` empty ones, from the `first` of the gaps on.
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

    /// The inside, of k - 1 cells, of two open windows with empty ends. (With one missing cell it has two costs, one
    /// from each window.)
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

/// The scans of short lines by the neighbours of the cell in the middle, two bits a neighbour: filled as they are
/// first met, since most are never.
pub struct Memo {
    reach: usize,
    scan: Scan,
    pairs: Vec<u32>,
}

/// Marks an entry of the memo as filled.
const KNOWN: u32 = 1 << 31;
/// The farthest that the memo sees to either side: 4 MiB for the 2^20 neighbourhoods.
pub const MEMO_REACH: usize = 5;

impl Memo {
    /// For cells that depend on `reach` neighbours to either side; `None` where there would be too many of them.
    pub fn new(k: usize, exact: bool, reach: usize) -> Option<Self> {
        let pairs = if reach <= MEMO_REACH {
            vec![0; 1 << (4 * reach)]
        } else {
            return None;
        };
        Some(Self {
            reach,
            scan: Scan::new(k, exact),
            pairs,
        })
    }

    /// The pair of an empty cell among these neighbours, the farthest on the left in the lowest bits.
    pub fn pair(&mut self, neighbours: u32) -> Pair {
        let known = self.pairs[neighbours as usize];
        if known != 0 {
            Pair(known & !KNOWN)
        } else {
            self.fill(neighbours)
        }
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
