//! Can the attacker force a line within n of its own moves?
//!
//! The yes-or-no question is asked for n = 1, 2, 3 …, which is far quicker than a search for a value: most moves of the
//! defender need not be tried, since the attacker's win against a *pass* shows which squares the defender would have
//! needed (null-move or lambda search, Thomsen 2000; relevance zones, Wu and Lin 2010).

use std::cmp::Reverse;

use super::Ground;
use super::position::Position;
use super::table::{Finding, Table};
use super::windows::Lines;
use super::word::Word;
use crate::search::Budget;

/// What a proof of a win rests on: it still holds where the defender has more marks, unless one is in the zone or helps
/// the defender to a line in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proof<W> {
    /// The squares that the attacker needs, and those that it forces the defender to.
    zone: W,
    /// How many moves the defender has that are not forced, before the attacker makes a line.
    free: u8,
}

/// The answer to the question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach<W> {
    Wins(Proof<W>),
    /// The attacker does not.
    Holds,
}

/// What is known about a position with the attacker to move.
#[derive(Clone, Copy, Default)]
struct Known<W> {
    proof: Proof<W>,
    /// The attacker wins within this many of its moves; 0: not known to.
    wins: u8,
    /// The attacker does not win within this many.
    holds: u8,
}

impl<W: Word> Finding for Known<W> {
    fn effort(&self) -> u32 {
        u32::from(self.wins.max(self.holds))
    }
}

/// With this many moves left it pays to look at the most promising first: nine in ten positions have fewer.
const ORDERED_FROM: u32 = 4;

/// The depth-limited search for a win.
pub struct Attack<W> {
    table: Table<W, Known<W>>,
}

impl<W: Word> Attack<W> {
    /// A search whose table takes up to `bytes`.
    pub fn new(bytes: usize) -> Self {
        Self {
            table: Table::new(bytes),
        }
    }

    /// With the attacker to move: does it win within `moves` of its own? `None` when the budget ends first.
    pub fn attack(
        &mut self,
        ground: Ground<W>,
        position: Position<W>,
        moves: u32,
        budget: &mut Budget,
    ) -> Option<Reach<W>> {
        let (lines, symmetries) = ground;
        budget.spend().ok()?;
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        let wins = lines.threats(attacker, empty);
        if !wins.is_empty() {
            return Some(Reach::Wins(Proof {
                zone: W::bit(wins.first()),
                free: 0,
            }));
        }
        if moves <= 1 {
            return Some(Reach::Holds);
        }
        let blocks = lines.threats(defender, empty);
        if blocks.is_several() {
            return Some(Reach::Holds);
        }
        let near = lines.within(attacker, empty, empty, moves) & empty;
        if near.is_empty() {
            return Some(Reach::Holds);
        }
        let [once, twice] = lines.fours(attacker, empty);
        let candidates = if !blocks.is_empty() {
            blocks
        } else if moves == 2 {
            // Only a move that makes two threats at once wins now.
            twice
        } else if lines.is_exact() {
            // A mark may hurt its owner, so a move elsewhere may be the best.
            empty
        } else {
            near | (lines.within(defender, empty, empty, moves) & empty)
        };
        if candidates.is_empty() {
            return Some(Reach::Holds);
        }
        let place = (moves > 2).then(|| {
            let key = lines.reduced(position).key();
            if moves > 3 {
                symmetries.canonical(key)
            } else {
                (key, 0)
            }
        });
        if let Some((key, symmetry)) = place
            && let Some(known) = self.table.get(key)
        {
            if known.wins != 0 && u32::from(known.wins) <= moves {
                return Some(Reach::Wins(Proof {
                    zone: symmetries.preimage(symmetry, known.proof.zone),
                    ..known.proof
                }));
            }
            if u32::from(known.holds) >= moves {
                return Some(Reach::Holds);
            }
        }
        let mut reach = Reach::Holds;
        let mut order: Vec<W> = candidates.squares().map(W::bit).collect();
        if moves >= ORDERED_FROM {
            // What the attacker's windows gain and the defender's lose.
            order.sort_by_cached_key(|&square| {
                let rest = empty & !square;
                let gained = lines.potential(attacker | square, rest);
                let left = lines.potential(defender, rest);
                (!once.meets(square), Reverse(gained.saturating_sub(left)))
            });
        } else {
            order.sort_by_key(|&square| !once.meets(square));
        }
        for square in order {
            if let Reach::Wins(proof) =
                self.defend(ground, position.attacked(square), moves - 1, budget)?
            {
                reach = Reach::Wins(Proof {
                    zone: proof.zone | square,
                    ..proof
                });
                break;
            }
        }
        if let Some((key, symmetry)) = place {
            let canonical = match reach {
                Reach::Wins(proof) => Reach::Wins(Proof {
                    zone: symmetries.image(symmetry, proof.zone),
                    ..proof
                }),
                Reach::Holds => Reach::Holds,
            };
            self.learn(key, moves, canonical);
        }
        Some(reach)
    }

    /// With the defender to move: does the attacker win within `moves` of its own?
    pub fn defend(
        &mut self,
        ground: Ground<W>,
        position: Position<W>,
        moves: u32,
        budget: &mut Budget,
    ) -> Option<Reach<W>> {
        let (lines, _) = ground;
        budget.spend().ok()?;
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        if empty.is_empty() || !lines.threats(defender, empty).is_empty() {
            return Some(Reach::Holds);
        }
        let wins = lines.threats(attacker, empty);
        if wins.is_several() {
            return Some(Reach::Wins(Proof {
                zone: W::bit(wins.first()) | W::bit(wins.rest().first()),
                free: 0,
            }));
        }
        if !wins.is_empty() {
            let reply = self.attack(ground, position.defended(wins), moves, budget)?;
            return Some(match reply {
                Reach::Wins(proof) => Reach::Wins(Proof {
                    zone: proof.zone | wins,
                    ..proof
                }),
                Reach::Holds => Reach::Holds,
            });
        }
        if moves <= 1 {
            return Some(Reach::Holds);
        }
        // A further mark of the defender never helps the attacker, unless it can spoil a line of the defender's.
        let pass_is_worst =
            !lines.is_exact() || lines.within(defender, empty, empty, moves).is_empty();
        let mut whole = Proof {
            zone: W::ZERO,
            free: 0,
        };
        let mut replies = empty;
        match self.attack(ground, position, moves, budget)? {
            Reach::Holds if pass_is_worst => return Some(Reach::Holds),
            Reach::Holds => {}
            Reach::Wins(proof) => {
                whole = proof;
                replies &= proof.zone | counters(lines, position, moves, proof);
            }
        }
        while !replies.is_empty() {
            let square = W::bit(replies.first());
            replies &= !square;
            let after = position.defended(square);
            let Reach::Wins(proof) = self.attack(ground, after, moves, budget)? else {
                return Some(Reach::Holds);
            };
            whole = Proof {
                zone: whole.zone | proof.zone | square,
                free: whole.free.max(proof.free),
            };
            if pass_is_worst {
                // Any other reply loses even with this one in addition, and so without it.
                replies &= proof.zone | counters(lines, after, moves, proof);
            }
        }
        Some(Reach::Wins(Proof {
            free: whole.free.saturating_add(1),
            ..whole
        }))
    }

    /// Keeps an answer.
    fn learn(&mut self, key: [W; 2], moves: u32, reach: Reach<W>) {
        let mut known = self.table.get(key).unwrap_or_default();
        let moves = u8::try_from(moves).unwrap_or(u8::MAX);
        match reach {
            Reach::Wins(proof) => (known.wins, known.proof) = (moves, proof),
            Reach::Holds => known.holds = moves,
        }
        self.table.put(key, known);
    }
}

/// The squares through which the defender could get a line of its own before the attacker has won by `proof`, within `moves`.
///
/// It makes a move there, has those others that are free, and is forced to squares of the zone; and with one square missing
/// it need not do what it is forced to.
fn counters<W: Word>(lines: &Lines<W>, position: Position<W>, moves: u32, proof: Proof<W>) -> W {
    let Position {
        defender, empty, ..
    } = position;
    let in_time = lines.within(defender, empty, empty, moves);
    if in_time.is_empty() {
        return in_time;
    }
    in_time
        & lines.within(
            defender,
            empty,
            empty & !proof.zone,
            u32::from(proof.free) + 2,
        )
}
