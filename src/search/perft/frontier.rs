//! Counts the ways to fill squares with the marks of two sides such that neither fills a trap, and
//! keeps the tally.

use std::iter;

use super::{Moves, PerftError};

/// Free squares that `side` must not fill, since with its marks already there they make a line.
/// Squares are numbered in the order in which they are decided, and ascend.
pub struct Trap {
    pub side: usize,
    pub squares: Vec<usize>,
}

/// Counts the quiet fillings by how many marks of each side they take, as far as `stones` go and
/// `elsewhere`, the number of squares in no trap, has room for the others.
///
/// One square after the other is left free or takes a mark. A trap is *open* when some of its
/// squares are decided and all of those have its side's mark; all that the future can ask of the
/// past is which traps are open, and how many marks were used. A trap that needs more marks than
/// are left is dropped at once, which lets far more pasts fall together.
pub fn quiet_fillings(
    traps: &[Trap],
    squares: &[usize],
    stones: [usize; 2],
    elsewhere: usize,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Moves>, PerftError> {
    let mut frontier = Frontier::new(traps, squares, stones);
    let mut now = Tally::new(1 + frontier.words);
    let mut key = vec![0; 1 + frontier.words];
    now.add(&key, 1)?;
    for (at, undecided) in (0..squares.len()).zip((0..squares.len()).rev()) {
        let here = frontier.decision(at);
        let mut next = Tally::new(1 + frontier.words);
        for (past, ways) in now.iter() {
            if stop() {
                return Err(PerftError::Stopped);
            }
            for side in [None, Some(0), Some(1)] {
                let Some(left) = here.decide(past, side, stones, &mut key) else {
                    continue;
                };
                if left[0] + left[1] <= undecided + elsewhere {
                    next.add(&key, ways)?;
                }
            }
        }
        now = next;
    }
    Ok(now.iter().map(|(past, ways)| (used(past), ways)).collect())
}

/// The first word of a key holds the marks used, the others which traps are open.
fn used(key: &[u64]) -> [usize; 2] {
    let used = key.first().copied().unwrap_or_default();
    [(used & 0xffff_ffff) as usize, (used >> 32) as usize]
}

/// The traps, and which bit stands for each while it is open; bits are used again.
struct Frontier<'a> {
    traps: &'a [Trap],
    stones: [usize; 2],
    /// The traps through each square.
    through: Vec<Vec<usize>>,
    bits: Vec<usize>,
    /// How many squares of each trap are undecided.
    left: Vec<usize>,
    /// The traps of which some squares are decided and some are not.
    begun: Vec<usize>,
    /// How many words hold all the bits.
    words: usize,
}

impl<'a> Frontier<'a> {
    fn new(traps: &'a [Trap], squares: &[usize], stones: [usize; 2]) -> Self {
        let mut through = vec![Vec::new(); squares.len()];
        for (
            trap,
            Trap {
                squares: inside, ..
            },
        ) in traps.iter().enumerate()
        {
            for square in inside {
                through[squares.partition_point(|other| other < square)].push(trap);
            }
        }
        let mut left = traps
            .iter()
            .map(|trap| trap.squares.len())
            .collect::<Vec<_>>();
        let (mut bits, mut released, mut most) = (vec![0; traps.len()], Vec::new(), 0);
        for through in &through {
            for &trap in through
                .iter()
                .filter(|&&trap| left[trap] == traps[trap].squares.len())
            {
                bits[trap] = released.pop().unwrap_or(most);
                most = most.max(bits[trap] + 1);
            }
            for &trap in through {
                left[trap] -= 1;
                if left[trap] == 0 {
                    released.push(bits[trap]);
                }
            }
        }
        let left = traps.iter().map(|trap| trap.squares.len()).collect();
        Self {
            traps,
            stones,
            through,
            bits,
            left,
            begun: Vec::new(),
            words: most.div_ceil(64),
        }
    }

    /// What it means to decide the square `at`; squares come in order.
    fn decision(&mut self, at: usize) -> Decision {
        let none = || vec![0; self.words];
        let set = |mask: &mut Vec<u64>, bit: usize| mask[bit / 64] |= 1 << (bit % 64);
        let mut here = Decision {
            forbidden: [false; 2],
            opened: [none(), none()],
            passed: [none(), none()],
            closed: [none(), none()],
            hopeless: self.stones.map(|stones| {
                let longest = self
                    .begun
                    .iter()
                    .chain(&self.through[at])
                    .map(|&trap| self.left[trap])
                    .max();
                vec![none(); 1 + stones.min(longest.unwrap_or(0))]
            }),
        };
        for &trap in &self.through[at] {
            let (Trap { side, squares }, bit) = (&self.traps[trap], self.bits[trap]);
            match (self.left[trap] == squares.len(), self.left[trap] == 1) {
                (true, true) => here.forbidden[*side] = true,
                (true, false) => {
                    set(&mut here.opened[*side], bit);
                    self.begun.push(trap);
                }
                (false, last) => {
                    set(&mut here.passed[*side], bit);
                    if last {
                        set(&mut here.closed[*side], bit);
                    }
                }
            }
            self.left[trap] -= 1;
        }
        self.begun.retain(|&trap| self.left[trap] > 0);
        for &trap in &self.begun {
            for mask in here.hopeless[self.traps[trap].side]
                .iter_mut()
                .take(self.left[trap])
            {
                set(mask, self.bits[trap]);
            }
        }
        here
    }
}

/// The traps that the decision of a square touches, as masks by side.
struct Decision {
    /// Whether this square alone is a trap.
    forbidden: [bool; 2],
    opened: [Vec<u64>; 2],
    /// Traps opened before that go through this square,
    passed: [Vec<u64>; 2],
    /// and those of them that end here.
    closed: [Vec<u64>; 2],
    /// The traps that cannot be filled any more with so many marks left; from the last entry on it
    /// is always the same.
    hopeless: [Vec<Vec<u64>>; 2],
}

impl Decision {
    /// Leaves the square free or gives it to `side`: writes the key of what comes of it, and
    /// answers how many marks are left to each, or `None` if that fills a trap or takes a mark too
    /// many.
    fn decide(
        &self,
        past: &[u64],
        side: Option<usize>,
        stones: [usize; 2],
        key: &mut [u64],
    ) -> Option<[usize; 2]> {
        let mut used = used(past);
        key.copy_from_slice(past);
        let (first, open) = key.split_first_mut()?;
        if let Some(side) = side {
            if self.forbidden[side]
                || open
                    .iter()
                    .zip(&self.closed[side])
                    .any(|(open, closed)| open & closed != 0)
            {
                return None;
            }
            used[side] += 1;
            *first += 1 << (32 * side);
        }
        let left = [
            stones[0].checked_sub(used[0])?,
            stones[1].checked_sub(used[1])?,
        ];
        for mark in [0, 1] {
            let hopeless = &self.hopeless[mark];
            let hopeless = &hopeless[left[mark].min(hopeless.len() - 1)];
            let masks = iter::zip(&self.passed[mark], &self.opened[mark]).zip(hopeless);
            for (word, ((passed, opened), hopeless)) in open.iter_mut().zip(masks) {
                *word = if side == Some(mark) {
                    *word | opened
                } else {
                    *word & !passed
                } & !hopeless;
            }
        }
        Some(left)
    }
}

/// In how many ways each of some keys was reached. Keys are kept whole, so no two are taken for
/// each other, and come out in the order in which they first went in.
pub struct Tally {
    width: usize,
    keys: Vec<u64>,
    ways: Vec<u128>,
    /// Open addressing: one more than a key's place, or 0. At most half full.
    slots: Vec<u32>,
}

impl Tally {
    /// Three tallies of so many bytes, the most that are alive at a time, stay under 128 MiB.
    const MOST_BYTES: usize = 42 << 20;

    /// Keys have `width` words.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            keys: Vec::new(),
            ways: Vec::new(),
            slots: vec![0; 16],
        }
    }

    /// Adds `ways` to those of `key`; a sum beyond 128 bits stays at the most they hold.
    pub fn add(&mut self, key: &[u64], ways: u128) -> Result<(), PerftError> {
        match self.find(key) {
            Ok(at) => self.ways[at] = self.ways[at].saturating_add(ways),
            Err(slot) => {
                let entry = 8 * self.width + size_of::<u128>() + 4 * size_of::<u32>();
                if self.ways.len() >= Self::MOST_BYTES / entry {
                    return Err(PerftError::TooWide);
                }
                self.keys.extend_from_slice(key);
                self.ways.push(ways);
                self.slots[slot] =
                    u32::try_from(self.ways.len()).map_err(|_| PerftError::TooWide)?;
                if 2 * self.ways.len() > self.slots.len() {
                    self.grow();
                }
            }
        }
        Ok(())
    }

    /// The ways of `key`: none if it never went in.
    pub fn ways(&self, key: &[u64]) -> u128 {
        self.find(key).map_or(0, |at| self.ways[at])
    }

    /// How many words a key has.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The keys and their ways.
    pub fn iter(&self) -> impl Iterator<Item = (&[u64], u128)> {
        self.keys
            .chunks_exact(self.width)
            .zip(self.ways.iter().copied())
    }

    /// Divides all ways.
    pub fn divide(&mut self, by: u128) {
        self.ways.iter_mut().for_each(|ways| *ways /= by);
    }

    /// The place of a key, or else the slot where it belongs.
    fn find(&self, key: &[u64]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash(key) & mask;
        while let Some(at) = (self.slots[slot] as usize).checked_sub(1) {
            if self.keys[at * self.width..][..self.width] == *key {
                return Ok(at);
            }
            slot = (slot + 1) & mask;
        }
        Err(slot)
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        self.slots = vec![0; mask + 1];
        for (place, key) in (1..).zip(self.keys.chunks_exact(self.width)) {
            let mut slot = hash(key) & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = place;
        }
    }
}

/// Multiplies and folds, word by word; the factor is 2^64 over the golden ratio (Knuth, volume 3,
/// 6.4).
fn hash(key: &[u64]) -> usize {
    let hash = key.iter().fold(0_u64, |hash, word| {
        let product = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        product ^ (product >> 32)
    });
    usize::try_from(hash & 0xffff_ffff).unwrap_or(0)
}
