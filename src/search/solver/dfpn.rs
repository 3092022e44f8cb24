//! Can the defender hold, that is, keep the attacker from ever making a line?
//!
//! A depth-first proof-number search (df-pn; Nagai 2002) over the question "does the attacker ever win?", in the real game
//! or, where that is enough, in the Maker-Breaker game, in which the defender's own lines count for nothing: a hold there
//! is a hold in the real game, a win there is nothing (the 3 x 3 board is one).
//!
//! What makes it fast is that a proof says which squares it needs, its *zone*: the defender holds even if all the others are
//! the attacker's. So when an answer to one move of the attacker is found, all moves outside of its zone are answered too
//! (the must-play regions of Hex; the relevance zones of Hsu and others 2020).

use super::Ground;
use super::hypergraph::{Site, Survey};
use super::pairing::pairing;
use super::position::Position;
use super::symmetry::Symmetries;
use super::table::{Finding, Table};
use super::windows::{Lines, ONE};
use super::word::Word;
use crate::search::Budget;

/// Who is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    Attacker,
    Defender,
}

impl Turn {
    const fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// How much is left to prove.
#[derive(Clone, Copy, Default, Debug)]
struct Bounds<W> {
    /// The proof number of the attacker's win: 0 when it is proved, [`NEVER`] when it is refuted.
    win: u32,
    /// The proof number of the defender's hold, likewise.
    hold: u32,
    /// When either is proved: the squares that the proof needs.
    zone: W,
    /// How many positions were looked at for it.
    effort: u32,
}

/// The proof number of what cannot be proved. Sums of two of them do not overflow.
const NEVER: u32 = u32::MAX / 4;

impl<W: Word> Bounds<W> {
    const fn wins(zone: W) -> Self {
        Self {
            win: 0,
            hold: NEVER,
            zone,
            effort: 0,
        }
    }

    const fn holds(zone: W) -> Self {
        Self {
            win: NEVER,
            hold: 0,
            zone,
            effort: 0,
        }
    }

    /// Neither is proved yet.
    fn open(win: u32, hold: u32) -> Self {
        Self {
            win: win.min(NEVER),
            hold: hold.min(NEVER),
            zone: W::ZERO,
            effort: 0,
        }
    }

    const fn is_proved(&self) -> bool {
        self.win == 0 || self.hold == 0
    }

    /// The proof number of what the side to move wants.
    const fn wanted(&self, turn: Turn) -> u32 {
        match turn {
            Turn::Attacker => self.win,
            Turn::Defender => self.hold,
        }
    }
}

impl<W: Word> Finding for Bounds<W> {
    fn effort(&self) -> u32 {
        self.effort
    }
}

/// A move that is to be looked at.
struct Move<W> {
    square: W,
    site: Site<W>,
}

/// A move that was looked at.
struct Child<W> {
    square: W,
    position: Position<W>,
    bounds: Bounds<W>,
}

/// Room for the lists of one position in a search. A search visits a million positions a second, and to ask the system for
/// memory in each costs a fifteenth of its time.
struct Room<W> {
    moves: Vec<Move<W>>,
    children: Vec<Child<W>>,
    /// Squares that are no better than others, with these others.
    dominated: Vec<(W, W)>,
}

impl<W: Word> Room<W> {
    const fn new() -> Self {
        Self {
            moves: Vec::new(),
            children: Vec::new(),
            dominated: Vec::new(),
        }
    }
}

/// How many moves of the attacker, and of the defender, are open at a time. The next ones wait until these have failed.
/// Every attacker's move must be refuted anyhow, or fall to the zone of another; of the defender's few are worth a try: with 8
/// of them 4 x 7, k = 4 takes three times as many positions, and 7 x 7, k = 5 twice as many.
const WIDTH: [usize; 2] = [1, 4];

/// The proof-number search.
pub struct Hold<W> {
    /// Whether it is the real game, in which the defender's lines count.
    counter: bool,
    /// By who is to move.
    tables: [Table<W, Bounds<W>>; 2],
    survey: Survey<W>,
    /// Room for windows.
    windows: Vec<W>,
    /// Rooms that no position is using.
    rooms: Vec<Room<W>>,
}

impl<W: Word> Hold<W> {
    /// A search of the real game, or of the Maker-Breaker game, with tables of up to `bytes`.
    pub fn new(counter: bool, bytes: usize) -> Self {
        let table = || Table::new(bytes / 2);
        Self {
            counter,
            tables: [table(), table()],
            survey: Survey::new(),
            windows: Vec::new(),
            rooms: Vec::new(),
        }
    }

    /// Whether the defender holds; `None` when the budget ends first.
    pub fn holds(
        &mut self,
        ground: Ground<W>,
        position: Position<W>,
        turn: Turn,
        budget: &mut Budget,
    ) -> Option<bool> {
        let (lines, _) = ground;
        budget.spend().ok()?;
        let position = self.reduced(lines, position);
        let bounds = match self.obvious(lines, position, turn) {
            Some(bounds) => bounds,
            None => self.search(ground, position, turn, [NEVER; 2], budget)?,
        };
        bounds.is_proved().then_some(bounds.hold == 0)
    }

    /// The position without what does not matter.
    fn reduced(&self, lines: &Lines<W>, position: Position<W>) -> Position<W> {
        if self.counter {
            return lines.reduced(position);
        }
        let Position {
            attacker, empty, ..
        } = position;
        let open = lines.open_squares(attacker, empty);
        Position {
            attacker: attacker & open,
            defender: W::ZERO,
            empty: empty & open,
        }
    }

    /// The empty squares that complete a line of the attacker, and of the defender.
    fn threats(&self, lines: &Lines<W>, position: Position<W>) -> [W; 2] {
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        let counter = if self.counter {
            lines.threats(defender, empty)
        } else {
            W::ZERO
        };
        [lines.threats(attacker, empty), counter]
    }

    /// Who wins at once, or with two threats at once.
    fn obvious(
        &mut self,
        lines: &Lines<W>,
        position: Position<W>,
        turn: Turn,
    ) -> Option<Bounds<W>> {
        let [wins, blocks] = self.threats(lines, position);
        match turn {
            Turn::Attacker if !wins.is_empty() => Some(Bounds::wins(W::bit(wins.first()))),
            Turn::Attacker if blocks.is_several() => {
                let zone = self.secured(lines, position, first_two(blocks));
                Some(Bounds::holds(zone))
            }
            Turn::Defender if !blocks.is_empty() => Some(Bounds::holds(W::bit(blocks.first()))),
            Turn::Defender if wins.is_several() => Some(Bounds::wins(first_two(wins))),
            _ => None,
        }
    }

    /// What a position that is not obvious seems to be worth, by its potential: below this much the defender holds, by the
    /// theorem of Erdős and Selfridge (1973).
    fn estimate(position: Position<W>, turn: Turn, potential: u32) -> Bounds<W> {
        let enough = match turn {
            Turn::Attacker => ONE / 2,
            Turn::Defender => ONE,
        };
        if potential < enough {
            return Bounds::holds(position.empty);
        }
        Bounds::open(1 + 8 * enough / potential, 1 + 2 * potential / enough)
    }

    /// Brings a position that is not obvious to a proof, or one of its proof numbers to its limit.
    fn search(
        &mut self,
        ground: Ground<W>,
        position: Position<W>,
        turn: Turn,
        limits: [u32; 2],
        budget: &mut Budget,
    ) -> Option<Bounds<W>> {
        let mut room = self.rooms.pop().unwrap_or_else(Room::new);
        let found = self.search_in(&mut room, ground, position, turn, limits, budget);
        self.rooms.push(room);
        found
    }

    /// The same, with its lists in `room`.
    #[allow(
        clippy::too_many_lines,
        reason = "one loop, whose variables belong together"
    )]
    fn search_in(
        &mut self,
        room: &mut Room<W>,
        ground: Ground<W>,
        original: Position<W>,
        turn: Turn,
        [win_limit, hold_limit]: [u32; 2],
        budget: &mut Budget,
    ) -> Option<Bounds<W>> {
        let Room {
            moves,
            children,
            dominated,
        } = room;
        let (lines, symmetries) = ground;
        let before = budget.spent();
        let (position, twins) = self.survey.simplify(lines, original, self.counter);
        let position = if twins.is_empty() {
            position
        } else {
            self.reduced(lines, position)
        };
        // The answers in twins are part of a hold.
        let whole = |bounds: Bounds<W>| {
            if bounds.hold == 0 {
                Bounds {
                    zone: bounds.zone | twins,
                    ..bounds
                }
            } else {
                bounds
            }
        };
        if let Some(bounds) = self.settled(ground, position, original, turn) {
            return Some(self.keep(symmetries, original, turn, whole(bounds), 1));
        }

        let [wins, blocks] = self.threats(lines, position);
        let forced = match turn {
            Turn::Attacker => blocks,
            Turn::Defender => wins,
        };
        self.survey.weigh();
        let potential = self.survey.potential();
        // The moves that are neither answered nor dominated.
        let mut remaining = if forced.is_empty() {
            position.empty
        } else {
            forced
        };
        dominated.clear();
        if forced.is_empty() && !lines.is_exact() {
            self.survey.dominated(remaining, dominated);
            for &(square, _) in &*dominated {
                remaining &= !square;
            }
        }
        moves.clear();
        moves.extend(remaining.squares().map(|index| Move {
            square: W::bit(index),
            site: self.survey.site(index),
        }));
        // The most promising last, to be popped first: what makes two threats at once mostly decides.
        moves.sort_unstable_by_key(|Move { square, site }| {
            let forks = site.follow_ups[turn as usize].is_several();
            (forks, site.weight, !*square)
        });
        // Does a proof for one move say something about the others?
        let zones =
            forced.is_empty() && !lines.is_exact() && (turn == Turn::Attacker || !self.counter);
        let mut zone = W::ZERO;
        children.clear();
        loop {
            let width = WIDTH[turn as usize];
            if turn == Turn::Attacker || children.is_empty() {
                while children.len() < width
                    && let Some(candidate) = moves.pop()
                {
                    if remaining.meets(candidate.square) {
                        budget.spend().ok()?;
                        children.push(
                            self.child(ground, position, turn, &candidate, potential, blocks),
                        );
                    }
                }
            }
            if let Some(child) = children.iter().find(|child| child.bounds.wanted(turn) == 0) {
                let zone = child.bounds.zone | child.square;
                let bounds = match turn {
                    Turn::Attacker => Bounds::wins(zone),
                    Turn::Defender => Bounds::holds(zone),
                };
                return Some(self.keep_both(
                    symmetries,
                    [position, original],
                    turn,
                    bounds,
                    twins,
                    budget.spent() - before,
                ));
            }
            let open = children.len();
            children.retain(|child| {
                if child.bounds.is_proved() && remaining.meets(child.square) {
                    zone |= child.bounds.zone;
                    remaining &= !child.square;
                    if zones {
                        remaining &= child.bounds.zone;
                        dominated.retain(|&(square, _)| child.bounds.zone.meets(square));
                    }
                }
                remaining.meets(child.square)
            });
            if children.len() < open {
                children.retain(|child| remaining.meets(child.square));
                if !remaining.is_empty() {
                    continue;
                }
            }
            if children.is_empty() {
                let bounds = match turn {
                    Turn::Attacker if lines.is_exact() => Bounds::holds(position.empty),
                    Turn::Attacker if !forced.is_empty() => {
                        Bounds::holds(self.secured(lines, position, zone | forced))
                    }
                    Turn::Attacker => {
                        // A dominated square is only worse while the better ones are open.
                        Bounds::holds(
                            dominated
                                .iter()
                                .fold(zone, |zone, &(_, better)| zone | better),
                        )
                    }
                    Turn::Defender => Bounds::wins(
                        dominated
                            .iter()
                            .fold(zone | forced, |zone, &(_, better)| zone | better),
                    ),
                };
                return Some(self.keep_both(
                    symmetries,
                    [position, original],
                    turn,
                    bounds,
                    twins,
                    budget.spent() - before,
                ));
            }

            // Weak proof numbers (Ueda and others 2008): the moves that are left mostly fall together, so only the hardest counts.
            let others = remaining.count().saturating_sub(1);
            let hardest = children
                .iter()
                .map(|child| child.bounds.wanted(turn.other()))
                .max()
                .unwrap_or(0);
            let unwanted = hardest + others;
            let mut best = 0;
            let mut second = NEVER;
            for index in 1..children.len() {
                let wanted = children[index].bounds.wanted(turn);
                let least = children[best].bounds.wanted(turn);
                if wanted < least {
                    (best, second) = (index, least);
                } else {
                    second = second.min(wanted);
                }
            }
            let child = &mut children[best];
            let wanted = child.bounds.wanted(turn);
            let [wanted_limit, unwanted_limit] = match turn {
                Turn::Attacker => [win_limit, hold_limit],
                Turn::Defender => [hold_limit, win_limit],
            };
            if wanted >= wanted_limit || unwanted >= unwanted_limit {
                let bounds = match turn {
                    Turn::Attacker => Bounds::open(wanted, unwanted),
                    Turn::Defender => Bounds::open(unwanted, wanted),
                };
                return Some(self.keep(
                    symmetries,
                    original,
                    turn,
                    bounds,
                    budget.spent() - before,
                ));
            }
            // A little more than the second best, so as not to jump to and fro (Pawlewicz and Lew 2007).
            let wanted_limit = wanted_limit.min(second + second / 4 + 1);
            let unwanted_limit = unwanted_limit - unwanted + child.bounds.wanted(turn.other());
            let limits = match turn {
                Turn::Attacker => [wanted_limit, unwanted_limit],
                Turn::Defender => [unwanted_limit, wanted_limit],
            };
            let after = child.position;
            child.bounds = self.search(ground, after, turn.other(), limits, budget)?;
        }
    }

    /// Whether a position is decided without looking at its moves.
    fn settled(
        &mut self,
        (lines, symmetries): Ground<W>,
        position: Position<W>,
        original: Position<W>,
        turn: Turn,
    ) -> Option<Bounds<W>> {
        if self.survey.is_harmless() {
            return Some(Bounds::holds(W::ZERO));
        }
        if position != original
            && let Some(known) = self.known(symmetries, position, turn)
            && known.is_proved()
        {
            return Some(known);
        }
        if turn == Turn::Defender {
            return None;
        }
        self.windows.clear();
        lines.windows(position.attacker, position.empty, &mut self.windows);
        pairing(&self.windows, position.empty).map(Bounds::holds)
    }

    /// What is known about a position after a move, or seen at once.
    fn child(
        &mut self,
        (lines, symmetries): Ground<W>,
        position: Position<W>,
        turn: Turn,
        Move { square, site }: &Move<W>,
        potential: u32,
        blocks: W,
    ) -> Child<W> {
        let square = *square;
        let after = match turn {
            Turn::Attacker => position.attacked(square),
            Turn::Defender => position.defended(square),
        };
        let position = self.reduced(lines, after);
        let next = turn.other();
        let [wins, counters] = site.follow_ups;
        let unblocked = blocks & !square;
        let bounds = if turn == Turn::Attacker && !unblocked.is_empty() {
            Bounds::holds(W::bit(unblocked.first()))
        } else if turn == Turn::Attacker && wins.is_several() {
            Bounds::wins(first_two(wins))
        } else if turn == Turn::Defender && counters.is_several() {
            Bounds::holds(self.secured(lines, position, first_two(counters)))
        } else if let Some(known) = self.known(symmetries, position, next) {
            known
        } else {
            match turn {
                Turn::Attacker => Self::estimate(position, next, potential + site.potential),
                Turn::Defender => Self::estimate(position, next, potential - site.potential),
            }
        };
        Child {
            square,
            position,
            bounds,
        }
    }

    /// `zone` with so much more that the attacker, to move, could not win at once if all the rest were its own.
    fn secured(&mut self, lines: &Lines<W>, position: Position<W>, mut zone: W) -> W {
        self.windows.clear();
        lines.windows(position.attacker, position.empty, &mut self.windows);
        for &window in &self.windows {
            if !(window & zone).is_several() {
                zone |= window;
            }
        }
        zone
    }

    /// Keeps a proof of the simplified position as well as of the original one.
    fn keep_both(
        &mut self,
        symmetries: &Symmetries<W>,
        [simple, original]: [Position<W>; 2],
        turn: Turn,
        bounds: Bounds<W>,
        twins: W,
        effort: u64,
    ) -> Bounds<W> {
        if simple != original {
            self.keep(symmetries, simple, turn, bounds, effort);
        }
        let zone = if bounds.hold == 0 {
            bounds.zone | twins
        } else {
            bounds.zone
        };
        self.keep(
            symmetries,
            original,
            turn,
            Bounds { zone, ..bounds },
            effort,
        )
    }

    /// Keeps what is known about a position, and so about all that it can be turned into.
    fn keep(
        &mut self,
        symmetries: &Symmetries<W>,
        position: Position<W>,
        turn: Turn,
        bounds: Bounds<W>,
        effort: u64,
    ) -> Bounds<W> {
        let bounds = Bounds {
            effort: u32::try_from(effort).unwrap_or(u32::MAX),
            ..bounds
        };
        let (key, symmetry) = symmetries.canonical(position.key());
        let zone = symmetries.image(symmetry, bounds.zone);
        self.tables[turn as usize].put(key, Bounds { zone, ..bounds });
        bounds
    }

    /// What is known about a position, perhaps from one that it can be turned into.
    fn known(
        &self,
        symmetries: &Symmetries<W>,
        position: Position<W>,
        turn: Turn,
    ) -> Option<Bounds<W>> {
        let (key, symmetry) = symmetries.canonical(position.key());
        let bounds = self.tables[turn as usize].get(key)?;
        let zone = symmetries.preimage(symmetry, bounds.zone);
        Some(Bounds { zone, ..bounds })
    }
}

/// The first two squares of a set.
fn first_two<W: Word>(squares: W) -> W {
    squares & !squares.rest().rest()
}
