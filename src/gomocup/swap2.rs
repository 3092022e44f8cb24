//! The swap2 opening: one side puts three marks, the other chooses its side or adds two, and then
//! the first one chooses.

use super::request::{Point, RequestError};
use super::{Engine, OWN, THEIRS};
use crate::game::{Board, Mark};
use crate::player::Best;
use crate::search::Budget;

/// The three marks that open a game. They stand near a corner, and either side won four of eight
/// games that `best` played from there against itself.
const OPENING: &str = "2,2 3,3 3,1";

/// The positions for each move of [`outlook`]: a second or less for a game of some forty moves.
const OUTLOOK_NODES: u64 = 4000;

impl Engine {
    /// Opens a game, or chooses a side of the listed opening. The board stays as it is: the manager
    /// sends it afterwards.
    pub(super) fn swap2(&mut self) -> Result<String, RequestError> {
        // The side to move is the own one, unless it swaps. It put the second mark.
        let mut mark = OWN;
        let expected = RequestError::Expected("x,y");
        let (board, asked) = self.list(&expected, |whose| {
            mark = mark.other();
            whose.is_none().then_some(mark)
        })?;
        match board.marks() {
            0 => return Ok(OPENING.to_owned()),
            3 | 5 => {}
            marks => return Err(RequestError::Swap2(marks)),
        }
        let Self { input, time, best, .. } = self;
        let response = time.run(input, asked, |budget| {
            let winner = budget.eighths(4, |budget| outlook(best, board.clone(), budget));
            if winner == Some(THEIRS) {
                return Some("SWAP".to_owned());
            }
            let choice = best.choose_on(&board, OWN, budget)?;
            Some(Point::from(choice.square).to_string())
        });
        response.ok_or(RequestError::Full)
    }
}

/// Plays a game to its end with shallow searches and returns the winner: `None` for a draw, or
/// where the budget ends first.
fn outlook(best: &mut Best, mut board: Board, budget: &mut Budget<'_>) -> Option<Mark> {
    let mut turn = OWN;
    while budget.check().is_ok() {
        let choice = budget.at_most(OUTLOOK_NODES, |part| best.choose_on(&board, turn, part))?;
        if board.place(choice.square, turn).ok()?.is_some() {
            return Some(turn);
        }
        turn = turn.other();
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::game::{Shape, Square};

    #[test]
    fn a_game_played_on_shows_who_is_ahead() {
        // Four in a row with both ends open win, whoever moves.
        for mark in [OWN, THEIRS] {
            let mut board = Board::new(Shape::new(15, 15, 5).unwrap());
            for col in 4..8 {
                board.place(Square { row: 7, col }, mark).unwrap();
            }
            let mut best = Best::within(0);
            let mut budget = Budget::nodes(10_000);
            let winner = outlook(&mut best, board.clone(), &mut budget);
            assert_eq!(winner, Some(mark));
            let stopped = |_| true;
            let mut budget = Budget::nodes(10_000).watched_by(&stopped);
            assert_eq!(outlook(&mut best, board, &mut budget), None);
        }
    }
}
