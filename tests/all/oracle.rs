//! Oracles: code too simple to be wrong, that the rules and the players are held against, and the
//! random numbers of the tests.
//!
//! The unit tests of `src` can include this file: the rooms that it names are below `crate` there
//! and here.

use std::collections::HashMap;

use crate::game::{Board, Game, Mark, Shape, Square};
use crate::search::{Score, Value};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A generator of random numbers, which follow from its seed.
pub struct Dice(Pcg64Mcg);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Returns a number from 0 to less than `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % end as u64).expect("less than a usize")
    }

    /// Returns a shape of one of these sizes: rows, columns and k. One in three has the rule of
    /// exactly k.
    pub fn shape(&mut self, sizes: &[(u64, u64, u64)]) -> Shape {
        let (rows, cols, k) = sizes[self.below(sizes.len())];
        Shape::new(rows, cols, k).expect("a shape").with_exact(self.below(3) == 0)
    }

    /// Plays a game of `moves` random moves that is not over. A move that would end it is taken
    /// back.
    pub fn game(&mut self, shape: Shape, moves: usize) -> Game {
        let mut game = Game::new(shape);
        for _ in 0..moves {
            let free: Vec<Square> = game.board().free().collect();
            game.play(free[self.below(free.len())]).expect("an empty square");
            if game.outcome().is_some() {
                game.undo(1).expect("a move");
            }
        }
        game
    }
}

/// A board as a map, whose lines are looked up anew each time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slow {
    pub shape: Shape,
    pub marks: HashMap<Square, Mark>,
}

impl Slow {
    /// Copies a board.
    pub fn of(board: &Board) -> Self {
        let shape = board.shape();
        let mark = |square| Some((square, board.at(square)?));
        Self { shape, marks: shape.iter().filter_map(mark).collect() }
    }

    fn at(&self, row: i32, col: i32) -> Option<Mark> {
        let square = Square { row: row.try_into().ok()?, col: col.try_into().ok()? };
        self.marks.get(&square).copied()
    }

    /// Lists the runs of one mark that cannot be made longer, with their owners.
    fn runs(&self) -> Vec<(Mark, Vec<Square>)> {
        let mut runs = Vec::new();
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            for square in self.shape.iter() {
                let (row, col) = (i32::from(square.row), i32::from(square.col));
                let Some(mark) = self.at(row, col) else {
                    continue;
                };
                if self.at(row - down, col - right) == Some(mark) {
                    continue;
                }
                let same = |n: &i32| self.at(row + n * down, col + n * right) == Some(mark);
                let squares = (0..).take_while(same).map(|n| Square {
                    row: (row + n * down).try_into().unwrap(),
                    col: (col + n * right).try_into().unwrap(),
                });
                runs.push((mark, squares.collect()));
            }
        }
        runs
    }

    /// Lists the lines with their owners: by direction, then by their first squares in board order.
    pub fn lines(&self) -> Vec<(Mark, Vec<Square>)> {
        let k = usize::from(self.shape.k());
        let exact = self.shape.is_exact();
        let is_line = |len: usize| if exact { len == k } else { len >= k };
        self.runs().into_iter().filter(|(_, run)| is_line(run.len())).collect()
    }

    /// Tells whether a mark has a line.
    pub fn has_line(&self, mark: Mark) -> bool {
        self.lines().iter().any(|(owner, _)| *owner == mark)
    }

    /// Counts the squares of a mark.
    pub fn count(&self, mark: Mark) -> usize {
        self.marks.values().filter(|own| **own == mark).count()
    }
}

/// Tells whether a claim agrees with the truth, as far as it goes.
pub fn is_true(claim: Score, truth: Score) -> bool {
    (claim.value == Value::Unknown || claim.value == truth.value)
        && (claim.plies.is_none() || claim.plies == truth.plies)
}

/// The textbook search: every move to the end of the game, nothing cut off.
#[derive(Default)]
pub struct Textbook {
    known: HashMap<String, Score>,
    /// The number of positions that `search` entered, those with a line left out.
    pub entered: u64,
}

impl Textbook {
    /// Orders scores from the worst to the best: late losses and early wins are better.
    pub fn rank(score: Score) -> (i8, i64) {
        let plies = i64::from(score.plies.expect("the textbook knows everything"));
        match score.value {
            Value::Win => (1, -plies),
            Value::Draw => (0, 0),
            Value::Loss => (-1, plies),
            Value::Unknown => unreachable!("the textbook knows everything"),
        }
    }

    /// Returns the best of these scores: a draw where there is none.
    pub fn best_of(scores: &[(Square, Score)]) -> Score {
        let scores = scores.iter().map(|(_, score)| *score);
        let full = Score { value: Value::Draw, plies: Some(0) };
        scores.max_by_key(|score| Self::rank(*score)).unwrap_or(full)
    }

    /// Scores a position for `turn`, and remembers nothing.
    pub fn search(&mut self, board: &mut Board, turn: Mark) -> Score {
        self.entered += 1;
        Self::best_of(&self.scores_by(board, turn, Self::search))
    }

    /// Scores each empty square for `turn`, and remembers positions.
    pub fn scores(&mut self, board: &mut Board, turn: Mark) -> Vec<(Square, Score)> {
        self.scores_by(board, turn, Self::score)
    }

    fn score(&mut self, board: &mut Board, turn: Mark) -> Score {
        let key = format!("{:?} {turn} {board:?}", board.shape());
        if let Some(score) = self.known.get(&key) {
            return *score;
        }
        let score = Self::best_of(&self.scores(board, turn));
        self.known.insert(key, score);
        score
    }

    fn scores_by(
        &mut self,
        board: &mut Board,
        turn: Mark,
        score: fn(&mut Self, &mut Board, Mark) -> Score,
    ) -> Vec<(Square, Score)> {
        let free: Vec<Square> = board.free().collect();
        let of_move = |square: Square| {
            let completes = board.place(square, turn).expect("an empty square").is_some();
            let of_move = if completes {
                Score { value: Value::Win, plies: Some(1) }
            } else {
                let Score { value, plies } = score(self, board, turn.other());
                Score { value: value.other(), plies: plies.map(|plies| plies + 1) }
            };
            board.unplace(square);
            (square, of_move)
        };
        free.into_iter().map(of_move).collect()
    }
}
