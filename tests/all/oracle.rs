//! Oracles: code too simple to be wrong, that the rules and the players are held against, and the
//! random numbers of the tests.
//!
//! The unit tests of `src` can include this file: the rooms that it names are below `crate` there
//! and here.

use std::collections::HashMap;

use crate::game::{Board, Mark, Square};
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
