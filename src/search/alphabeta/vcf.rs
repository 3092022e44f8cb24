//! VCF search: victory by continuous fours. Every move of the attacker makes a four, so that every
//! answer is forced and the tree hardly branches.
//!
//! Unlike threat-space search (Allis, van den Herik and Huntjens 1993), it plays every forced
//! answer, so that a four or a five which the defender gets by one counts. A win comes with its
//! relevance zone (Thomsen, lambda search, 2000; Wu and Lin 2010): a defender who plays none of its
//! squares and makes no four loses to it.

use super::census::Rank;
use super::field::Cell;
use super::{AlphaBeta, Budget};
use crate::search::Spent;

/// A relevance zone: the squares that a win depends on.
pub type Zone = Vec<Cell>;

/// The result of a VCF search: the moves until the win, or `None` where no win was found.
pub type Won = Result<Option<u32>, Spent>;

/// The state of VCF searches, with a hash table of the positions from which no VCF of some length
/// was found.
#[derive(Default)]
pub struct Vcf {
    failed: Vec<u64>,
    /// The number of the position that is searched: entries of another age count as none.
    age: u64,
    /// The fours that the search under way may still try. This limit is no budget: once it is 0,
    /// moves that win at once are still found, and the search around this one goes on.
    fours_left: u32,
    /// True where each four must be in line with the one before it.
    in_line: bool,
    /// The relevance zone of the win that was found last, with its first move at the end.
    pub zone: Zone,
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

impl Vcf {
    /// Forgets all positions, mostly at no cost. The first time it claims the memory.
    pub fn forget(&mut self) {
        self.age = (self.age + 1) % (1 << AGE_BITS);
        if self.failed.is_empty() || self.age == 0 {
            self.failed = vec![0; ENTRIES];
            self.age = 1;
        }
    }

    /// True if the last search had no fours left to try, so that it may have missed a win.
    pub const fn gave_up(&self) -> bool {
        self.fours_left == 0
    }

    fn has_failed(&self, key: u64, fours: u32) -> bool {
        let entry = self.failed[key as usize % ENTRIES];
        entry >> LENGTH_BITS == self.tag(key) && entry & u64::from(MOST_FOURS) >= u64::from(fours)
    }

    fn note_failed(&mut self, key: u64, fours: u32) {
        self.failed[key as usize % ENTRIES] = self.tag(key) << LENGTH_BITS | u64::from(fours);
    }

    fn tag(&self, key: u64) -> u64 {
        key >> (LENGTH_BITS + AGE_BITS) << AGE_BITS | self.age
    }
}

impl AlphaBeta {
    /// Looks for a win of `side`, who is to move, by at most `fours` fours, and tries about `tries`
    /// of them in all.
    pub(super) fn vcf(&mut self, side: usize, fours: u32, tries: u32, budget: &mut Budget) -> Won {
        (self.vcf.fours_left, self.vcf.in_line) = (tries, false);
        self.vcf.zone.clear();
        self.attack(side, fours, None, budget)
    }

    /// Looks for a win like [`vcf`](Self::vcf), but each four is in line with the one before it or
    /// makes an open three too. This misses few wins: fours that have nothing to do with each other
    /// hardly ever win, and trying them in every order would take most of a search.
    pub(super) fn vcf_in_line(&mut self, side: usize, budget: &mut Budget) -> Won {
        (self.vcf.fours_left, self.vcf.in_line) = (IN_LINE_TRIES, true);
        self.vcf.zone.clear();
        self.attack(side, IN_LINE_LENGTH, None, budget)
    }

    /// Searches with the attacker `side` to move, after its four on `last`.
    fn attack(&mut self, side: usize, fours: u32, last: Option<Cell>, budget: &mut Budget) -> Won {
        let (field, vcf) = (&self.field, &mut self.vcf);
        if let Some(&five) = field.ranked(side, Rank::Five).first() {
            vcf.zone.push(five);
            return Ok(Some(1));
        }
        let forced = match *field.ranked(1 - side, Rank::Five) {
            [] => None,
            [five] => Some(five),
            _ => return Ok(None),
        };
        let [open, three, closed] =
            [Rank::OpenFour, Rank::FourThree, Rank::Four].map(|rank| field.ranked(side, rank));
        if fours == 0 || open.len() + three.len() + closed.len() == 0 {
            return Ok(None);
        }
        // With fours in line a position that failed after one four may win after another.
        let last = last.filter(|_| vcf.in_line);
        let restriction = match last {
            // Key of the last four, with which the next one must be in line.
            Some(last) => (u64::from(last) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            None if vcf.in_line => IN_LINE_ALONE,
            None => 0,
        };
        let key = field.hash ^ ATTACKER[side] ^ restriction;
        if vcf.fours_left == 0 || vcf.has_failed(key, fours) {
            return Ok(None);
        }
        let moves = match (forced, last) {
            (Some(five), _) if field.rank(five, side) >= Rank::Four => vec![five],
            (Some(_), _) => return Ok(None),
            (None, _) if !open.is_empty() => open[..1].to_vec(),
            (None, _) if fours == 1 => return Ok(None),
            (None, None) => [three, closed].concat(),
            (None, Some(last)) => {
                let mut moves = three.to_vec();
                field.fours_around(last, side, |cell| {
                    if !moves.contains(&cell) {
                        moves.push(cell);
                    }
                });
                moves
            }
        };
        for four in moves {
            self.vcf.fours_left = self.vcf.fours_left.saturating_sub(1);
            self.field.pay(budget)?;
            self.field.place(four, side);
            let won = self.answer(side, fours, four, budget);
            self.field.unplace(four, side);
            if let Some(plies) = won? {
                self.vcf.zone.push(four);
                return Ok(Some(plies + 1));
            }
        }
        // A search that ran out of fours has not seen everything.
        if !self.vcf.gave_up() {
            self.vcf.note_failed(key, fours);
        }
        Ok(None)
    }

    /// Plays the defender's forced answer to the `four` and searches on.
    fn answer(&mut self, side: usize, fours: u32, four: Cell, budget: &mut Budget) -> Won {
        let other = 1 - side;
        let cost = match self.field.ranked(side, Rank::Five) {
            [] => return Ok(None),
            &[cost] => cost,
            costs => {
                self.vcf.zone.extend_from_slice(costs);
                return Ok(Some(2));
            }
        };
        self.field.place(cost, other);
        let won = self.attack(side, fours - 1, Some(four), budget);
        if let Ok(Some(_)) = won {
            self.vcf.zone.push(cost);
            // One more mark of the defender on one of these would have made a four of this answer.
            self.field.fours_around(cost, other, |cell| self.vcf.zone.push(cell));
        }
        self.field.unplace(cost, other);
        Ok(won?.map(|plies| plies + 1))
    }
}
