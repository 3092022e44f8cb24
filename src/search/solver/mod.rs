//! The exact solver: win, draw or loss with the shortest distance, proved, on boards of up to 128 squares.
//!
//! A value is never searched for. Three kinds of yes-or-no questions are, in turn, each with a share of the budget that
//! doubles from round to round: does a side force a line within n moves (`attack`, n = 1, 2, 3 …, which gives the
//! distance), does the other side hold for ever in the Maker-Breaker game, and does it in the real game (`hold`).
//! A win is proved when n is reached, a draw when both sides hold.

mod attack;
mod dfpn;
mod hypergraph;
mod pairing;
mod position;
mod symmetry;
mod table;
mod windows;
mod word;

use self::attack::{Attack, Reach};
use self::dfpn::{Hold, Turn};
use self::hypergraph::Survey;
use self::position::Position;
use self::symmetry::Symmetries;
use self::windows::Lines;
use self::word::Word;
use super::{Budget, Score, Value};
use crate::game::{Board, Mark, Shape, Square};

/// Proves what positions of one shape are worth. What it finds out is kept for the next question.
pub struct Solver(Width);

/// The solver by the word that its board needs.
enum Width {
    Narrow(Box<Prover<u64>>),
    Wide(Box<Prover<u128>>),
}

impl Solver {
    /// A solver for `shape`; `None` where the board has more than 128 squares, and where exactly one in a row wins: there
    /// a mark can take a line away.
    ///
    /// It takes microseconds and some kilobytes; its tables grow with use, to 128 MiB in all.
    #[must_use]
    pub fn new(shape: Shape) -> Option<Self> {
        if shape.is_exact() && shape.k() == 1 {
            return None;
        }
        let squares = u32::try_from(shape.squares()).ok()?;
        Some(Self(if squares <= u64::BITS {
            Width::Narrow(Box::new(Prover::new(shape)))
        } else if squares <= u128::BITS {
            Width::Wide(Box::new(Prover::new(shape)))
        } else {
            return None;
        }))
    }

    /// The best square for `turn` and what it is worth: the value, and the plies, are there when they are proved. Where
    /// nothing is, the square is only one that does not lose soon. `None` when the game is over.
    ///
    /// `board` must have the shape that the solver was made for.
    pub fn best(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget,
    ) -> Option<(Square, Score)> {
        match &mut self.0 {
            Width::Narrow(solver) => solver.best(board, turn, budget),
            Width::Wide(solver) => solver.best(board, turn, budget),
        }
    }

    /// What it is worth for `turn` to play there, for every empty square in row order; plies count that move.
    pub fn scores(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget,
    ) -> Vec<(Square, Score)> {
        match &mut self.0 {
            Width::Narrow(solver) => solver.scores(board, turn, budget),
            Width::Wide(solver) => solver.scores(board, turn, budget),
        }
    }
}

/// How many positions a question gets in the first round.
const FIRST_SHARE: u64 = 256;
/// A search for a win visits so many positions while a search for a hold visits one, and takes less time for it.
const CHEAPER: u64 = 4;
/// Up to this share; a win that is not found by then is seldom there, and from here on it is the other way round.
const HOPEFUL: u64 = 1 << 17;

/// How many positions a move gets at first when one is looked for that keeps a proved value.
const FIRST_LOOK: u64 = 16;

/// What is known about whether one side can force a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Force {
    Open,
    Never,
    /// Some day.
    Always,
}

/// A position whose worth is being looked for, and how far that has come.
struct Inquiry<W> {
    /// The side to move is the attacker here.
    position: Position<W>,
    /// Whether the side to move, and the other side, can force a line.
    force: [Force; 2],
    /// Whether the Maker-Breaker game is still of use against each.
    breaker: [bool; 2],
    /// The number of moves within which it is to be looked for next, and by which side.
    next: (u32, usize),
    /// The plies to the end, when one side wins.
    plies: Option<u32>,
}

impl<W: Word> Inquiry<W> {
    const fn new(position: Position<W>) -> Self {
        Self {
            position,
            force: [Force::Open; 2],
            breaker: [true; 2],
            next: (1, 0),
            plies: None,
        }
    }

    /// The position with `side` as the attacker, and who is to move.
    fn against(&self, side: usize) -> (Position<W>, Turn) {
        if side == 0 {
            (self.position, Turn::Attacker)
        } else {
            (self.position.swapped(), Turn::Defender)
        }
    }

    /// Whether there is nothing left to find out.
    fn is_settled(&self) -> bool {
        self.plies.is_some() || self.force == [Force::Never; 2]
    }

    /// What is known by now.
    fn score(&self) -> Score {
        match self.force {
            [Force::Always, _] => Score {
                value: Value::Win,
                plies: self.plies,
            },
            [_, Force::Always] => Score {
                value: Value::Loss,
                plies: self.plies,
            },
            [Force::Never, Force::Never] => Score {
                value: Value::Draw,
                plies: Some(self.position.empty.count()),
            },
            _ => Score::UNKNOWN,
        }
    }
}

/// What a search goes by: the windows of the board, and its turns and reflections, under which a proof stays one.
type Ground<'a, W> = (&'a Lines<W>, &'a Symmetries<W>);

struct Prover<W> {
    shape: Shape,
    lines: Lines<W>,
    /// The lines of the Maker-Breaker game, in which a longer run always wins: more for the attacker, so a hold is a hold.
    breaker_lines: Lines<W>,
    symmetries: Symmetries<W>,
    attack: Attack<W>,
    breaker: Hold<W>,
    hold: Hold<W>,
    survey: Survey<W>,
}

impl<W: Word> Prover<W> {
    fn new(shape: Shape) -> Self {
        const MIB: usize = 1 << 20;
        Self {
            shape,
            lines: Lines::new(shape, shape.is_exact()),
            breaker_lines: Lines::new(shape, false),
            symmetries: Symmetries::new(shape),
            attack: Attack::new(32 * MIB),
            breaker: Hold::new(false, 16 * MIB),
            hold: Hold::new(true, 80 * MIB),
            survey: Survey::new(),
        }
    }

    fn best(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Option<(Square, Score)> {
        let position = self.position(board, turn);
        if self.is_over(position) {
            return None;
        }
        let candidates = self.ranked(position);
        budget.prefer(self.square(*candidates.first()?));
        let mut inquiry = Inquiry::new(position);
        if self.is_fresh(position) {
            // Strategy stealing (Hales and Jewett 1963): with the first move in hand, and a further mark never being a
            // burden, whoever moves first could play the second player's winning strategy itself.
            inquiry.force[1] = Force::Never;
        }
        let mut share = FIRST_SHARE;
        while !inquiry.is_settled() && !budget.is_spent() {
            self.advance(&mut inquiry, share, budget);
            share = share.saturating_mul(2);
        }
        let score = inquiry.score();
        let (square, score) = match self.choose(&inquiry, &candidates, budget) {
            Some(square) => (square, score),
            None => (*candidates.first()?, Score::UNKNOWN),
        };
        Some((self.square(square), score))
    }

    fn scores(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Vec<(Square, Score)> {
        let position = self.position(board, turn);
        if self.is_over(position) {
            return Vec::new();
        }
        let wins = self.lines.threats(position.attacker, position.empty);
        let original = |index: u32| {
            self.symmetries
                .representative(position, W::bit(index))
                .first()
        };
        let mut open: Vec<(u32, Inquiry<W>)> = position
            .empty
            .squares()
            .filter(|&index| original(index) == index && !wins.meets(W::bit(index)))
            .map(|index| {
                (
                    index,
                    Inquiry::new(position.attacked(W::bit(index)).swapped()),
                )
            })
            .collect();
        let originals: Vec<u32> = position.empty.squares().map(original).collect();
        let mut share = FIRST_SHARE;
        while open.iter().any(|(_, inquiry)| !inquiry.is_settled()) && !budget.is_spent() {
            for (_, inquiry) in open.iter_mut().filter(|(_, inquiry)| !inquiry.is_settled()) {
                self.advance(inquiry, share, budget);
            }
            share = share.saturating_mul(2);
        }
        position
            .empty
            .squares()
            .zip(originals)
            .map(|(index, original)| {
                let known = open.iter().find(|&&(square, _)| square == original);
                let score = known.map_or(
                    Score {
                        value: Value::Win,
                        plies: Some(1),
                    },
                    |(_, reply)| before(reply.score()),
                );
                (self.square(W::bit(index)), score)
            })
            .collect()
    }

    /// Works on the questions that are open, each for `share` positions.
    fn advance(&mut self, inquiry: &mut Inquiry<W>, share: u64, budget: &mut Budget) {
        let hope = if share <= HOPEFUL {
            share * CHEAPER
        } else {
            share / CHEAPER
        };
        budget.at_most(hope, |budget| self.count_down(inquiry, budget));
        for side in 0..2 {
            let (position, turn) = inquiry.against(side);
            if inquiry.force[side] == Force::Open && inquiry.breaker[side] {
                match self.breaks(position, turn, share, budget) {
                    Some(true) => inquiry.force[side] = Force::Never,
                    Some(false) => inquiry.breaker[side] = false,
                    None => {}
                }
            }
            if inquiry.force[side] == Force::Open {
                match budget.at_most(share, |budget| {
                    self.hold
                        .holds((&self.lines, &self.symmetries), position, turn, budget)
                }) {
                    Some(true) => inquiry.force[side] = Force::Never,
                    Some(false) => inquiry.force[side] = Force::Always,
                    None => {}
                }
            }
        }
    }

    /// Looks for wins within more and more moves. `None` when the budget ends before everything is known.
    fn count_down(&mut self, inquiry: &mut Inquiry<W>, budget: &mut Budget) -> Option<()> {
        let empties = inquiry.position.empty.count();
        while !inquiry.is_settled() {
            let (moves, side) = inquiry.next;
            let (position, turn) = inquiry.against(side);
            let plies = if side == 0 { 2 * moves - 1 } else { 2 * moves };
            if inquiry.force[side] != Force::Never {
                let reach = match turn {
                    Turn::Attacker => self.attack.attack(
                        (&self.lines, &self.symmetries),
                        position,
                        moves,
                        budget,
                    )?,
                    Turn::Defender => self.attack.defend(
                        (&self.lines, &self.symmetries),
                        position,
                        moves,
                        budget,
                    )?,
                };
                // The side to move has one more move where the number of empty squares is odd.
                let most = if side == 0 {
                    empties.div_ceil(2)
                } else {
                    empties / 2
                };
                if reach != Reach::Holds {
                    inquiry.force[side] = Force::Always;
                    inquiry.plies = Some(plies);
                } else if moves >= most {
                    inquiry.force[side] = Force::Never;
                }
            }
            budget.reach(plies);
            inquiry.next = if side == 0 {
                (moves, 1)
            } else {
                (moves + 1, 0)
            };
        }
        Some(())
    }

    /// Whether the defender holds in the Maker-Breaker game, looked for with `share` positions.
    fn breaks(
        &mut self,
        position: Position<W>,
        turn: Turn,
        share: u64,
        budget: &mut Budget,
    ) -> Option<bool> {
        // An overlong run, which the real game may have, would be a line there.
        if self.breaker_lines.has_line(position.attacker) {
            return Some(false);
        }
        budget.at_most(share, |budget| {
            self.breaker.holds(
                (&self.breaker_lines, &self.symmetries),
                position,
                turn,
                budget,
            )
        })
    }

    /// The first of `candidates` that keeps what `inquiry` has proved; `None` when the budget ends first, or nothing is.
    fn choose(&mut self, inquiry: &Inquiry<W>, candidates: &[W], budget: &mut Budget) -> Option<W> {
        let score = inquiry.score();
        let moves = score.plies.map(|plies| plies / 2);
        let mut share = FIRST_LOOK;
        loop {
            for &square in candidates {
                let after = inquiry.position.attacked(square);
                let reply = after.swapped();
                let keeps = match (score.value, moves) {
                    (Value::Win, Some(0)) => Some(
                        self.lines
                            .threats(inquiry.position.attacker, inquiry.position.empty)
                            .meets(square),
                    ),
                    (Value::Win, Some(moves)) => budget.at_most(share, |budget| {
                        self.attack
                            .defend((&self.lines, &self.symmetries), after, moves, budget)
                            .map(|reach| reach != Reach::Holds)
                    }),
                    (Value::Win, None) => budget.at_most(share, |budget| {
                        self.hold
                            .holds(
                                (&self.lines, &self.symmetries),
                                after,
                                Turn::Defender,
                                budget,
                            )
                            .map(|holds| !holds)
                    }),
                    // The other side would have to win against a mark more than it could not win against.
                    (Value::Draw, _) if self.is_fresh(inquiry.position) => Some(true),
                    (Value::Draw, _) => match self.breaks(reply, Turn::Attacker, share, budget) {
                        Some(true) => Some(true),
                        _ => budget.at_most(share, |budget| {
                            self.hold.holds(
                                (&self.lines, &self.symmetries),
                                reply,
                                Turn::Attacker,
                                budget,
                            )
                        }),
                    },
                    (Value::Loss, Some(moves @ 2..)) => budget.at_most(share, |budget| {
                        self.attack
                            .attack((&self.lines, &self.symmetries), reply, moves - 1, budget)
                            .map(|reach| reach == Reach::Holds)
                    }),
                    (Value::Loss, _) => Some(true),
                    (Value::Unknown, _) => None,
                };
                if keeps == Some(true) {
                    return Some(square);
                }
            }
            if budget.is_spent() || score.value == Value::Unknown {
                return None;
            }
            share = share.saturating_mul(2);
        }
    }

    /// The empty squares, the most promising first: those that win, those that block, and then by the windows through them.
    fn ranked(&mut self, position: Position<W>) -> Vec<W> {
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        let wins = self.lines.threats(attacker, empty);
        let blocks = self.lines.threats(defender, empty);
        let weights = self.survey.weights(&self.lines, position);
        let mut ranked: Vec<u32> = empty.squares().collect();
        ranked.sort_by_key(|&index| {
            let bit = W::bit(index);
            (
                !wins.meets(bit),
                !blocks.meets(bit),
                std::cmp::Reverse(weights.get(index as usize).copied()),
            )
        });
        ranked.into_iter().map(W::bit).collect()
    }

    /// Whether no mark has been made, on a board where a further mark is never a burden.
    fn is_fresh(&self, position: Position<W>) -> bool {
        (position.attacker | position.defender).is_empty() && !self.lines.is_exact()
    }

    /// Whether the game has ended.
    fn is_over(&self, position: Position<W>) -> bool {
        position.empty.is_empty()
            || self.lines.has_line(position.attacker)
            || self.lines.has_line(position.defender)
    }

    /// `board` with `turn` as the attacker.
    fn position(&self, board: &Board, turn: Mark) -> Position<W> {
        let mut position = Position {
            attacker: W::ZERO,
            defender: W::ZERO,
            empty: W::ZERO,
        };
        for (index, square) in (0..W::BITS).zip(self.shape.iter()) {
            let set = match board.at(square) {
                None => &mut position.empty,
                Some(mark) if mark == turn => &mut position.attacker,
                Some(_) => &mut position.defender,
            };
            *set |= W::bit(index);
        }
        position
    }

    /// The square of `bit`.
    fn square(&self, bit: W) -> Square {
        // At most 128 squares, so that the index fits.
        let index = u16::try_from(bit.first()).unwrap_or_default();
        let cols = self.shape.cols();
        Square {
            row: index / cols,
            col: index % cols,
        }
    }
}

/// What a move is worth to its side when the answer to it is worth `reply`.
fn before(reply: Score) -> Score {
    Score {
        value: reply.value.other(),
        plies: reply.plies.map(|plies| plies + 1),
    }
}
