//! The transposition table: what earlier visits of a position found.

use super::field::Cell;

/// The relation of the true value to a stored one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The true value is at least as high (a cut-off by beta).
    Lower,
    /// The true value is at most as high (no move raised alpha).
    Upper,
    /// The true value is the stored one.
    Exact,
}

/// The result of a search, as the table keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The value for the side to move, from -32768 to 32767.
    pub value: i32,
    pub bound: Bound,
    /// The depth in moves that was searched, from -128 to 127.
    pub depth: i32,
    /// The best move, below 2^20, where one was found.
    pub best: Option<Cell>,
}

/// A hash table of fixed size in buckets of four. A new position replaces one from an earlier
/// search, or else the one that was searched least deeply.
pub struct Table {
    entries: Vec<[u64; 2]>,
    /// The number of entries once the memory is claimed: a power of two.
    size: usize,
    age: u64,
}

/// The entries of the largest table, which has 64 MiB.
const MOST_ENTRIES: usize = 1 << 22;
const ENTRY_BYTES: usize = 16;
const BUCKET: usize = 4;
/// The age is eight bits, and 0 is that of an entry never written.
const AGES: u64 = 256;
const NO_MOVE: u64 = (1 << 21) - 1;

impl Table {
    /// An empty table of at most `bytes` and at most 64 MiB, but of one bucket at least. It is
    /// without memory until [`forget`](Self::forget) claims it.
    pub const fn within(bytes: usize) -> Self {
        let mut size = BUCKET;
        while size < MOST_ENTRIES && 2 * size * ENTRY_BYTES <= bytes {
            size *= 2;
        }
        Self { entries: Vec::new(), size, age: 0 }
    }

    /// Forgets everything, mostly at no cost: entries of another age count as none.
    pub fn forget(&mut self) {
        self.age = (self.age + 1) % AGES;
        if self.entries.is_empty() || self.age == 0 {
            self.entries = vec![[0; 2]; self.size];
            self.age = 1;
        }
    }

    /// Looks up the position with this key.
    pub fn get(&self, key: u64) -> Option<Known> {
        let is_it = |entry: &&[u64; 2]| entry[0] == key && entry[1] >> 56 == self.age;
        self.entries[self.bucket(key)].iter().find(is_it).map(|entry| unpack(entry[1]))
    }

    /// Stores the result for the position with this key.
    pub fn put(&mut self, key: u64, known: Known) {
        let age = self.age;
        let bucket = self.bucket(key);
        let bucket = &mut self.entries[bucket];
        let rank = |entry: &[u64; 2]| match entry {
            [old, data] if *old == key && data >> 56 == age => -1000,
            [_, data] if data >> 56 != age => -500,
            [_, data] => unpack(*data).depth,
        };
        if let Some(slot) = bucket.iter_mut().min_by_key(|entry| rank(entry)) {
            *slot = [key, pack(known) | age << 56];
        }
    }

    const fn bucket(&self, key: u64) -> std::ops::Range<usize> {
        let first = key as usize % (self.size / BUCKET) * BUCKET;
        first..first + BUCKET
    }
}

// An entry's second word has from the lowest bit: value 16, depth 8, bound 2, move 21, age 8 at the
// top.
fn pack(known: Known) -> u64 {
    let value = u64::from(known.value as i16 as u16);
    let depth = u64::from(known.depth as i8 as u8);
    let best = known.best.map_or(NO_MOVE, u64::from);
    value | depth << 16 | (known.bound as u64) << 24 | best << 26
}

fn unpack(data: u64) -> Known {
    let best = data >> 26 & NO_MOVE;
    Known {
        value: i32::from(data as u16 as i16),
        bound: match data >> 24 & 3 {
            0 => Bound::Lower,
            1 => Bound::Upper,
            _ => Bound::Exact,
        },
        depth: i32::from((data >> 16) as u8 as i8),
        best: (best != NO_MOVE).then_some(best as Cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_no_more_memory_than_it_may() {
        for bytes in [0, 63, 64, 100, 1 << 20, (1 << 21) - 1, 70 << 20, usize::MAX] {
            let size = Table::within(bytes).size;
            assert!(size.is_power_of_two() && size <= MOST_ENTRIES, "{bytes}");
            assert!(size * ENTRY_BYTES <= bytes || size == BUCKET, "{bytes}");
            assert!(size == MOST_ENTRIES || 2 * size * ENTRY_BYTES > bytes, "{bytes}");
            let known = Known { value: -7, bound: Bound::Upper, depth: 3, best: Some(112) };
            let mut table = Table::within(bytes.min(1 << 20));
            table.forget();
            table.put(u64::MAX, known);
            assert_eq!(table.get(u64::MAX), Some(known));
            assert_eq!(table.get(u64::MAX - 1), None);
        }
    }
}
