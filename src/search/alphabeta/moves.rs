//! The moves of a position that are searched, and their order.

use super::census::Rank;
use super::field::Cell;
use super::search::WIN;
use super::vcf::Zone;
use super::{AlphaBeta, Budget};
use crate::game::Square;
use crate::search::Spent;

/// The most moves that are searched where none is forced. A win by a move that ranks lower is
/// missed. With the order as it is, more moves won no match.
pub const WIDTH: usize = 20;
/// The most candidates from which those are chosen: more than any position on 15 x 15 has. Boards
/// with thousands of marks have more, and sorting all of them at every node would cost too much.
const CANDIDATES: usize = 400;
/// The most open fours that are compared for a relevance zone: after an open three there are two or
/// three, and each costs a move on the field.
const MOST_COMPARED: usize = 6;
/// The number of history entries a side: one for each square of 64 x 64, in 32 KiB.
pub const HISTORIES: usize = 4_096;
/// The bonus of a killer move in the order, where 100 is a factor of e in how likely a move is
/// played. It makes up for a bad look, as does the best history, but not for a missed four.
const KILLER: i32 = 200;
/// The history that counts as much as 1 in the order.
const HISTORY_SHARE: i32 = 16;
/// The limit that a history approaches.
const MOST_HISTORY: i32 = 4_096;
/// The most that one cut-off adds to a history, lest one deep search rule the rest.
const MOST_REWARD: i32 = 400;

/// The moves of a position that are searched.
pub struct Moves {
    /// The squares of the moves, in no order.
    pub cells: Vec<Cell>,
    /// True if no other move is better than `elsewhere`, so that nothing is lost.
    pub complete: bool,
    /// The value of every other move, at most, where they are complete: those outside a relevance
    /// zone lose. Without a zone it is `-WIN`.
    pub elsewhere: i32,
}

impl AlphaBeta {
    /// The moves of `side`, who is to move. Where the other side threatens to win by an open four
    /// or a VCF, they are the relevance zone of that win and the fours of `side`.
    pub(super) fn moves(&mut self, side: usize, budget: &mut Budget) -> Result<Moves, Spent> {
        let other = 1 - side;
        let threat = if self.field.ranked(other, Rank::OpenFour).is_empty() {
            self.vcf_in_line(other, budget)?
                .map(|plies| (plies, std::mem::take(&mut self.vcf.zone)))
        } else {
            Some((3, self.open_fours(other)))
        };
        let (cells, complete, elsewhere) = if let Some((plies, mut zone)) = threat {
            for rank in [Rank::Four, Rank::FourThree, Rank::OpenFour] {
                zone.extend_from_slice(self.field.ranked(side, rank));
            }
            zone.sort_unstable();
            zone.dedup();
            zone.retain(|&cell| self.field.is_empty(cell));
            (zone, true, (self.field.placed() as u32 + 1 + plies) as i32 - WIN)
        } else {
            let cells = self.near(side);
            let complete = cells.len() == self.field.empty() && cells.len() <= WIDTH;
            (cells, complete, -WIN)
        };
        Ok(Moves { cells, complete, elsewhere })
    }

    /// The squares that every win of `side` by an open four depends on.
    fn open_fours(&mut self, side: usize) -> Zone {
        let mut zone = Zone::new();
        let fours = self.field.ranked(side, Rank::OpenFour).to_vec();
        for (at, four) in fours.into_iter().take(MOST_COMPARED).enumerate() {
            self.field.place(four, side);
            if at == 0 {
                zone.push(four);
                zone.extend_from_slice(self.field.ranked(side, Rank::Five));
            } else {
                let needs = |cell| cell == four || self.field.rank(cell, side) == Rank::Five;
                zone.retain(|&cell| needs(cell));
            }
            self.field.unplace(four, side);
        }
        zone
    }

    /// The squares that matter to either side, the best ranks first, [`CANDIDATES`] at most. On a
    /// board without marks it is the centre.
    pub(super) fn near(&self, side: usize) -> Vec<Cell> {
        let field = &self.field;
        let shape = field.shape();
        if field.empty() == shape.squares() {
            return vec![field.cell(Square { row: shape.rows() / 2, col: shape.cols() / 2 })];
        }
        let mut cells = Vec::with_capacity(64);
        for &rank in Rank::ALL[Rank::Alive as usize..].iter().rev() {
            if rank < Rank::Weak && !cells.is_empty() || cells.len() >= CANDIDATES {
                break;
            }
            for own in [side, 1 - side] {
                let is_best = |cell: &&Cell| {
                    let other = field.rank(**cell, 1 - own);
                    other < rank || other == rank && own == side
                };
                let room = CANDIDATES - cells.len();
                cells.extend(field.ranked(own, rank).iter().filter(is_best).take(room));
            }
        }
        if cells.is_empty() {
            cells.extend(field.some_far());
        }
        cells
    }

    /// Sorts moves: the `best` of an earlier search first, the others by pattern, killers and
    /// history.
    pub(super) fn order(&self, moves: &[Cell], side: usize, best: Option<Cell>) -> Vec<Cell> {
        let killers = self.killers[self.field.placed()];
        let key = |&cell: &Cell| {
            if best == Some(cell) {
                return (-i32::MAX, cell);
            }
            let killer = if killers.contains(&cell) { KILLER } else { 0 };
            let history = self.history[cell as usize % HISTORIES][side] / HISTORY_SHARE;
            (-(self.field.appeal(cell, side) + killer + history), cell)
        };
        let mut keys: Vec<_> = moves.iter().map(key).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, cell)| cell).collect()
    }

    /// Makes the move of a cut-off a killer, and adds to its history.
    pub(super) fn reward(&mut self, cell: Cell, side: usize, depth: i32) {
        let killers = &mut self.killers[self.field.placed()];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
        let history = &mut self.history[cell as usize % HISTORIES][side];
        *history += depth.max(0).pow(2).min(MOST_REWARD) * (MOST_HISTORY - *history) / MOST_HISTORY;
    }
}
