//! Wins by continuous fours: every move makes a four, so every answer is forced, and the tree hardly branches.
//!
//! Threat-space search (Allis, van den Herik and Huntjens 1993), kept sound by playing the forced answers out: a four
//! or a five that the defender gets by them counts. What a found win depends on is its relevance zone (Thomsen's
//! lambda search, 2000; Wu and Lin, 2010): a defender who plays none of its squares and makes no four loses to it.

#![allow(
    clippy::cast_possible_truncation,
    reason = "squares, plies and packed fields are far below 2^31"
)]

use super::Budget;
use super::census::Rank;
use super::field::{Cell, Field};
use crate::search::Spent;

/// The squares that a win depends on.
pub type Zone = Vec<Cell>;

/// Positions from which a row of fours of some length was searched for in vain, and what a search may still spend.
pub struct Vcf {
    failed: Vec<u64>,
    /// Distinguishes this search from those before it.
    age: u64,
    /// Positions left to the search under way.
    allowance: u32,
    /// Whether its fours have to be in line with each other.
    in_line: bool,
}

/// 2^16 entries of 8 bytes, direct-mapped: about what one search of 200,000 positions fills.
const ENTRIES: usize = 1 << 16;
/// An entry holds how many fours were tried in its lowest bits, the age above them, and the rest of the key.
const LENGTH_BITS: u32 = 6;
const AGE_BITS: u32 = 10;
/// The longest row of fours that is looked for; also what fits the entry.
pub const MOST_FOURS: u32 = (1 << LENGTH_BITS) - 1;
/// Makes the keys of the two attackers differ.
const ATTACKER: [u64; 2] = [0, 0x5851_f42d_4c95_7f2d];

/// What a search in the tree may visit: with fours in line few visit more.
const IN_LINE: u32 = 100;
/// How long the rows of fours are that it looks for.
const IN_LINE_LENGTH: u32 = 16;

/// Makes the keys of a search for fours in line, before its first one, differ from those of a search for all.
const IN_LINE_ALONE: u64 = 0x9e6c_63d0_876a_3f6b;

/// Makes the keys of positions differ by the four that was played last.
const fn after(four: Cell) -> u64 {
    (four as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Vcf {
    /// Nothing known yet; the memory is claimed by the first search.
    pub const fn new() -> Self {
        Self {
            failed: Vec::new(),
            age: 0,
            allowance: 0,
            in_line: false,
        }
    }

    /// Forgets all that failed, at no cost.
    pub fn forget(&mut self) {
        self.age = (self.age + 1) % (1 << AGE_BITS);
        if self.failed.is_empty() || self.age == 0 {
            self.failed.clear();
            self.failed.resize(ENTRIES, 0);
            self.age = 1;
        }
    }

    /// How many moves `side`, who is to move, needs to win by at most `fours` fours, visiting at most `allowance`
    /// positions. `None` if no such win was found. The squares that the win
    /// depends on are added to `zone`, its first move last.
    pub fn win(
        &mut self,
        field: &mut Field,
        side: usize,
        fours: u32,
        allowance: u32,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        (self.allowance, self.in_line) = (allowance, false);
        self.attack(field, side, fours, None, zone, budget)
    }

    /// The same, but each four is in line with the one before it or makes an open three too. Where fours have nothing to
    /// do with each other, trying them in every order would take most of a search, and hardly ever wins.
    pub fn win_in_line(
        &mut self,
        field: &mut Field,
        side: usize,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        (self.allowance, self.in_line) = (IN_LINE, true);
        self.attack(field, side, IN_LINE_LENGTH, None, zone, budget)
    }

    /// Whether the last search went over its allowance, so that it may have missed a win.
    pub const fn gave_up(&self) -> bool {
        self.allowance == 0
    }

    fn attack(
        &mut self,
        field: &mut Field,
        side: usize,
        fours: u32,
        last: Option<Cell>,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        let other = 1 - side;
        if let Some(&five) = field.ranked(side, Rank::Five).first() {
            zone.push(five);
            return Ok(Some(1));
        }
        let forced = match *field.ranked(other, Rank::Five) {
            [] => None,
            [five] => Some(five),
            _ => return Ok(None),
        };
        let attacks = |rank| field.ranked(side, rank).len();
        if fours == 0
            || attacks(Rank::OpenFour) + attacks(Rank::FourThree) + attacks(Rank::Four) == 0
        {
            return Ok(None);
        }
        // In vain after one four is not in vain after another.
        let last = last.filter(|_| self.in_line);
        let restriction = match last {
            Some(last) => after(last),
            None if self.in_line => IN_LINE_ALONE,
            None => 0,
        };
        let key = field.hash() ^ ATTACKER[side] ^ restriction;
        if self.allowance == 0 || self.has_failed(key, fours) {
            return Ok(None);
        }
        let moves: Vec<Cell> = match forced {
            Some(five) if field.rank(five, side) >= Rank::Four => vec![five],
            Some(_) => return Ok(None),
            None if attacks(Rank::OpenFour) > 0 => field.ranked(side, Rank::OpenFour)[..1].to_vec(),
            None if fours == 1 => return Ok(None),
            None => {
                let mut moves = field.ranked(side, Rank::FourThree).to_vec();
                match last {
                    Some(last) => field.fours_around(last, side, |cell| {
                        if !moves.contains(&cell) {
                            moves.push(cell);
                        }
                    }),
                    None => moves.extend_from_slice(field.ranked(side, Rank::Four)),
                }
                moves
            }
        };
        for four in moves {
            self.allowance = self.allowance.saturating_sub(1);
            field.pay(budget)?;
            field.place(four, side);
            let won = self.answer(field, side, fours, four, zone, budget);
            field.unplace(four, side);
            if let Some(plies) = won? {
                zone.push(four);
                return Ok(Some(plies + 1));
            }
        }
        // A search that ran out of its allowance has not seen everything.
        if self.allowance > 0 {
            self.note_failed(key, fours);
        }
        Ok(None)
    }

    /// The same with the other side to move, which has to answer a four.
    fn answer(
        &mut self,
        field: &mut Field,
        side: usize,
        fours: u32,
        four: Cell,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        let other = 1 - side;
        let cost = match *field.ranked(side, Rank::Five) {
            [] => return Ok(None),
            [cost] => cost,
            [..] => {
                zone.extend_from_slice(field.ranked(side, Rank::Five));
                return Ok(Some(2));
            }
        };
        field.place(cost, other);
        let won = self.attack(field, side, fours - 1, Some(four), zone, budget);
        if let Ok(Some(_)) = won {
            zone.push(cost);
            // One more mark of the defender there would have made a four of this answer.
            field.fours_around(cost, other, |cell| zone.push(cell));
        }
        field.unplace(cost, other);
        Ok(won?.map(|plies| plies + 1))
    }

    fn has_failed(&self, key: u64, fours: u32) -> bool {
        let entry = self.failed[Self::slot(key)];
        entry >> LENGTH_BITS == self.tag(key) && entry & u64::from(MOST_FOURS) >= u64::from(fours)
    }

    fn note_failed(&mut self, key: u64, fours: u32) {
        self.failed[Self::slot(key)] = self.tag(key) << LENGTH_BITS | u64::from(fours);
    }

    fn tag(&self, key: u64) -> u64 {
        key >> (LENGTH_BITS + AGE_BITS) << AGE_BITS | self.age
    }

    const fn slot(key: u64) -> usize {
        key as usize % ENTRIES
    }
}
