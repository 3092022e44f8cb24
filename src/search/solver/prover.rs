//! The questions about a root position, and the rounds in which they are asked.

use std::cmp::Reverse;
use std::slice;
use std::sync::Arc;

use super::Solver;
use super::attack::Attack;
use super::dfpn::Dfpn;
use super::hypergraph::Hypergraph;
use super::position::Position;
use super::symmetry::Symmetries;
use super::windows::Windows;
use super::word::Word;
use crate::game::{Board, Mark, Shape, Square};
use crate::search::{Budget, Score, Spent, Value};

/// The positions that each question gets in the first round.
const FIRST_SHARE: u64 = 256;
/// The search for a win visits more than this many positions in the time in which the search for a
/// hold visits one. So its share is larger by this factor up to [`HOPEFUL`], and smaller above.
const CHEAPER: u64 = 4;
/// A win that is not found in the round with this share is seldom there.
const HOPEFUL: u64 = 1 << 17;
/// The positions that each move gets in the first round of the search for one that keeps a score.
const FIRST_LOOK: u64 = 16;

/// A position whose score is searched for, and what is proved about it. Both arrays are of the side
/// to move and the other side.
struct Root<W> {
    /// The position, with the side to move as the attacker.
    position: Position<W>,
    /// True if the side forces a line, false if it does not, `None` while neither is proved.
    wins: [Option<bool>; 2],
    /// False if the side forces a line in the Maker-Breaker game, which says nothing then.
    breaker: [bool; 2],
    /// The next question of the search for a win: does a side win in so many plies? One that is odd
    /// is about the side to move.
    next: u32,
    /// The plies to the end, when one side wins.
    plies: Option<u32>,
}

impl<W: Word> Root<W> {
    const fn new(position: Position<W>) -> Self {
        Self { position, wins: [None; 2], breaker: [true; 2], next: 1, plies: None }
    }

    /// The position with `side` as the attacker.
    fn against(&self, side: usize) -> Position<W> {
        if side == 0 { self.position } else { self.position.swapped() }
    }

    /// True if value and distance are proved.
    fn is_settled(&self) -> bool {
        self.plies.is_some() || self.wins == [Some(false); 2]
    }

    /// The score as far as it is proved.
    fn score(&self) -> Score {
        let (value, plies) = match self.wins {
            [Some(true), _] => (Value::Win, self.plies),
            [_, Some(true)] => (Value::Loss, self.plies),
            [Some(false), Some(false)] => (Value::Draw, Some(self.position.empty.count())),
            _ => return Score::UNKNOWN,
        };
        Score { value, plies }
    }
}

/// The solver of a shape whose squares fit into a word.
pub struct Prover<W> {
    windows: Windows<W>,
    symmetries: Arc<Symmetries<W>>,
    attack: Attack<W>,
    breaker: Dfpn<W>,
    real: Dfpn<W>,
    hypergraph: Hypergraph<W>,
}

impl<W: Word> Solver for Prover<W> {
    fn best(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Option<(Square, Score)> {
        let mut root = Root::new(position(board, turn)?);
        let candidates = self.ranked(root.position);
        let first = *candidates.first()?;
        let square = |bit: W| board.shape().square(bit.first() as usize);
        budget.prefer(square(first)?);
        if self.is_fresh(root.position) {
            // Strategy stealing (Hales and Jewett 1963): a mark more is never a burden, so that the
            // first player could play a winning strategy of the second itself.
            root.wins[1] = Some(false);
        }
        self.settle(slice::from_mut(&mut root), budget);
        match self.choose(&root, &candidates, budget) {
            Some(chosen) => Some((square(chosen)?, root.score())),
            None => Some((square(first)?, Score::UNKNOWN)),
        }
    }

    fn scores(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Vec<(Square, Score)> {
        let Some(position) = position::<W>(board, turn) else {
            return Vec::new();
        };
        // Symmetric moves have the same score, so that one of them is searched.
        let indices = position.empty.squares();
        let alike = |index| self.symmetries.representative(position, W::bit(index));
        let moves: Vec<(Square, W)> = board.free().zip(indices.map(alike)).collect();
        let mut searched: Vec<W> = moves.iter().map(|&(_, first)| first).collect();
        searched.sort_unstable();
        searched.dedup();
        let wins = self.windows.threats(position.attacker, position.empty);
        let root = |&square: &W| {
            let mut root = Root::new(position.after(square).swapped());
            if wins.meets(square) {
                (root.wins[1], root.plies) = (Some(true), Some(0));
            }
            root
        };
        let mut roots: Vec<Root<W>> = searched.iter().map(root).collect();
        self.settle(&mut roots, budget);
        let scored = moves.into_iter().filter_map(|(square, first)| {
            let Score { value, plies } = roots[searched.binary_search(&first).ok()?].score();
            let plies = plies.map(|plies| plies + 1);
            Some((square, Score { value: value.other(), plies }))
        });
        scored.collect()
    }
}

impl<W: Word> Prover<W> {
    /// A solver for `shape`, whose squares must fit into `W`.
    pub fn new(shape: Shape) -> Self {
        const MIB: usize = 1 << 20;
        let symmetries = Arc::new(Symmetries::new(shape));
        let windows = Windows::new(shape, true);
        Self {
            attack: Attack::new(windows.clone(), symmetries.clone(), 32 * MIB),
            breaker: Dfpn::new(Windows::new(shape, false), symmetries.clone(), 16 * MIB),
            real: Dfpn::new(windows.clone(), symmetries.clone(), 80 * MIB),
            hypergraph: Hypergraph::default(),
            windows,
            symmetries,
        }
    }

    /// Works on all of `roots` in rounds, until they are settled or the budget is spent. A round
    /// with a root that is not settled spends at least one position.
    fn settle(&mut self, roots: &mut [Root<W>], budget: &mut Budget) {
        let mut share = FIRST_SHARE;
        while roots.iter().any(|root| !root.is_settled()) && !budget.is_spent() {
            for root in roots.iter_mut().filter(|root| !root.is_settled()) {
                self.advance(root, share, budget);
            }
            share = share.saturating_mul(2);
        }
    }

    /// Works on the open questions about `root`, on each for `share` positions.
    fn advance(&mut self, root: &mut Root<W>, share: u64, budget: &mut Budget) {
        let hope = if share <= HOPEFUL { share * CHEAPER } else { share / CHEAPER };
        // A share that is spent leaves its question to the next round.
        let _ = budget.at_most(hope, |budget| self.count_up(root, budget));
        for side in 0..2 {
            let position = root.against(side);
            if root.wins[side].is_none() && root.breaker[side] {
                match budget.at_most(share, |part| self.breaker.holds(position, part)) {
                    Ok(true) => root.wins[side] = Some(false),
                    Ok(false) => root.breaker[side] = false,
                    Err(Spent) => {}
                }
            }
            if root.wins[side].is_none() {
                let holds = budget.at_most(share, |part| self.real.holds(position, part));
                root.wins[side] = holds.ok().map(|holds| !holds);
            }
        }
    }

    /// Looks for wins within more and more moves until `root` is settled.
    fn count_up(&mut self, root: &mut Root<W>, budget: &mut Budget) -> Result<(), Spent> {
        let empties = root.position.empty.count();
        while !root.is_settled() {
            let plies = root.next;
            let side = usize::from(plies.is_multiple_of(2));
            if root.wins[side] != Some(false) {
                if self.attack.wins_within(plies.div_ceil(2), root.against(side), budget)? {
                    root.wins[side] = Some(true);
                    root.plies = Some(plies);
                } else if plies + 2 > empties {
                    root.wins[side] = Some(false);
                }
            }
            budget.reach(plies);
            root.next += 1;
        }
        Ok(())
    }

    /// The first of `candidates` that keeps the score of `root`; `None` when the budget ends first,
    /// or nothing is proved.
    fn choose(&mut self, root: &Root<W>, candidates: &[W], budget: &mut Budget) -> Option<W> {
        let score = root.score();
        let moves = score.plies.map(|plies| plies / 2);
        let mut share = FIRST_LOOK;
        loop {
            for &square in candidates {
                let after = root.position.after(square);
                let reply = after.swapped();
                let keeps = match (score.value, moves) {
                    (Value::Unknown, _) => return None,
                    (Value::Win, Some(moves @ 1..)) => {
                        budget.at_most(share, |part| self.attack.wins_within(moves, after, part))
                    }
                    (Value::Win, None) => budget
                        .at_most(share, |part| self.real.holds(after, part))
                        .map(|holds| !holds),
                    // The other side would have to win against a mark more than it could not win
                    // against.
                    (Value::Draw, _) if self.is_fresh(root.position) => Ok(true),
                    (Value::Draw, _) => {
                        let breaker = |part: &mut Budget| self.breaker.holds(reply, part);
                        match budget.at_most(share, breaker) {
                            Ok(true) => Ok(true),
                            _ => budget.at_most(share, |part| self.real.holds(reply, part)),
                        }
                    }
                    (Value::Loss, Some(moves @ 2..)) => budget
                        .at_most(share, |part| self.attack.wins_within(moves - 1, reply, part))
                        .map(|wins| !wins),
                    // The candidates that win at once come first.
                    (Value::Win | Value::Loss, _) => Ok(true),
                };
                if keeps == Ok(true) {
                    return Some(square);
                }
            }
            if budget.is_spent() {
                return None;
            }
            share = share.saturating_mul(2);
        }
    }

    /// The empty squares, the most promising first: those that win, those that block, and then by
    /// the windows through them.
    fn ranked(&mut self, position: Position<W>) -> Vec<W> {
        let (attacker, defender, empty) = (position.attacker, position.defender, position.empty);
        let wins = self.windows.threats(attacker, empty);
        let blocks = self.windows.threats(defender, empty);
        self.hypergraph.collect(&self.windows, position);
        self.hypergraph.weigh();
        let mut ranked: Vec<W> = empty.squares().map(W::bit).collect();
        ranked.sort_by_key(|&square| {
            let weight = self.hypergraph.vertices[square.first() as usize].weight;
            (!wins.meets(square), !blocks.meets(square), Reverse(weight))
        });
        ranked
    }

    /// True if no mark is on the board, and a mark more is never a burden.
    fn is_fresh(&self, position: Position<W>) -> bool {
        (position.attacker | position.defender).is_empty() && !self.windows.exact
    }
}

/// The position of `board`, with `turn` as the attacker; `None` when the game is over.
pub fn position<W: Word>(board: &Board, turn: Mark) -> Option<Position<W>> {
    if board.is_full() || board.has_line() {
        return None;
    }
    let mut position = Position::default();
    for (index, square) in (0..).zip(board.shape().iter()) {
        let set = match board.at(square) {
            None => &mut position.empty,
            Some(mark) if mark == turn => &mut position.attacker,
            Some(_) => &mut position.defender,
        };
        *set |= W::bit(index);
    }
    Some(position)
}
