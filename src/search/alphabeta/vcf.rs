//! VCF search: victory by continuous fours. Every move of the attacker makes a four, so that every
//! answer is forced and the tree hardly branches.
//!
//! Unlike threat-space search (Allis, van den Herik and Huntjens 1993), it plays every forced
//! answer, so that a four or a five which the defender gets by one counts. A win comes with its
//! relevance zone (Thomsen, lambda search, 2000; Wu and Lin 2010): a defender who plays none of its
//! squares and makes no four loses to it.

use super::Budget;
use super::census::Rank;
use super::field::{Cell, Field};
use crate::search::Spent;

/// A relevance zone: the squares that a win depends on.
pub type Zone = Vec<Cell>;

/// A VCF searcher, with a hash table of the positions from which no VCF of some length was found.
pub struct Vcf {
    failed: Vec<u64>,
    /// The number of the position that is searched: entries of another age count as none.
    age: u64,
    /// The fours that the search under way may still try. This limit is no budget: once it is 0,
    /// moves that win at once are still found, and the search around this one goes on.
    fours_left: u32,
    /// True where each four must be in line with the one before it.
    in_line: bool,
}

/// The entries of the hash table, of 8 bytes and direct-mapped: about as many as one search of
/// 200,000 positions fills.
const ENTRIES: usize = 1 << 16;
/// An entry holds the length that was searched in its lowest bits, the age above, and a part of the
/// key.
const LENGTH_BITS: u32 = 6;
const AGE_BITS: u32 = 10;
/// The longest VCF in fours: as many as fit an entry.
pub const MOST_FOURS: u32 = (1 << LENGTH_BITS) - 1;
/// Key of the attacker.
const ATTACKER: [u64; 2] = [0, 0x5851_f42d_4c95_7f2d];

/// The fours that a VCF search in the tree may try: with fours in line few searches need more.
const IN_LINE_TRIES: u32 = 100;
/// The longest VCF in the tree, in fours.
const IN_LINE_LENGTH: u32 = 16;
/// Key of a search for fours in line before its first four.
const IN_LINE_ALONE: u64 = 0x9e6c_63d0_876a_3f6b;

/// Key of the last four, with which the next one must be in line.
const fn after(four: Cell) -> u64 {
    (four as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Vcf {
    /// A searcher without memory, which [`forget`](Self::forget) claims.
    pub const fn new() -> Self {
        Self { failed: Vec::new(), age: 0, fours_left: 0, in_line: false }
    }

    /// Forgets all positions, mostly at no cost.
    pub fn forget(&mut self) {
        self.age = (self.age + 1) % (1 << AGE_BITS);
        if self.failed.is_empty() || self.age == 0 {
            self.failed.clear();
            self.failed.resize(ENTRIES, 0);
            self.age = 1;
        }
    }

    /// Looks for a win of `side`, who is to move, by at most `fours` fours, and tries about `tries`
    /// of them in all. Returns the moves until the win and adds its relevance zone to `zone`, the
    /// first move last. `None` says that no such win was found.
    pub fn win(
        &mut self,
        field: &mut Field,
        side: usize,
        fours: u32,
        tries: u32,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        (self.fours_left, self.in_line) = (tries, false);
        self.attack(field, side, fours, None, zone, budget)
    }

    /// Looks for a win like [`win`](Self::win), but each four is in line with the one before it or
    /// makes an open three too. This misses few wins: fours that have nothing to do with each other
    /// hardly ever win, and trying them in every order would take most of a search.
    pub fn win_in_line(
        &mut self,
        field: &mut Field,
        side: usize,
        zone: &mut Zone,
        budget: &mut Budget,
    ) -> Result<Option<u32>, Spent> {
        (self.fours_left, self.in_line) = (IN_LINE_TRIES, true);
        self.attack(field, side, IN_LINE_LENGTH, None, zone, budget)
    }

    /// True if the last search had no fours left to try, so that it may have missed a win.
    pub const fn gave_up(&self) -> bool {
        self.fours_left == 0
    }

    /// Searches with the attacker `side` to move, after its four on `last`.
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
        // With fours in line a position that failed after one four may win after another.
        let last = last.filter(|_| self.in_line);
        let restriction = match last {
            Some(last) => after(last),
            None if self.in_line => IN_LINE_ALONE,
            None => 0,
        };
        let key = field.hash() ^ ATTACKER[side] ^ restriction;
        if self.fours_left == 0 || self.has_failed(key, fours) {
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
            self.fours_left = self.fours_left.saturating_sub(1);
            field.pay(budget)?;
            field.place(four, side);
            let won = self.answer(field, side, fours, four, zone, budget);
            field.unplace(four, side);
            if let Some(plies) = won? {
                zone.push(four);
                return Ok(Some(plies + 1));
            }
        }
        // A search that ran out of fours has not seen everything.
        if self.fours_left > 0 {
            self.note_failed(key, fours);
        }
        Ok(None)
    }

    /// Plays the defender's forced answer to the `four` and searches on.
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
            // One more mark of the defender on one of these would have made a four of this answer.
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
