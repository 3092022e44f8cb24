//! A plain bounded search for boards that cannot be solved.
//!
//! Iterative deepening with alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning",
//! 1975) in the negamax form. A position is worth what its moves gained on the way there: each
//! move gains what it adds to the mover's open lines and takes from the opponent's.

use super::Budget;
use crate::board::{Board, Mark, Square};

/// How far from a mark a move is looked at: further away it hardly takes part in anything.
const NEAR: i32 = 2;

/// How far from a square its lines are read, so that a gain costs the same whatever k is.
const FAR: i32 = 5;

/// The most moves looked at in a position: those that gain most.
const MOST_MOVES: usize = 20;

/// The most squares that are kept in view from the start, on a board with many marks.
const MOST_NEAR: usize = 200;

/// No sum of gains comes near a won game.
const WIN: i64 = 1 << 40;

/// The move for `turn` that the search likes best within the budget: `None` on a full board.
#[must_use]
pub fn best(board: &Board, turn: Mark, budget: &mut Budget<'_>) -> Option<Square> {
    let mut search = Search {
        board: board.clone(),
        near: near_squares(board),
        budget,
    };
    let mut moves = search.moves(turn, MOST_NEAR);
    search.near = moves.iter().map(|(square, _)| *square).collect();
    moves.truncate(MOST_MOVES);
    let free = board.shape().squares() - board.marks();
    for depth in 1..=u32::try_from(free).unwrap_or(u32::MAX) {
        let Some(value) = search.deepen(&mut moves, turn, depth) else {
            break;
        };
        // A won game needs no deeper look, and a lost one is not helped by it.
        if value.abs() >= WIN {
            break;
        }
    }
    moves
        .first()
        .map(|(square, _)| *square)
        .or_else(|| board.free().next())
}

/// The empty squares that are near a mark, or the middle of an empty board.
fn near_squares(board: &Board) -> Vec<Square> {
    let shape = board.shape();
    if board.marks() == 0 {
        let middle = Square {
            row: shape.rows() / 2,
            col: shape.cols() / 2,
        };
        return vec![middle];
    }
    let is_near = |square: &Square| {
        (-NEAR..=NEAR)
            .flat_map(|down| (-NEAR..=NEAR).map(move |right| (down, right)))
            .any(|step| offset(*square, step).is_some_and(|near| board.at(near).is_some()))
    };
    board.free().filter(is_near).collect()
}

fn offset(square: Square, (down, right): (i32, i32)) -> Option<Square> {
    Some(Square {
        row: u16::try_from(i32::from(square.row) + down).ok()?,
        col: u16::try_from(i32::from(square.col) + right).ok()?,
    })
}

struct Search<'a, 'b> {
    board: Board,
    /// Where moves are looked for; some may be taken by now.
    near: Vec<Square>,
    budget: &'a mut Budget<'b>,
}

impl Search<'_, '_> {
    /// Searches to this depth, puts the best move first, and returns its value. `None` when the
    /// budget is spent.
    fn deepen(&mut self, moves: &mut [(Square, i64)], turn: Mark, depth: u32) -> Option<i64> {
        let (mut best, mut alpha) = (0, -2 * WIN);
        for (index, &(square, gain)) in moves.iter().enumerate() {
            let value = self.value(square, gain, turn, depth, (alpha, 2 * WIN), 0)?;
            if value > alpha {
                (best, alpha) = (index, value);
            }
        }
        moves.get_mut(..=best)?.rotate_right(1);
        Some(alpha)
    }

    /// What a move is worth for `turn` when `depth` moves are made, this one included, where the
    /// moves before it have gained `balance`. Exact between the bounds.
    fn value(
        &mut self,
        square: Square,
        gain: i64,
        turn: Mark,
        depth: u32,
        (alpha, beta): (i64, i64),
        balance: i64,
    ) -> Option<i64> {
        self.budget.spend()?;
        if gain >= WIN {
            return Some(WIN + i64::from(depth));
        }
        if depth <= 1 {
            return Some(balance + gain);
        }
        self.board.place(square, turn).ok()?;
        let known = self.near.len();
        self.widen(square);
        let reply = self.reply(turn.other(), depth - 1, (-beta, -alpha), -(balance + gain));
        self.near.truncate(known);
        self.board.unplace(square);
        reply.map(|value| -value)
    }

    /// The best that `turn` can get from here.
    fn reply(
        &mut self,
        turn: Mark,
        depth: u32,
        (mut alpha, beta): (i64, i64),
        balance: i64,
    ) -> Option<i64> {
        let moves = self.moves(turn, MOST_MOVES);
        if moves.is_empty() {
            return Some(balance);
        }
        for (square, gain) in moves {
            alpha = alpha.max(self.value(square, gain, turn, depth, (alpha, beta), balance)?);
            if alpha >= beta {
                break;
            }
        }
        Some(alpha)
    }

    /// Makes moves near `square` known.
    fn widen(&mut self, square: Square) {
        for down in -NEAR..=NEAR {
            for right in -NEAR..=NEAR {
                if let Some(near) = offset(square, (down, right))
                    && self.board.shape().contains(near)
                    && self.board.at(near).is_none()
                    && !self.near.contains(&near)
                {
                    self.near.push(near);
                }
            }
        }
    }

    /// The moves that gain most for `turn`, best first, `most` at the most.
    fn moves(&self, turn: Mark, most: usize) -> Vec<(Square, i64)> {
        let free = self
            .near
            .iter()
            .filter(|square| self.board.at(**square).is_none());
        let mut moves: Vec<_> = free
            .map(|&square| (square, self.gain(square, turn)))
            .collect();
        moves.sort_by_key(|(_, gain)| -gain);
        moves.truncate(most);
        moves
    }

    /// What a mark of `turn` on an empty square adds to its own lines and takes from the other's.
    fn gain(&self, square: Square, turn: Mark) -> i64 {
        if self.board.would_complete(square, turn) {
            return WIN;
        }
        let blocks = self.board.would_complete(square, turn.other());
        let block = if blocks { WIN / 4 } else { 0 };
        let ways = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let shape = |way, mark| self.open_line(square, way, mark);
        block
            + ways
                .iter()
                .map(|way| 2 * shape(*way, turn) + shape(*way, turn.other()))
                .sum::<i64>()
    }

    /// Four to the power of the marks of `mark` near `square` in one direction, with nobody else's
    /// between; nothing where no line fits there any more.
    fn open_line(&self, square: Square, (down, right): (i32, i32), mark: Mark) -> i64 {
        let shape = self.board.shape();
        let far = FAR.min(i32::from(shape.k()) - 1);
        let (mut room, mut marks) = (1, 0_u32);
        for sign in [1, -1] {
            for n in 1..=far {
                let step = (sign * n * down, sign * n * right);
                let Some(at) = offset(square, step).filter(|at| shape.contains(*at)) else {
                    break;
                };
                match self.board.at(at) {
                    Some(other) if other != mark => break,
                    Some(_) => marks += 1,
                    None => {}
                }
                room += 1;
            }
        }
        if room > far { 4_i64.pow(marks) } else { 0 }
    }
}
