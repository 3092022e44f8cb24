//! Strategies in full, for certificates: what a side answers to whatever the other does.
//!
//! The searches prove that a strategy exists; here it is read from their tables. What a table has
//! lost is searched anew.

use std::collections::HashMap;

use super::attack::Attack;
use super::dfpn::Dfpn;
use super::pairing::pairs;
use super::position::{Position, Turn};
use super::symmetry::Symmetries;
use super::windows::FULL;
use super::word::Word;
use crate::search::{Budget, Spent};

/// A hold: with the marks of the defender, and the zone empty, the attacker gets no line, even if
/// it is to move and all other squares are its own. Sets of squares have a bit a square, that of
/// the first square is bit 0.
#[derive(Clone, Debug)]
pub struct Hold {
    /// The marks of the defender that the hold needs.
    pub marks: u128,
    /// The empty squares that the hold needs.
    pub zone: u128,
    /// Why it holds.
    pub reason: Reason,
}

/// The reason why a [`Hold`] holds.
#[derive(Clone, Debug)]
pub enum Reason {
    /// Pairs of squares of the zone: a move to one is answered at the other. The potential of the
    /// windows without a pair is below one half.
    Leaf(Vec<[u32; 2]>),
    /// Replies to the attacker's moves.
    Replies(Vec<Reply>),
}

/// A reply of the defender, which leads to an earlier [`Hold`].
#[derive(Clone, Copy, Debug)]
pub struct Reply {
    /// The index of the square.
    pub square: u32,
    /// The index of the hold.
    pub hold: u32,
    /// The symmetry under which the image of the hold fits.
    pub symmetry: usize,
}

/// The holds that a proof needs, each after those that it leads to.
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// The holds. The last one is that of the position.
    pub list: Vec<Hold>,
    /// The first move of the defender, where it is to move.
    pub first: Option<u32>,
}

/// A position with the winner to move, and its move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Attacked {
    /// The marks of the winner.
    pub own: u128,
    /// The marks of the other side.
    pub other: u128,
    /// The index of the square of the move.
    pub square: u32,
}

/// A [`Hold`] in the words of the solver.
struct Entry<W> {
    marks: W,
    zone: W,
    reason: Reason,
}

/// A reply that was found: its square, the index of the hold after it, and its symmetry.
struct Found<W> {
    square: W,
    hold: u32,
    symmetry: usize,
}

/// Reads holds from the proof-number search `search`.
pub struct Reader<'a, W> {
    search: &'a mut Dfpn<W>,
    /// Every window of the board.
    windows: Vec<W>,
    entries: Vec<Entry<W>>,
    /// The indices of the entries by what is left of the position.
    index: HashMap<[W; 2], Vec<u32>>,
    /// Memory for the windows of a position.
    open: Vec<W>,
}

impl<'a, W: Word> Reader<'a, W> {
    pub fn new(search: &'a mut Dfpn<W>, all: W) -> Self {
        let mut windows = Vec::new();
        search.windows.list(W::ZERO, all, &mut windows);
        let (entries, index, open) = (Vec::new(), HashMap::new(), Vec::new());
        Self { search, windows, entries, index, open }
    }

    /// The holds of `position`, in which the defender is known to hold.
    pub fn read(mut self, position: Position<W>, budget: &mut Budget) -> Result<Holds, Spent> {
        let (root, symmetry, first) = match position.turn {
            Turn::Attacker => {
                let (root, symmetry) = self.entry(position, budget)?;
                (root, symmetry, None)
            }
            Turn::Defender => {
                let reply = self.reply(position, budget)?;
                (reply.hold, reply.symmetry, Some(reply.square.first()))
            }
        };
        // Others were made after it, or it is the image of one that fits.
        let Some(root) = self.entries.get(root as usize) else { return Err(Spent) };
        let (marks, zone) = self.image(symmetry, root);
        let symmetries = &self.search.symmetries;
        let reason = match &root.reason {
            Reason::Leaf(pairs) => Reason::Leaf(
                pairs
                    .iter()
                    .map(|&[a, b]| [a, b].map(|own| symmetries.square(symmetry, own)))
                    .collect(),
            ),
            Reason::Replies(replies) => {
                let turned = |reply: &Reply| Reply {
                    square: symmetries.square(symmetry, reply.square),
                    symmetry: Symmetries::<W>::product(reply.symmetry, symmetry),
                    ..*reply
                };
                Reason::Replies(replies.iter().map(turned).collect())
            }
        };
        self.entries.push(Entry { marks, zone, reason });
        let wide = |Entry { marks, zone, reason }: Entry<W>| Hold {
            marks: marks.into(),
            zone: zone.into(),
            reason,
        };
        Ok(Holds { list: self.entries.into_iter().map(wide).collect(), first })
    }

    /// The marks and the zone of an entry under a symmetry.
    fn image(&self, symmetry: usize, entry: &Entry<W>) -> (W, W) {
        let image = |set| self.search.symmetries.image(symmetry, set);
        (image(entry.marks), image(entry.zone))
    }

    /// The entry that fits `position`, and the symmetry under which it does, if there is one.
    fn fitting(&self, position: Position<W>) -> Option<(u32, usize)> {
        let (key, image, back) = self.canonical(position);
        let fits = |index: &&u32| {
            self.entries.get(**index as usize).is_some_and(|entry| {
                !entry.marks.meets(!image.defender) && !entry.zone.meets(!image.empty)
            })
        };
        Some((*self.index.get(&key)?.iter().find(fits)?, back))
    }

    /// The key of a position, its canonical image, and the symmetry that leads back.
    fn canonical(&self, position: Position<W>) -> ([W; 2], Position<W>, usize) {
        let symmetries = &self.search.symmetries;
        let (key, symmetry) = symmetries.canonical(self.search.windows.reduced(position).key());
        let image = |set| symmetries.image(symmetry, set);
        let image = Position {
            attacker: image(position.attacker),
            defender: image(position.defender),
            empty: image(position.empty),
            turn: position.turn,
        };
        (key, image, Symmetries::<W>::inverse(symmetry))
    }

    /// The entry of a position with the attacker to move, and the symmetry under which it fits.
    fn entry(&mut self, position: Position<W>, budget: &mut Budget) -> Result<(u32, usize), Spent> {
        if let Some(found) = self.fitting(position) {
            return Ok(found);
        }
        let (key, image, back) = self.canonical(position);
        let entry = self.make(image, budget)?;
        let number = u32::try_from(self.entries.len()).map_err(|_| Spent)?;
        self.entries.push(entry);
        self.index.entry(key).or_default().push(number);
        Ok((number, back))
    }

    /// Makes the entry of a position with the attacker to move.
    fn make(&mut self, position: Position<W>, budget: &mut Budget) -> Result<Entry<W>, Spent> {
        budget.spend()?;
        let threats = self.search.threats(position)[Turn::Defender as usize];
        if let Some(entry) = self.leaf(position) {
            return Ok(entry);
        }
        let windows = &self.search.windows;
        let live = position.empty & windows.open_squares(position.attacker, position.empty);
        let (mut marks, mut zone) = (W::ZERO, threats.first_two());
        for threat in zone.squares() {
            marks |= self.threatening(position, W::bit(threat));
        }
        let mut remaining = match threats.count() {
            0 => position.empty,
            1 => threats,
            _ => W::ZERO,
        };
        let plays_weak = !windows.counter;
        let mut skipped = W::ZERO;
        if plays_weak {
            let mut dominated = Vec::new();
            self.search.hypergraph.collect(&self.search.windows, position);
            self.search.hypergraph.dominated(live, &mut dominated);
            skipped = dominated.iter().fold(W::ZERO, |all, &(square, _)| all | square);
            remaining &= !skipped;
        }
        let mut replies = Vec::new();
        let order = self.order(position, position.empty);
        loop {
            let Some(&square) = order.iter().find(|&&square| remaining.meets(square)) else {
                if !threats.is_empty() {
                    self.secure(position, &mut marks, &mut zone);
                    break;
                }
                // A square that was skipped may turn out not to be dominated in the part alone.
                match self.uncovered(position, &mut marks, &mut zone, skipped) {
                    None => break,
                    Some(square) => {
                        skipped &= !square;
                        remaining |= square;
                    }
                }
                continue;
            };
            let found = self.reply(position.after(square), budget)?;
            let Some(entry) = self.entries.get(found.hold as usize) else { return Err(Spent) };
            let (own, needed) = self.image(found.symmetry, entry);
            marks |= own & !found.square;
            zone |= needed | found.square;
            let used = own | needed | found.square;
            remaining &= used & !square;
            skipped &= used;
            replies.push(Reply {
                square: found.square.first(),
                hold: found.hold,
                symmetry: found.symmetry,
            });
        }
        Ok(Entry { marks, zone, reason: Reason::Replies(replies) })
    }

    /// The marks of a window of the defender that misses `square` alone.
    fn threatening(&self, position: Position<W>, square: W) -> W {
        let own = |window: &&W| !window.meets(!(position.defender | square));
        let mut windows = self.windows.iter().filter(|window| window.meets(square));
        windows.find(own).map_or(W::ZERO, |&window| window & !square)
    }

    /// Squares in the order in which the attacker tries them.
    fn order(&mut self, position: Position<W>, squares: W) -> Vec<W> {
        let hypergraph = &mut self.search.hypergraph;
        hypergraph.collect(&self.search.windows, position);
        hypergraph.weigh();
        let mut order: Vec<W> = squares.squares().map(W::bit).collect();
        order.sort_by_key(|square| {
            std::cmp::Reverse(hypergraph.vertices[square.first() as usize].weight)
        });
        order
    }

    /// The entry of a position that is decided without a look at its moves.
    fn leaf(&mut self, position: Position<W>) -> Option<Entry<W>> {
        let Position { attacker, defender, empty, .. } = position;
        self.open.clear();
        self.search.windows.list(attacker, empty, &mut self.open);
        if let Some(pairs) = pairs(&self.open, empty) {
            // A pair that no other one makes superfluous.
            let mut used: Vec<W> = Vec::new();
            for &window in &self.open {
                let has = |pair: &W| !pair.meets(!window);
                if !used.iter().any(has) {
                    used.extend(pairs.iter().copied().find(has));
                }
            }
            let blocked = |window: &W| used.iter().any(|pair| !pair.meets(!*window));
            let marks = self.cover(defender, |window| !blocked(window));
            let zone = used.iter().fold(W::ZERO, |zone, &pair| zone | pair);
            let reason = Reason::Leaf(
                used.into_iter().map(|pair| [pair.first(), pair.rest().first()]).collect(),
            );
            return Some(Entry { marks, zone, reason });
        }
        let edges = minimal(&self.open);
        let all = edges.iter().fold(W::ZERO, |all, &edge| all | edge);
        let sum = |zone: W| -> Option<u64> {
            edges.iter().try_fold(0, |sum, edge| match (*edge & zone).count() {
                0 | 1 => None,
                count => Some(sum + (u64::from(FULL) << 16 >> count.min(32))),
            })
        };
        let is_enough = |zone: W| sum(zone).is_some_and(|sum| sum < u64::from(FULL) << 15);
        if !is_enough(all) {
            return None;
        }
        // Squares are handed to the attacker as long as the sum stays below one half.
        let mut zone = all;
        let through = |square: u32| edges.iter().filter(|edge| edge.meets(W::bit(square))).count();
        let mut order: Vec<u32> = all.squares().collect();
        order.sort_by_key(|&square| through(square));
        for square in order {
            if is_enough(zone & !W::bit(square)) {
                zone &= !W::bit(square);
            }
        }
        let marks = self.cover(defender, |window| window.meets(defender));
        Some(Entry { marks, zone, reason: Reason::Leaf(Vec::new()) })
    }

    /// Few of the marks `own` that block all windows that `must` be blocked.
    fn cover(&self, own: W, must: impl Fn(&W) -> bool) -> W {
        let mut left: Vec<W> = self
            .windows
            .iter()
            .copied()
            .filter(|window| window.meets(own) && must(window))
            .collect();
        let mut marks = W::ZERO;
        while !left.is_empty() {
            let mut counts = [0_u32; 128];
            for window in &left {
                for square in (*window & own).squares() {
                    counts[square as usize] += 1;
                }
            }
            let best = own.squares().max_by_key(|&square| counts[square as usize]);
            let mark = best.map_or(W::ZERO, W::bit);
            marks |= mark;
            left.retain(|window| !window.meets(mark));
        }
        marks
    }

    /// Adds marks and squares until every window that misses the marks has two squares of the zone.
    fn secure(&self, position: Position<W>, marks: &mut W, zone: &mut W) {
        for &window in &self.windows {
            if !window.meets(*marks) && !(window & *zone).is_several() {
                let own = window & position.defender;
                if own.is_empty() {
                    *zone |= window & position.empty;
                } else {
                    *marks |= W::bit(own.first());
                }
            }
        }
    }

    /// Adds marks and squares until each of the `skipped` squares in the zone is dominated by
    /// another one of the zone. Gives a square that cannot be.
    fn uncovered(
        &self,
        position: Position<W>,
        marks: &mut W,
        zone: &mut W,
        skipped: W,
    ) -> Option<W> {
        loop {
            let (before, own) = ((*marks, *zone), position.defender);
            // The windows that the part sees, each with its squares in the zone.
            let seen = self.windows.iter().filter(|window| !window.meets(*marks));
            let edges = minimal(&seen.map(|&window| window & *zone).collect::<Vec<W>>());
            for square in (skipped & *zone).squares().map(W::bit) {
                let common = |all: W| {
                    let through = edges.iter().filter(|edge| edge.meets(square));
                    through.fold(all, |common, &edge| common & edge) & !square
                };
                if !edges.iter().any(|edge| edge.meets(square)) || !common(*zone).is_empty() {
                    continue;
                }
                // The windows that are open have a square in common, which may be missing.
                let open = |window: &&W| window.meets(square) && !window.meets(own);
                let open = self.windows.iter().filter(open);
                let shared = open.fold(position.empty, |all, &window| all & window) & !square;
                if !shared.is_empty() && !shared.meets(*zone) {
                    *zone |= W::bit(shared.first());
                }
                for window in self.windows.iter().filter(|window| window.meets(square)) {
                    if !window.meets(*marks) && window.meets(own) {
                        *marks |= W::bit((*window & own).first());
                    }
                }
                if (*marks, *zone) == before {
                    return Some(square);
                }
            }
            if (*marks, *zone) == before {
                return None;
            }
        }
    }

    /// The defender's reply in a position where it holds.
    fn reply(&mut self, position: Position<W>, budget: &mut Budget) -> Result<Found<W>, Spent> {
        let wins = self.search.threats(position)[Turn::Attacker as usize];
        let (attacker, defender, empty) = (position.attacker, position.defender, position.empty);
        let windows = &self.search.windows;
        let mut useful = windows.open_squares(attacker, empty);
        if windows.counter {
            useful |= windows.open_squares(defender, empty);
        }
        // Where nothing is of use, any move will do.
        let useful = if useful.meets(empty) { useful & empty } else { empty };
        let candidates =
            if wins.is_empty() { self.order(position, useful) } else { vec![W::bit(wins.first())] };
        let after = |square: &W| position.after(*square);
        let mut chosen = candidates.iter().copied().find(|at| self.fitting(after(at)).is_some());
        let mut is_searched = false;
        while chosen.is_none() {
            // The quicker look first.
            chosen = candidates.iter().copied().find(|at| self.is_known(after(at), false));
            chosen = chosen
                .or_else(|| candidates.iter().copied().find(|at| self.is_known(after(at), true)));
            if is_searched {
                break;
            }
            if chosen.is_none() {
                budget.check()?;
                self.search.holds(position, budget)?;
                is_searched = true;
            }
        }
        let mut share = 1 << 10;
        while chosen.is_none() {
            for at in &candidates {
                let search = |part: &mut Budget| self.search.holds(after(at), part);
                if budget.at_most(share, search) == Ok(true) {
                    chosen = Some(*at);
                    break;
                }
            }
            budget.spend()?;
            share = share.saturating_mul(4);
        }
        let Some(square) = chosen else { return Err(Spent) };
        let (hold, symmetry) = self.entry(position.after(square), budget)?;
        Ok(Found { square, hold, symmetry })
    }

    /// True if it is known that the defender holds a position with the attacker to move, or the one
    /// that is left of it without twins.
    fn is_known(&mut self, position: Position<W>, without_twins: bool) -> bool {
        let position = self.search.windows.reduced(position);
        let [wins, threats] = self.search.threats(position);
        if !wins.is_empty() {
            return false;
        }
        if threats.is_several() {
            return true;
        }
        if without_twins {
            return self.search.is_simply_hold(position);
        }
        let potential = self.search.windows.potential(position.attacker, position.empty);
        threats.is_empty() && potential < FULL / 2 || self.search.is_hold(position)
    }
}

/// The sets that contain no other one, without doubles.
fn minimal<W: Word>(sets: &[W]) -> Vec<W> {
    let mut sorted = sets.to_vec();
    sorted.sort_unstable_by_key(|set| (set.count(), *set));
    let mut kept: Vec<W> = Vec::with_capacity(sorted.len());
    for set in sorted {
        if !kept.iter().any(|smaller| !smaller.meets(!set)) {
            kept.push(set);
        }
    }
    kept
}

/// The positions that the winner, the attacker of `position`, may get to move in, with its move in
/// each. It wins within `moves` of its own.
pub fn attacked<W: Word>(
    search: &mut Attack<W>,
    position: Position<W>,
    moves: u32,
    budget: &mut Budget,
) -> Result<Vec<Attacked>, Spent> {
    let mut found: HashMap<[W; 2], u32> = HashMap::new();
    let mut open = vec![position];
    while let Some(position) = open.pop() {
        if position.turn == Turn::Defender {
            // Whatever leaves a line to be completed is answered by that.
            let replies = position.empty.squares().map(|square| position.after(W::bit(square)));
            open.extend(replies.filter(|after| !search.wins_at_once(*after)));
            continue;
        }
        let key = [position.attacker, position.defender];
        if found.contains_key(&key) {
            continue;
        }
        let (square, _) = search.best(position, moves, budget)?.ok_or(Spent)?;
        found.insert(key, square.first());
        let after = position.after(square);
        if !search.has_line(after.attacker) {
            open.push(after);
        }
    }
    let entry = |([own, other], square): ([W; 2], u32)| Attacked {
        own: own.into(),
        other: other.into(),
        square,
    };
    let mut list: Vec<Attacked> = found.into_iter().map(entry).collect();
    list.sort_unstable();
    Ok(list)
}
