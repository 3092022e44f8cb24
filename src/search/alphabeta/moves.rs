//! The moves that are looked at, and their order.

use super::Budget;
use super::census::Rank;
use super::field::Cell;
use super::search::{Searcher, WIN};
use super::vcf::Zone;
use crate::search::Spent;

/// Moves looked at where none is forced. With the order as it is, more of them won no match.
pub const WIDTH: usize = 20;
/// Candidates from which those are chosen: more than any position on 15 x 15 has. Boards with thousands of marks have
/// more, and sorting all of those at every node would cost more than it is worth.
const CANDIDATES: usize = 400;
/// Wins in three that are compared for what they have in common: after an open three there are two or three, and each
/// costs a move on the field.
const MOST_COMPARED: usize = 6;
/// How many squares have a history of their own: 64 x 64, in 32 KiB.
pub const HISTORIES: usize = 4_096;
/// What a killer move and the best history add to how promising a move looks, of which 100 are a factor of e in how likely
/// it is played: either makes up for a bad look, none for a missed four.
const KILLER: i32 = 200;
const HISTORY_SHARE: i32 = 16;
const MOST_HISTORY: i32 = 4_096;
/// The most that one cut-off adds to a history, lest one deep search rule the rest.
const MOST_REWARD: i32 = 400;
/// A move and what it looks like.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// The square.
    pub cell: Cell,
    /// The higher, the sooner it is tried.
    pub order: i32,
}

impl Searcher {
    /// The moves to look at; whether every other one is known to be no better than the value returned as the third.
    pub fn moves(
        &mut self,
        side: usize,
        ply: i32,
        budget: &mut Budget,
    ) -> Result<(Vec<Candidate>, bool, i32), Spent> {
        let other = 1 - side;
        let mut zone = Zone::new();
        let threat = if self.field.ranked(other, Rank::OpenFour).is_empty() {
            self.vcf
                .win_in_line(&mut self.field, other, &mut zone, budget)?
        } else {
            self.open_fours(other, &mut zone);
            Some(3)
        };
        let Some(plies) = threat else {
            let cells = self.near(side);
            let complete = cells.len() == self.field.empty() && cells.len() <= WIDTH;
            return Ok((self.candidates(cells, side), complete, -WIN));
        };
        for rank in [Rank::Four, Rank::FourThree, Rank::OpenFour] {
            zone.extend_from_slice(self.field.ranked(side, rank));
        }
        zone.sort_unstable();
        zone.dedup();
        zone.retain(|&cell| self.field.is_empty(cell));
        Ok((
            self.candidates(zone, side),
            true,
            ply + 1 + plies as i32 - WIN,
        ))
    }

    /// Moves of `side` to these cells, with how good they look.
    fn candidates(&self, cells: Vec<Cell>, side: usize) -> Vec<Candidate> {
        let candidate = |cell| Candidate {
            cell,
            order: self.looks(cell, side),
        };
        cells.into_iter().map(candidate).collect()
    }

    /// The squares that every win in three of `side` depends on.
    fn open_fours(&mut self, side: usize, zone: &mut Zone) {
        for (at, four) in self
            .field
            .ranked(side, Rank::OpenFour)
            .to_vec()
            .into_iter()
            .take(MOST_COMPARED)
            .enumerate()
        {
            self.field.place(four, side);
            let needs = |cell: &Cell| *cell == four || self.field.rank(*cell, side) == Rank::Five;
            if at == 0 {
                zone.push(four);
                zone.extend_from_slice(self.field.ranked(side, Rank::Five));
            } else {
                zone.retain(needs);
            }
            self.field.unplace(four, side);
        }
    }

    /// The squares that matter to either side, the best ranks first and no more than [`CANDIDATES`] or so; on a board
    /// without marks that in the centre.
    pub fn near(&self, side: usize) -> Vec<Cell> {
        let field = &self.field;
        let shape = field.shape();
        if field.empty() == shape.squares() {
            return vec![
                Cell::from(shape.rows() / 2) * Cell::from(shape.cols())
                    + Cell::from(shape.cols() / 2),
            ];
        }
        let mut cells = Vec::with_capacity(64);
        for &rank in Rank::ALL.iter().rev() {
            if rank < Rank::Weak && !cells.is_empty()
                || cells.len() >= CANDIDATES
                || rank == Rank::Dead
            {
                break;
            }
            let room = CANDIDATES - cells.len();
            let mine = field
                .ranked(side, rank)
                .iter()
                .filter(|&&cell| field.rank(cell, 1 - side) <= rank);
            cells.extend(mine.take(room));
            let room = CANDIDATES - cells.len();
            let theirs = field
                .ranked(1 - side, rank)
                .iter()
                .filter(|&&cell| field.rank(cell, side) < rank);
            cells.extend(theirs.take(room));
        }
        if cells.is_empty() {
            cells.extend(field.some_far());
        }
        cells
    }

    /// How promising a move looks: what it makes, and what it takes from the other side.
    pub fn looks(&self, cell: Cell, side: usize) -> i32 {
        self.field.appeal(cell, side)
    }

    pub fn order(&self, moves: &mut [Candidate], side: usize, ply: usize, best: Option<Cell>) {
        let killers = self.killers[ply];
        for candidate in moves.iter_mut() {
            let cell = candidate.cell;
            candidate.order = if best == Some(cell) {
                i32::MAX
            } else {
                let killer = if killers.contains(&cell) { KILLER } else { 0 };
                let history = self.history[cell as usize % HISTORIES][side] / HISTORY_SHARE;
                candidate.order + killer + history
            };
        }
        moves.sort_unstable_by_key(|candidate| (-candidate.order, candidate.cell));
    }

    pub fn reward(&mut self, cell: Cell, side: usize, depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
        let history = &mut self.history[cell as usize % HISTORIES][side];
        *history += depth.max(0).pow(2).min(MOST_REWARD) * (MOST_HISTORY - *history) / MOST_HISTORY;
    }
}
