//! A transposition table: entries about positions, by the whole position.

use super::word::Word;
use crate::search::mix;

/// An entry of a [`ProofTable`]. Entries of more effort are kept longer.
pub trait Effort: Copy + Default {
    /// The work that the entry stands for, in a unit of its own.
    fn effort(&self) -> u32;
}

/// A transposition table that holds whole keys: no hash collision can mix up two positions.
///
/// It doubles as it fills up, so that a small board pays for little. A new entry goes to one of
/// the [`NEIGHBOURS`] slots that its hash names; when all are taken, the one of least effort goes.
pub struct ProofTable<W, E> {
    slots: Vec<([W; 2], E)>,
    used: usize,
    limit: usize,
}

/// The number of slots that a position may lie in: one or two cache lines' worth.
const NEIGHBOURS: usize = 4;
/// The number of slots at first.
const INITIAL: usize = 1 << 8;

impl<W: Word, E: Effort> ProofTable<W, E> {
    /// An empty table that grows to `bytes` at most, or to [`INITIAL`] slots.
    pub fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<([W; 2], E)>()).max(INITIAL);
        // A power of two, as `start` needs it.
        Self { slots: Vec::new(), used: 0, limit: 1 << slots.ilog2() }
    }

    /// The entry about `key`.
    pub fn get(&self, key: [W; 2]) -> Option<E> {
        let start = self.start(key);
        let near = self.slots.get(start..start + NEIGHBOURS)?;
        let (_, entry) = near.iter().find(|(known, _)| *known == key)?;
        (key != Self::vacant()).then_some(*entry)
    }

    /// Keeps `entry` about `key` in place of an older one.
    pub fn put(&mut self, key: [W; 2], entry: E) {
        let vacant = Self::vacant();
        if key == vacant {
            return;
        }
        if self.slots.len() < self.limit && self.used * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        let start = self.start(key);
        let Some(near) = self.slots.get_mut(start..start + NEIGHBOURS) else {
            return;
        };
        let fits = |&(known, _): &([W; 2], E)| known == key || known == vacant;
        let slot = match near.iter().position(fits) {
            Some(index) => near.get_mut(index),
            None => near.iter_mut().min_by_key(|(_, entry)| entry.effort()),
        };
        if let Some(slot) = slot {
            self.used += usize::from(slot.0 == vacant);
            *slot = (key, entry);
        }
    }

    /// The slots that are used, in percent of all that there may be.
    pub const fn percent(&self) -> usize {
        self.used.saturating_mul(100) / self.limit
    }

    /// Doubles the slots, in place: two tables at once would need half as much memory again.
    fn grow(&mut self) {
        let old = self.slots.len();
        self.slots.resize((old * 2).max(INITIAL), (Self::vacant(), E::default()));
        // An entry stays in its bucket, or goes to the one that the new half has for it.
        for start in (0..old).step_by(NEIGHBOURS) {
            let Some(bucket) = self.slots.get_mut(start..start + NEIGHBOURS) else { return };
            let mut entries = [(Self::vacant(), E::default()); NEIGHBOURS];
            entries.swap_with_slice(bucket);
            self.used -= entries.iter().filter(|(key, _)| *key != Self::vacant()).count();
            for (key, entry) in entries {
                self.put(key, entry);
            }
        }
    }

    /// The key of an empty slot: a position in which every square is useless.
    fn vacant() -> [W; 2] {
        [!W::ZERO; 2]
    }

    /// The index of the first slot for `key`.
    fn start(&self, key: [W; 2]) -> usize {
        let [a, b] = key.map(Word::fold);
        let hash = mix(a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.rotate_left(32));
        let buckets = (self.slots.len() / NEIGHBOURS).max(1);
        usize::try_from(hash & (buckets as u64 - 1)).unwrap_or_default() * NEIGHBOURS
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::search::oracle::Dice;

    impl Effort for (u32, u32) {
        fn effort(&self) -> u32 {
            self.1
        }
    }

    /// Puts numbered entries about random keys, of which there are few, and looks them up now and
    /// then.
    fn check<W: Word>(seed: u64, word: impl Fn(u32) -> W) {
        let mut dice = Dice::new(seed);
        let mut table = ProofTable::<W, (u32, u32)>::new(1 << 14);
        let mut last = HashMap::new();
        for number in 0..20_000 {
            // Many keys differ in one word alone. All have efforts of their own.
            let effort = u32::try_from(dice.below(1 << 13)).unwrap_or_default();
            let name = [effort >> 7, effort & 127];
            table.put(name.map(&word), (number, effort));
            last.insert(name, (number, effort));
            assert_eq!(table.get(name.map(&word)), Some((number, effort)), "just put");
            assert!(table.slots.len() <= table.limit);
            if number % 5_000 != 100 {
                continue;
            }
            let mut efforts = [Vec::new(), Vec::new()];
            for (name, entry) in &last {
                let found = table.get(name.map(&word));
                assert!(found.is_none_or(|found| found == *entry), "{name:?}");
                efforts[usize::from(found.is_some())].push(u64::from(entry.1));
            }
            let [dropped, kept] = efforts;
            // Few entries are lost for having met too many others in one place.
            assert!(kept.len() * 10 >= 9 * last.len().min(table.limit), "{}", kept.len());
            let mean = |all: &[u64]| all.iter().sum::<u64>() / all.len().max(1) as u64;
            assert!(mean(&kept) > mean(&dropped) + 1_000, "{number}");
        }
        table.put([!W::ZERO; 2], (0, 0));
        assert_eq!(table.get([!W::ZERO; 2]), None);
    }

    #[test]
    fn a_table_keeps_the_last_entry_of_a_position_or_drops_the_one_of_least_effort() {
        check::<u64>(1, u64::from);
        check::<u128>(2, |name| u128::from(name) << 50);
    }
}
