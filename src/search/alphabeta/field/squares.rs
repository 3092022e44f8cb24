//! The squares in reach of a mark with their patterns, the lists of them by rank, and the undo log.

use super::super::census::{Census, Rank};
use super::super::patterns::{EMPTY, Pair};
use super::Cell;

/// A square with its patterns, in one cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct Point {
    pub cell: Cell,
    /// The mark, as the patterns code it.
    pub code: u8,
    /// True if every square in reach has a point.
    pub surrounded: bool,
    /// The rank for each side. While the square is taken, rank and summary stay as they were
    /// before.
    pub rank: [Rank; 2],
    pub summary: Summary,
    pub pairs: [Pair; 4],
    /// The neighbourhood in each direction, as the key to the memo; unused without one.
    pub neighbours: [u32; 4],
}

/// The four lines through an empty square taken together, for each side.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Summary {
    pub census: [Census; 2],
    pub evaluation: [i32; 2],
    /// The place of the square in the list of its rank.
    pub slot: [u32; 2],
}

/// An entry of the undo log: a square in line with a new mark, as it was before.
struct Change {
    point: u32,
    direction: u8,
    rank: [Rank; 2],
    neighbours: u32,
    pair: Pair,
    summary: Summary,
}

/// The squares near marks, and on small boards all squares. A square without a point is empty and
/// has no mark in reach.
#[derive(Default)]
pub struct Squares {
    /// The number of each square's point, or 0. The system hands out zeroed memory only as it is
    /// touched.
    pub numbers: Vec<u32>,
    /// The points; the first stands for all squares that have none of their own.
    pub points: Vec<Point>,
    /// The empty squares by side and rank, in no order.
    pub lists: [[Vec<Cell>; Rank::ALL.len()]; 2],
    /// The sums of the evaluation terms.
    pub evaluation: [i32; 2],
    /// The number of empty squares, with a point or not.
    pub empty: usize,
    /// The undo log of the marks since the set-up.
    changes: Vec<Change>,
    /// The place in the log where each mark begins.
    pub begins: Vec<usize>,
}

impl Squares {
    /// An empty board of `squares`.
    pub fn new(squares: usize) -> Self {
        let mut all = Self { numbers: vec![0; squares], ..Self::default() };
        all.clear();
        all
    }

    /// Empties the board, at a cost linear in the points.
    pub fn clear(&mut self) {
        for point in self.points.drain(..) {
            self.numbers[point.cell as usize] = 0;
        }
        self.points.push(Point { rank: [Rank::Alive; 2], ..Point::default() });
        self.lists.iter_mut().flatten().for_each(Vec::clear);
        (self.evaluation, self.empty) = ([0; 2], self.numbers.len());
        self.changes.clear();
        self.begins.clear();
    }

    /// The point of a square, or the one that stands for it.
    pub fn at(&self, at: usize) -> &Point {
        &self.points[self.numbers[at] as usize]
    }

    /// The number of a square's point, or 0.
    pub fn number(&self, at: usize) -> usize {
        self.numbers[at] as usize
    }

    /// Adds the point of a square that has none, not yet listed, and returns its number.
    pub fn add(&mut self, point: Point) -> usize {
        let number = self.points.len();
        self.numbers[point.cell as usize] = number as u32;
        self.points.push(point);
        number
    }

    /// Computes the summary of an empty square, and lists it.
    pub fn list_new(&mut self, number: usize) {
        for side in 0..2 {
            let point = &mut self.points[number];
            let census = Census::of(point.pairs.map(|pair| pair.side(side)));
            let evaluation = census.evaluation();
            (point.summary.census[side], point.summary.evaluation[side]) = (census, evaluation);
            self.evaluation[side] += evaluation;
            self.list(number, side, census.rank());
        }
    }

    /// Puts a mark on a square. Calls of [`change`](Self::change) follow for the squares in line.
    pub fn take(&mut self, number: usize, code: u8) {
        for side in 0..2 {
            self.unlist(number, side);
            self.evaluation[side] -= self.points[number].summary.evaluation[side];
        }
        self.points[number].code = code;
        self.empty -= 1;
        self.begins.push(self.changes.len());
    }

    /// Replaces the pattern of an empty square in one direction.
    pub fn change(&mut self, number: usize, direction: usize, neighbours: u32, pair: Pair) {
        let point = &mut self.points[number];
        let old = point.pairs[direction];
        if old == pair && neighbours == point.neighbours[direction] {
            return;
        }
        self.changes.push(Change {
            point: number as u32,
            direction: direction as u8,
            rank: point.rank,
            neighbours: point.neighbours[direction],
            pair: old,
            summary: point.summary,
        });
        point.neighbours[direction] = neighbours;
        point.pairs[direction] = pair;
        if old == pair {
            return;
        }
        for side in 0..2 {
            let (old, new) = (old.side(side), pair.side(side));
            if old == new {
                continue;
            }
            let point = &mut self.points[number];
            let before = point.summary.census[side];
            let census = before.with(old, new);
            point.summary.census[side] = census;
            let support_only = census.differs_in_support_only(before);
            let change = if support_only {
                census.support_term() - before.support_term()
            } else {
                census.evaluation() - point.summary.evaluation[side]
            };
            point.summary.evaluation[side] += change;
            self.evaluation[side] += change;
            if !support_only && census.rank() != point.rank[side] {
                self.unlist(number, side);
                self.list(number, side, census.rank());
            }
        }
    }

    /// Takes the newest mark back, with all its changes. The lists get their old order too, apart
    /// from points that were added meanwhile.
    pub fn untake(&mut self, number: usize) {
        let begin = self.begins.pop().unwrap_or_default();
        while self.changes.len() > begin
            && let Some(change) = self.changes.pop()
        {
            let number = change.point as usize;
            let point = &mut self.points[number];
            let direction = usize::from(change.direction);
            point.neighbours[direction] = change.neighbours;
            if point.pairs[direction] == change.pair {
                continue;
            }
            point.pairs[direction] = change.pair;
            let now = std::mem::replace(&mut point.summary.evaluation, change.summary.evaluation);
            point.summary.census = change.summary.census;
            for side in (0..2).rev() {
                self.evaluation[side] += change.summary.evaluation[side] - now[side];
                if change.rank[side] != self.points[number].rank[side] {
                    self.unlist(number, side);
                    self.points[number].rank[side] = change.rank[side];
                    self.points[number].summary.slot[side] = change.summary.slot[side];
                    self.relist(number, side);
                }
            }
        }
        for side in (0..2).rev() {
            self.relist(number, side);
            self.evaluation[side] += self.points[number].summary.evaluation[side];
        }
        self.points[number].code = EMPTY;
        self.empty += 1;
    }

    fn list(&mut self, number: usize, side: usize, rank: Rank) {
        let list = &mut self.lists[side][rank as usize];
        let point = &mut self.points[number];
        (point.rank[side], point.summary.slot[side]) = (rank, list.len() as u32);
        list.push(point.cell);
    }

    fn unlist(&mut self, number: usize, side: usize) {
        let point = &self.points[number];
        let slot = point.summary.slot[side];
        let list = &mut self.lists[side][point.rank[side] as usize];
        list.swap_remove(slot as usize);
        if let Some(&moved) = list.get(slot as usize) {
            let moved = self.numbers[moved as usize];
            self.points[moved as usize].summary.slot[side] = slot;
        }
    }

    /// Lists a square in its old slot and moves the one there to the end: undoes
    /// [`unlist`](Self::unlist).
    fn relist(&mut self, number: usize, side: usize) {
        let point = &self.points[number];
        let (cell, slot) = (point.cell, point.summary.slot[side] as usize);
        let list = &mut self.lists[side][point.rank[side] as usize];
        let end = list.len();
        list.push(cell);
        if slot < end {
            list.swap(slot, end);
            let moved = self.numbers[list[end] as usize];
            self.points[moved as usize].summary.slot[side] = end as u32;
        }
    }
}
