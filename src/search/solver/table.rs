//! A transposition table: what was found out about positions, by their full keys.

use super::word::Word;

/// Something that is worth keeping, and the longer the more work it was.
pub trait Finding: Copy + Default {
    /// How much work it stands for.
    fn effort(&self) -> u32;
}

/// Findings by position. A slot holds the whole position, so that two positions can never be taken for each other.
///
/// It starts small and doubles as it fills up, to at most `limit` slots, so that a small board pays for little.
/// Then a new finding replaces the one of least effort among the [`NEIGHBOURS`] slots that it may lie in.
pub struct Table<W, F> {
    slots: Vec<([W; 2], F)>,
    used: usize,
    limit: usize,
}

/// How many slots a position may lie in: one or two cache lines' worth.
const NEIGHBOURS: usize = 4;
/// The slots to begin with.
const INITIAL: usize = 1 << 8;

impl<W: Word, F: Finding> Table<W, F> {
    /// An empty table that takes up to about `bytes`.
    pub fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<([W; 2], F)>()).max(INITIAL);
        // Rounded down to a power of two.
        let limit = 1 << slots.ilog2();
        Self {
            slots: Vec::new(),
            used: 0,
            limit,
        }
    }

    /// What is known about `key`: nothing where it is the mark of an empty slot, in which no square is
    /// of use to anybody.
    pub fn get(&self, key: [W; 2]) -> Option<F> {
        if key == Self::vacant() {
            return None;
        }
        let start = self.start(key);
        let near = self.slots.get(start..start + NEIGHBOURS)?;
        near.iter()
            .find(|(known, _)| *known == key)
            .map(|&(_, finding)| finding)
    }

    /// Keeps `finding` about `key` in place of an older one.
    pub fn put(&mut self, key: [W; 2], finding: F) {
        if key == Self::vacant() {
            return;
        }
        if self.slots.len() < self.limit && self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let start = self.start(key);
        let Some(near) = self.slots.get_mut(start..start + NEIGHBOURS) else {
            return;
        };
        let vacant = Self::vacant();
        let place = near
            .iter()
            .position(|&(known, _)| known == key || known == vacant);
        let least = || {
            near.iter()
                .enumerate()
                .min_by_key(|(_, (_, finding))| finding.effort())
                .map(|(index, _)| index)
        };
        let Some(slot) = place.or_else(least).and_then(|index| near.get_mut(index)) else {
            return;
        };
        self.used += usize::from(slot.0 == vacant);
        *slot = (key, finding);
    }

    /// Doubles the slots.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(INITIAL);
        let old = std::mem::replace(&mut self.slots, vec![(Self::vacant(), F::default()); size]);
        self.used = 0;
        for (key, finding) in old {
            if key != Self::vacant() {
                self.put(key, finding);
            }
        }
    }

    /// The mark of an empty slot.
    fn vacant() -> [W; 2] {
        [!W::ZERO, !W::ZERO]
    }

    /// The first of the slots for `key`.
    fn start(&self, key: [W; 2]) -> usize {
        // The finalizer of splitmix64 (Steele, Lea and Flood 2014) over both words.
        let [a, b] = key.map(Word::fold);
        let mut hash = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.rotate_left(32);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
        let buckets = (self.slots.len() / NEIGHBOURS).max(1);
        // `buckets` is a power of two.
        usize::try_from(hash & (buckets as u64 - 1)).unwrap_or_default() * NEIGHBOURS
    }
}
