//! The search for a win within n moves of the attacker, which gives the distance.
//!
//! It deepens iteratively: n = 1, 2, 3 …. That is far quicker than a search for a value, since most
//! replies need not be tried. The attacker's win against a *pass* shows the squares that the
//! defender would have needed (null-move or lambda search, Thomsen 2000; relevance zones, Wu and
//! Lin 2010).

use std::cmp::Reverse;
use std::sync::Arc;

use super::position::{Position, Turn};
use super::symmetry::Symmetries;
use super::table::{Effort, ProofTable};
use super::windows::Windows;
use super::word::Word;
use crate::search::{Budget, Spent};

/// A proven win of the attacker. It still holds where the defender has more marks, unless one of
/// them is in the zone or helps the defender to a line in time.
#[derive(Clone, Copy, Debug, Default)]
struct Proof<W> {
    /// The relevance zone: squares that the attacker needs or forces the defender to.
    zone: W,
    /// The number of moves that the defender has free before the attacker has a line.
    free: u8,
}

impl<W: Word> Proof<W> {
    /// The proof with more squares in its zone.
    fn with(self, squares: W) -> Self {
        Self { zone: self.zone | squares, ..self }
    }
}

/// The table's entry about a position with the attacker to move.
#[derive(Clone, Copy, Default)]
struct Distance<W> {
    /// The proof of the win, if `most` is not 0.
    proof: Proof<W>,
    /// The attacker wins within this many of its moves; 0 where no win is known.
    most: u8,
    /// The attacker does not win within this many of its moves.
    more_than: u8,
}

impl<W: Word> Effort for Distance<W> {
    fn effort(&self) -> u32 {
        u32::from(self.most.max(self.more_than))
    }
}

/// Moves are ordered by potential with this many left. Nine in ten positions have fewer, in which
/// that does not pay.
const ORDERED_FROM: u32 = 4;

/// The search for wins within a number of moves, and what it found.
pub struct Attack<W> {
    windows: Windows<W>,
    symmetries: Arc<Symmetries<W>>,
    table: ProofTable<W, Distance<W>>,
}

impl<W: Word> Attack<W> {
    /// A search whose table takes up to `bytes`.
    pub fn new(windows: Windows<W>, symmetries: Arc<Symmetries<W>>, bytes: usize) -> Self {
        Self { windows, symmetries, table: ProofTable::new(bytes) }
    }

    /// True if the attacker gets a line within `moves` of its own. The defender holds if it gets
    /// one first.
    pub fn wins_within(
        &mut self,
        moves: u32,
        position: Position<W>,
        budget: &mut Budget,
    ) -> Result<bool, Spent> {
        let proof = match position.turn {
            Turn::Attacker => self.attack(position, moves, budget)?,
            Turn::Defender => self.defend(position, moves, budget)?,
        };
        Ok(proof.is_some())
    }

    /// The square that wins soonest, and within how many moves, at most `most`, for the attacker to
    /// move; `None` where it does not win within `most`.
    pub fn best(
        &mut self,
        position: Position<W>,
        most: u32,
        budget: &mut Budget,
    ) -> Result<Option<(W, u32)>, Spent> {
        let wins = self.windows.threats(position.attacker, position.empty);
        if !wins.is_empty() {
            return Ok(Some((W::bit(wins.first()), 1)));
        }
        for moves in 2..=most {
            if self.attack(position, moves, budget)?.is_none() {
                continue;
            }
            for square in position.empty.squares().map(W::bit) {
                if self.defend(position.after(square), moves - 1, budget)?.is_some() {
                    return Ok(Some((square, moves)));
                }
            }
        }
        Ok(None)
    }

    /// True if the attacker, to move, completes a line.
    pub fn wins_at_once(&self, position: Position<W>) -> bool {
        !self.windows.threats(position.attacker, position.empty).is_empty()
    }

    /// True if `own` has a line.
    pub fn has_line(&self, own: W) -> bool {
        self.windows.has_line(own)
    }

    /// The proof that the attacker, to move, wins within `moves` of its own; `None` where it does
    /// not.
    fn attack(
        &mut self,
        position: Position<W>,
        moves: u32,
        budget: &mut Budget,
    ) -> Result<Option<Proof<W>>, Spent> {
        budget.spend()?;
        let windows = &self.windows;
        let (attacker, defender, empty) = (position.attacker, position.defender, position.empty);
        let wins = windows.threats(attacker, empty);
        if !wins.is_empty() {
            return Ok(Some(Proof { zone: W::bit(wins.first()), free: 0 }));
        }
        if moves <= 1 {
            return Ok(None);
        }
        let blocks = windows.threats(defender, empty);
        if blocks.is_several() {
            return Ok(None);
        }
        // No window can be filled in time.
        let near = windows.within(attacker, empty, empty, moves) & empty;
        if near.is_empty() {
            return Ok(None);
        }
        let [once, twice] = windows.fours(attacker, empty);
        // Nothing is lost: a move that touches no window that either side could fill in time is a
        // pass, and in the last move but one only two threats at once win.
        let candidates = if !blocks.is_empty() {
            blocks
        } else if moves == 2 {
            twice
        } else if windows.exact {
            // A mark may hurt its owner, so that the best move may be one elsewhere.
            empty
        } else {
            near | (windows.within(defender, empty, empty, moves) & empty)
        };
        if candidates.is_empty() {
            return Ok(None);
        }
        let place = (moves > 2).then(|| {
            let key = windows.reduced(position).key();
            if moves > 3 { self.symmetries.canonical(key) } else { (key, 0) }
        });
        if let Some((key, symmetry)) = place
            && let Some(known) = self.table.get(key)
        {
            if known.most != 0 && u32::from(known.most) <= moves {
                let zone = self.symmetries.preimage(symmetry, known.proof.zone);
                return Ok(Some(Proof { zone, ..known.proof }));
            }
            if u32::from(known.more_than) >= moves {
                return Ok(None);
            }
        }
        let mut order: Vec<W> = candidates.squares().map(W::bit).collect();
        if moves >= ORDERED_FROM {
            // The key: the potential that the attacker gains and the defender loses.
            order.sort_by_cached_key(|&square| {
                let rest = empty & !square;
                let gained = windows.potential(attacker | square, rest);
                let left = windows.potential(defender, rest);
                (!once.meets(square), Reverse(gained.saturating_sub(left)))
            });
        } else {
            order.sort_by_key(|&square| !once.meets(square));
        }
        let mut found = None;
        for square in order {
            if let Some(proof) = self.defend(position.after(square), moves - 1, budget)? {
                found = Some(proof.with(square));
                break;
            }
        }
        if let Some((key, symmetry)) = place {
            let mut known = self.table.get(key).unwrap_or_default();
            let moves = u8::try_from(moves).unwrap_or(u8::MAX);
            if let Some(proof) = found {
                let zone = self.symmetries.image(symmetry, proof.zone);
                (known.most, known.proof) = (moves, Proof { zone, ..proof });
            } else {
                known.more_than = moves;
            }
            self.table.put(key, known);
        }
        Ok(found)
    }

    /// The proof that the attacker wins within `moves` of its own, with the defender to move;
    /// `None` where it does not.
    fn defend(
        &mut self,
        position: Position<W>,
        moves: u32,
        budget: &mut Budget,
    ) -> Result<Option<Proof<W>>, Spent> {
        budget.spend()?;
        let (attacker, defender, empty) = (position.attacker, position.defender, position.empty);
        if empty.is_empty() || !self.windows.threats(defender, empty).is_empty() {
            return Ok(None);
        }
        let wins = self.windows.threats(attacker, empty);
        if wins.is_several() {
            return Ok(Some(Proof { zone: wins.first_two(), free: 0 }));
        }
        if !wins.is_empty() {
            let reply = self.attack(position.after(wins), moves, budget)?;
            return Ok(reply.map(|proof| proof.with(wins)));
        }
        if moves <= 1 {
            return Ok(None);
        }
        // A mark of the defender never helps the attacker, unless it can spoil a line of the
        // defender.
        let pass_is_worst =
            !self.windows.exact || self.windows.within(defender, empty, empty, moves).is_empty();
        let mut whole = Proof::default();
        let mut replies = empty;
        match self.attack(position.passed(), moves, budget)? {
            Some(proof) => {
                whole = proof;
                replies &= proof.zone | self.counters(position, moves, proof);
            }
            None if pass_is_worst => return Ok(None),
            None => {}
        }
        while !replies.is_empty() {
            let square = W::bit(replies.first());
            replies &= !square;
            let after = position.after(square);
            let Some(proof) = self.attack(after, moves, budget)? else {
                return Ok(None);
            };
            whole =
                Proof { zone: whole.zone | proof.zone | square, free: whole.free.max(proof.free) };
            if pass_is_worst {
                // Nothing is lost: any other reply loses with this mark in addition, and so without
                // it.
                replies &= proof.zone | self.counters(after, moves, proof);
            }
        }
        whole.free = whole.free.saturating_add(1);
        Ok(Some(whole))
    }

    /// The squares through which the defender could get a line before the attacker has won by
    /// `proof`, within `moves`.
    ///
    /// The defender makes a move there, has its free moves, and is forced to squares of the zone.
    /// With one square missing it need not do what it is forced to.
    fn counters(&self, position: Position<W>, moves: u32, proof: Proof<W>) -> W {
        let (defender, empty) = (position.defender, position.empty);
        let in_time = self.windows.within(defender, empty, empty, moves);
        if in_time.is_empty() {
            return in_time;
        }
        let most = u32::from(proof.free) + 2;
        in_time & self.windows.within(defender, empty, empty & !proof.zone, most)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::super::plain::{Plain, shapes};
    use super::*;
    use crate::game::Shape;

    fn attack<W: Word>(shape: Shape) -> Attack<W> {
        Attack::new(Windows::new(shape, true), Arc::new(Symmetries::new(shape)), 1 << 20)
    }

    #[test]
    fn distances_are_those_of_plain_minimax() {
        let mut found = [0; 6];
        for (seed, shape) in (0..).zip(shapes(true)) {
            let mut plain = Plain::new(shape, true);
            let (mut narrow, mut wide) = (attack::<u64>(shape), attack::<u128>(shape));
            for position in plain.positions(seed, 7..=10, 60) {
                let budget = &mut Budget::nodes(u64::MAX);
                let expected = [0, 1, 2, 3, 4, 5].map(|moves| plain.wins(position, moves));
                let same = Position {
                    attacker: u128::from(position.attacker),
                    defender: u128::from(position.defender),
                    empty: u128::from(position.empty),
                    turn: position.turn,
                };
                // The table must not mix up distances in whatever order they are asked for.
                for (first, second) in (1..=5).zip([4, 3, 5, 2, 1]) {
                    let answers = [
                        (first, narrow.wins_within(first, position, budget)),
                        (second, wide.wins_within(second, same, budget)),
                    ];
                    for (moves, answer) in answers {
                        let wins = expected[moves as usize];
                        assert_eq!(answer, Ok(wins), "{shape:?} {position:x?} in {moves}");
                    }
                }
                if let Some(distance) = expected.iter().position(|&wins| wins) {
                    found[distance] += 1;
                }
            }
        }
        assert!(found[4] > 0 && found[1..4].iter().all(|&wins| wins > 20));
    }

    #[test]
    fn a_win_is_kept_with_its_distance() {
        let shape = Shape::new(3, 4, 3).unwrap();
        let mut search = attack::<u64>(shape);
        let turn = Turn::Defender;
        let position = Position { attacker: 0x90, defender: 0, empty: 0xf6f, turn };
        for (moves, wins) in [(5, true), (4, false), (5, true)] {
            let found = search.wins_within(moves, position, &mut Budget::nodes(u64::MAX));
            assert_eq!(found, Ok(wins), "{moves}");
        }
    }

    #[test]
    fn a_win_stays_one_with_a_mark_of_the_defender_outside_of_its_zone() {
        let mut checked = 0;
        for (seed, shape) in (0..).zip(shapes(true)) {
            let mut plain = Plain::new(shape, true);
            let mut search = attack::<u64>(shape);
            let positions = plain.positions(seed, 1..=10, 100).into_iter();
            for (mut position, moves) in positions.flat_map(|own| (1..=4).map(move |n| (own, n))) {
                position.turn = Turn::Attacker;
                let (defender, empty) = (position.defender, position.empty);
                let within = search.windows.within(defender, empty, empty, moves);
                if shape.is_exact() && within != 0 {
                    continue;
                }
                let budget = &mut Budget::nodes(u64::MAX);
                let Some(proof) = search.attack(position, moves, budget).unwrap() else {
                    continue;
                };
                let needed = proof.zone | search.counters(position, moves, proof);
                for square in (empty & !needed).squares() {
                    let given = position.passed().after(1 << square);
                    assert!(plain.wins(given, moves), "{shape:?} {position:x?} {moves} {square}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 500, "{checked}");
    }
}
