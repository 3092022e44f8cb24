//! Draws without a search: pairings.
//!
//! A defender who has a pair of empty squares in every open window of the attacker, no square in two pairs, answers each
//! move in one of a pair by the other one, and no window is ever filled (Hales and Jewett 1963). The windows of one line
//! overlap, so that one pair can serve several of them in a row: their common squares are a *core*. A core needs two
//! squares of its own, which is a matching with two squares to each, found by augmenting paths (Kuhn 1955).

use super::word::Word;

/// The most squares of a board, and more cores than there can be pairs on it.
const MOST: usize = 128;
/// How many second choices are tried: pairings that exist are mostly found with the first.
const PATIENCE: u32 = 40;

/// The squares of a pairing that blocks all of `windows`, each given by its empty squares; the windows of one line follow
/// each other in board order. `None` where none is found.
pub fn pairing<W: Word>(windows: &[W], free: W) -> Option<W> {
    let overlap = |one: &W, next: &W| (*one & *next).is_several();
    let mut lines: Vec<(usize, &[W])> = Vec::with_capacity(32);
    for line in windows.chunk_by(overlap) {
        lines.push((pairs_for(line)?, line));
    }
    let least: usize = lines.iter().map(|(pairs, _)| pairs).sum();
    let room = free.count() as usize / 2;
    let slack = room.checked_sub(least)?;
    // Lines that need few pairs leave least choice.
    lines.sort_by_key(|(pairs, _)| *pairs);
    let lines: Vec<&[W]> = lines.into_iter().map(|(_, line)| line).collect();
    let mut pairer = Pairer {
        cores: Vec::with_capacity(64),
        patience: PATIENCE,
        slack,
    };
    let taken = Taken {
        free,
        owners: [0; MOST],
    };
    pairer.settle(&[], &lines, &taken).map(|left| free & !left)
}

/// How many pairs it takes at the least to block a line, were it alone: none where a window has no two empty squares.
fn pairs_for<W: Word>(line: &[W]) -> Option<usize> {
    let mut pairs = 0;
    let mut core = W::ZERO;
    for &window in line {
        if !window.is_several() {
            return None;
        }
        if (core & window).is_several() {
            core &= window;
        } else {
            core = window;
            pairs += 1;
        }
    }
    Some(pairs)
}

/// Which squares are in a pair, and of which core.
#[derive(Clone)]
struct Taken<W> {
    free: W,
    /// By square: an index of [`Pairer::cores`], meaningful for squares that are not free.
    owners: [u8; MOST],
}

/// A pairing as far as it has come.
struct Pairer<W> {
    cores: Vec<W>,
    patience: u32,
    /// How many pairs more than the least there is room for.
    slack: usize,
}

impl<W: Word> Pairer<W> {
    /// Finds pairs for the rest of a line and for the lines after it, and returns the squares left over.
    fn settle(&mut self, line: &[W], rest: &[&[W]], taken: &Taken<W>) -> Option<W> {
        if line.is_empty() {
            return match rest.split_first() {
                Some((line, rest)) => self.settle(line, rest, taken),
                None => Some(taken.free),
            };
        }
        let least = pairs_for(line)?;
        for (
            n,
            Start {
                pairs,
                length,
                core,
                ..
            },
        ) in self.starts(line, least)?.into_iter().enumerate()
        {
            if n > 0 {
                self.patience = self.patience.checked_sub(1)?;
            }
            let slack = self.slack;
            self.slack = slack.saturating_sub(pairs - least);
            let mut taken = taken.clone();
            if self.claim(core, &mut taken) {
                if let Some(left) = self.settle(line.get(length..)?, rest, &taken) {
                    return Some(left);
                }
                self.cores.pop();
            }
            self.slack = slack;
        }
        None
    }

    /// The ways to serve the first windows of a line by one pair, the most promising first.
    fn starts(&self, line: &[W], least: usize) -> Option<Vec<Start<W>>> {
        let mut starts = Vec::with_capacity(8);
        let mut core = !W::ZERO;
        for (last, &window) in line.iter().enumerate() {
            core &= window;
            if !core.is_several() {
                break;
            }
            let tail = line.get(last + 1..).unwrap_or_default();
            let pairs = 1 + pairs_for(tail)?;
            if pairs <= least + self.slack {
                let room = core.count().min(first_core(tail).count());
                starts.push(Start {
                    pairs,
                    room,
                    length: last + 1,
                    core,
                });
            }
        }
        starts.sort_by(|one, other| one.pairs.cmp(&other.pairs).then(other.room.cmp(&one.room)));
        Some(starts)
    }

    /// Finds two squares for one more core, moving others where need be.
    fn claim(&mut self, core: W, taken: &mut Taken<W>) -> bool {
        let index = self.cores.len();
        self.cores.push(core);
        let found = (0..2).all(|_| self.augment(index, taken, &mut W::ZERO.clone()));
        if !found {
            self.cores.pop();
        }
        found
    }

    /// Finds one more square for the core `index`, along a path of squares that have not been `visited`.
    fn augment(&self, index: usize, taken: &mut Taken<W>, visited: &mut W) -> bool {
        let (Some(&core), Ok(owner)) = (self.cores.get(index), u8::try_from(index)) else {
            return false;
        };
        let open = core & taken.free;
        if !open.is_empty() {
            let square = open.first();
            taken.free &= !W::bit(square);
            taken.owners[square as usize] = owner;
            return true;
        }
        loop {
            let others = core & !*visited;
            if others.is_empty() {
                return false;
            }
            let square = others.first();
            *visited |= W::bit(square);
            let other = usize::from(taken.owners[square as usize]);
            if other != index && self.augment(other, taken, visited) {
                taken.owners[square as usize] = owner;
                return true;
            }
        }
    }
}

/// One pair for the first windows of a line.
struct Start<W> {
    /// How many pairs the line takes then.
    pairs: usize,
    /// How many squares this core and the next have to choose from.
    room: u32,
    /// How many windows this pair serves.
    length: usize,
    core: W,
}

/// The squares that the first windows of a line have in common, as many as have two; all squares where there is no window.
fn first_core<W: Word>(line: &[W]) -> W {
    let mut core = !W::ZERO;
    for &window in line {
        if !(core & window).is_several() {
            break;
        }
        core &= window;
    }
    core
}
