//! Pairing strategies: holds that are proved without a search.
//!
//! A defender with a pair of empty squares in every open window of the attacker, all pairs
//! disjoint, answers each move in a pair at its other square, and no window is ever filled (Hales
//! and Jewett 1963). Windows of one line overlap, so that one pair can serve several in a row.
//! Their common squares are a *core*, which needs two squares of its own. That is a bipartite
//! matching with two squares to a core, found by augmenting paths (Kuhn 1955).

use std::cmp::Reverse;

use super::word::Word;

/// The most squares of a board, and more cores than there can be pairs on it.
const MOST: usize = 128;
/// The number of second choices that are tried. It may lose pairings, and with them only time:
/// those that exist are mostly found with the first choice.
const PATIENCE: u32 = 40;

/// The squares of a pairing among `free` that blocks all of `windows`; `None` where none is found.
///
/// A window is given by its empty squares. The windows of one line follow each other in board
/// order.
pub fn pairing<W: Word>(windows: &[W], free: W) -> Option<W> {
    let (_, taken) = matching(windows, free)?;
    Some(free & !taken.free)
}

/// The pairs of [`pairing`], each a set of two squares.
pub fn pairs<W: Word>(windows: &[W], free: W) -> Option<Vec<W>> {
    let (cores, taken) = matching(windows, free)?;
    let mut pairs = vec![W::ZERO; cores];
    for square in (free & !taken.free).squares() {
        if let Some(pair) = pairs.get_mut(usize::from(taken.owners[square as usize])) {
            *pair |= W::bit(square);
        }
    }
    Some(pairs)
}

/// The number of cores, and the squares that they take.
fn matching<W: Word>(windows: &[W], free: W) -> Option<(usize, Taken<W>)> {
    let overlap = |one: &W, next: &W| (*one & *next).is_several();
    let mut lines = Vec::with_capacity(32);
    for line in windows.chunk_by(overlap) {
        lines.push((pairs_for(line)?.0, line));
    }
    let least: usize = lines.iter().map(|(pairs, _)| pairs).sum();
    let room = free.count() as usize / 2;
    let slack = room.checked_sub(least)?;
    // Lines that need few pairs leave least choice.
    lines.sort_by_key(|(pairs, _)| *pairs);
    let lines: Vec<&[W]> = lines.into_iter().map(|(_, line)| line).collect();
    let mut matching = Matching { cores: Vec::with_capacity(64), patience: PATIENCE, slack };
    let taken = Taken { free, owners: [0; MOST] };
    let taken = matching.extend(&[], &lines, &taken)?;
    Some((matching.cores.len(), taken))
}

/// The least number of pairs that block a line, were it alone, and the core of the first windows,
/// as many as have two squares in common: all squares where there is no window. `None` where a
/// window has no two empty squares.
fn pairs_for<W: Word>(line: &[W]) -> Option<(usize, W)> {
    let (mut pairs, mut first, mut core) = (0, !W::ZERO, W::ZERO);
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
        if pairs == 1 {
            first = core;
        }
    }
    Some((pairs, first))
}

/// The squares in pairs, by core.
#[derive(Clone)]
struct Taken<W> {
    free: W,
    /// The index in [`Matching::cores`] by square, meaningful for squares that are not free.
    owners: [u8; MOST],
}

/// A part of a pairing that is being extended.
struct Matching<W> {
    cores: Vec<W>,
    patience: u32,
    /// The number of pairs for which there is room above the least.
    slack: usize,
}

impl<W: Word> Matching<W> {
    /// Finds pairs for the rest of a line and for the lines after it. Gives the squares taken.
    fn extend(&mut self, line: &[W], rest: &[&[W]], taken: &Taken<W>) -> Option<Taken<W>> {
        if line.is_empty() {
            return match rest.split_first() {
                Some((line, rest)) => self.extend(line, rest, taken),
                None => Some(taken.clone()),
            };
        }
        let (least, _) = pairs_for(line)?;
        for (n, start) in self.starts(line, least)?.into_iter().enumerate() {
            if n > 0 {
                self.patience = self.patience.checked_sub(1)?;
            }
            let slack = self.slack;
            self.slack = slack.saturating_sub(start.pairs - least);
            let mut taken = taken.clone();
            if self.claim(start.core, &mut taken) {
                if let Some(taken) = self.extend(line.get(start.length..)?, rest, &taken) {
                    return Some(taken);
                }
                self.cores.pop();
            }
            self.slack = slack;
        }
        None
    }

    /// The pairs that may serve the first windows of a line, the most promising first.
    fn starts(&self, line: &[W], least: usize) -> Option<Vec<Start<W>>> {
        let mut starts = Vec::with_capacity(8);
        let mut core = !W::ZERO;
        for (last, &window) in line.iter().enumerate() {
            core &= window;
            if !core.is_several() {
                break;
            }
            let tail = line.get(last + 1..).unwrap_or_default();
            let (pairs, next) = pairs_for(tail)?;
            if pairs < least + self.slack {
                let room = core.count().min(next.count());
                starts.push(Start { pairs: pairs + 1, room, length: last + 1, core });
            }
        }
        starts.sort_by_key(|start| (start.pairs, Reverse(start.room)));
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

    /// Finds one more square for the core `index`, along an augmenting path of squares that are not
    /// `visited`.
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

/// A pair for the first windows of a line.
struct Start<W> {
    /// The number of pairs that the line takes then.
    pairs: usize,
    /// The number of squares that this core or the next one has to choose from, whichever has
    /// fewer.
    room: u32,
    /// The number of windows that the pair serves.
    length: usize,
    core: W,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::super::plain::{Plain, shapes};
    use super::super::windows::Windows;
    use super::*;
    use crate::game::Shape;

    /// True if pairs of `free` squares can block all of `windows`, by trying every pair.
    fn can_block(windows: &[u64], free: u64) -> bool {
        let Some((&window, rest)) = windows.split_first() else {
            return true;
        };
        let squares = || (window & free).squares().map(|index| 1 << index);
        squares().any(|one: u64| {
            let mut others = squares().filter(|&other| other > one);
            others.any(|other| {
                let pair = one | other;
                let open: Vec<u64> =
                    rest.iter().copied().filter(|own| own & pair != pair).collect();
                can_block(&open, free & !pair)
            })
        })
    }

    #[test]
    fn a_pairing_blocks_every_window() {
        let mut found = [0; 2];
        for (seed, shape) in (0..).zip(shapes(false)) {
            let lines = Windows::new(shape, false);
            let plain = Plain::new(shape, false);
            for position in plain.positions(seed, 1..=12, 300) {
                let mut windows = Vec::new();
                lines.list(position.attacker, position.empty, &mut windows);
                let pairing = pairing(&windows, position.empty);
                if let Some(squares) = pairing {
                    assert_eq!(squares & !position.empty, 0);
                    assert!(can_block(&windows, squares), "{shape:?} {position:x?}");
                }
                // On boards as small as these, every pairing that exists is found.
                let exists = can_block(&windows, position.empty);
                assert_eq!(pairing.is_some(), exists, "{shape:?} {position:x?}");
                found[usize::from(exists && !windows.is_empty())] += 1;
            }
        }
        assert!(found.iter().all(|&times| times > 300), "{found:?}");
    }

    #[test]
    fn the_empty_board_of_hales_and_jewett_has_a_pairing() {
        let shape = Shape::new(5, 5, 5).unwrap();
        let mut windows = Vec::new();
        Windows::new(shape, false).list(0, (1 << 25) - 1, &mut windows);
        let squares = pairing(&windows, (1u64 << 25) - 1).unwrap();
        assert_eq!(squares.count(), 24);
        assert!(can_block(&windows, squares));
    }
}
