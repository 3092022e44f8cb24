//! The alpha-beta search against the solver, which knows the truth on boards of moderate size.

use noughts::game::{Board, Game, Mark, Outcome, Shape, Square};
use noughts::search::alphabeta::AlphaBeta;
use noughts::search::solver::solver_for;
use noughts::search::{Budget, Score, Value};

use crate::oracle::Dice;

/// Sizes on which the solver decides a position with some marks in no time.
const SIZES: [(u64, u64, u64); 10] = [
    (3, 6, 3),
    (4, 4, 3),
    (4, 5, 4),
    (5, 5, 4),
    (6, 6, 4),
    (5, 5, 5),
    (6, 6, 5),
    (5, 7, 5),
    (6, 6, 6),
    (2, 11, 4),
];
/// The positions that the solver needs for nearly all boards of these sizes.
const ENOUGH: u64 = 20_000;

/// A random game that is not over, on a board of one of the sizes. A move that would end it is
/// taken back. One board in three has the rule of exactly k.
fn any_game(dice: &mut Dice) -> Game {
    let (rows, cols, k) = SIZES[dice.below(SIZES.len())];
    let shape = Shape::new(rows, cols, k).unwrap();
    let exact = dice.below(3) == 0;
    let mut game = Game::new(shape.with_exact(exact));
    let marks = shape.squares() / 4 + dice.below(shape.squares() / 3);
    for _ in 0..marks {
        let free: Vec<Square> = game.board().free().collect();
        game.play(free[dice.below(free.len())]).unwrap();
        if game.outcome().is_some() {
            game.undo(1).unwrap();
        }
    }
    game
}

#[test]
fn the_solver_confirms_what_the_search_proves() {
    let mut dice = Dice::new(5);
    let mut proofs = [0; 3];
    for _ in 0..100 {
        let game = any_game(&mut dice);
        let (board, shape) = (game.board(), game.board().shape());
        let (mut searcher, mut solver) = (AlphaBeta::new(shape), solver_for(shape).unwrap());
        // Whose turn it is does not follow from the marks here: both sides are asked.
        for turn in [Mark::X, Mark::O] {
            let budget = &mut Budget::nodes(ENOUGH);
            let (_, truth) = solver.best(board, turn, budget).unwrap();
            if truth.value == Value::Unknown {
                continue;
            }
            for nodes in [300, 3_000] {
                let budget = &mut Budget::nodes(nodes);
                let (square, score) = searcher.best(board, turn, budget).unwrap();
                if score.value == Value::Unknown {
                    continue;
                }
                assert_eq!(score.value, truth.value, "{board:?} {turn} {square}");
                assert!(
                    score.plies.is_none() || score.plies == truth.plies,
                    "{board:?} {turn} {square} {score:?} {truth:?}"
                );
                proofs[score.value as usize] += 1;
                let truths = solver.scores(board, turn, &mut Budget::nodes(ENOUGH));
                let (_, of_move) = truths.iter().find(|(own, _)| *own == square).unwrap();
                let undecided = of_move.value == Value::Unknown;
                assert!(undecided || of_move.value == truth.value, "{board:?} {turn} {square}");
            }
        }
    }
    // The search proves a draw only where nobody can complete a line.
    let [wins, _, losses] = proofs;
    assert!(wins > 20 && losses > 20, "{proofs:?}");
}

#[test]
fn the_search_never_loses_a_draw_to_the_solver() {
    let mut dice = Dice::new(6);
    let mut games = 0;
    while games < 20 {
        let mut game = any_game(&mut dice);
        let shape = game.board().shape();
        let (mut searcher, mut solver) = (AlphaBeta::new(shape), solver_for(shape).unwrap());
        let turn = game.turn().unwrap();
        let budget = &mut Budget::nodes(ENOUGH);
        let (_, truth) = solver.best(game.board(), turn, budget).unwrap();
        if truth.value != Value::Draw {
            continue;
        }
        games += 1;
        let searcher_has = Mark::after(games);
        while let Some(turn) = game.turn() {
            let found = if turn == searcher_has {
                searcher.best(game.board(), turn, &mut Budget::nodes(3_000))
            } else {
                solver.best(game.board(), turn, &mut Budget::nodes(ENOUGH))
            };
            game.play(found.unwrap().0).unwrap();
        }
        assert_eq!(game.outcome(), Some(Outcome::Drawn), "{game:?}");
    }
}

/// Plays a proven win of at most `most` moves to its end: after each move against the `answers`
/// squares nearest to it.
fn win_against_all(
    searcher: &mut AlphaBeta,
    board: &mut Board,
    turn: Mark,
    most: Option<u32>,
    answers: usize,
) {
    let budget = &mut Budget::nodes(20_000);
    let (square, Score { value, plies }) = searcher.best(board, turn, budget).unwrap();
    assert_eq!(value, Value::Win, "{board:?} {turn}");
    if let (Some(plies), Some(most)) = (plies, most) {
        assert!(plies <= most, "{board:?} {turn} {plies} {most}");
    }
    if board.would_complete(square, turn) {
        return;
    }
    board.place(square, turn).unwrap();
    let mut near: Vec<Square> = board.free().collect();
    near.sort_by_key(|free| free.row.abs_diff(square.row).max(free.col.abs_diff(square.col)));
    for answer in near.into_iter().take(answers) {
        assert!(!board.would_complete(answer, turn.other()), "{board:?} {turn}");
        board.place(answer, turn.other()).unwrap();
        // After the first answer a few more are enough.
        win_against_all(searcher, board, turn, plies.map(|plies| plies - 2), 3);
        board.unplace(answer);
    }
    board.unplace(square);
}

#[test]
fn a_proved_win_holds_against_every_defence_and_comes_nearer() {
    let sizes = [(6, 6, 4), (7, 6, 4), (9, 9, 5), (8, 8, 5), (5, 5, 3), (9, 9, 6)];
    let mut dice = Dice::new(7);
    let mut wins = 0;
    while wins < 20 {
        let (rows, cols, k) = sizes[dice.below(sizes.len())];
        let shape = Shape::new(rows, cols, k).unwrap();
        let exact = dice.below(3) == 0;
        let mut game = Game::new(shape.with_exact(exact));
        for _ in 0..2 * (2 + dice.below(8)) {
            let free: Vec<Square> = game.board().free().collect();
            game.play(free[dice.below(free.len())]).unwrap();
            if game.outcome().is_some() {
                game.undo(2).unwrap();
            }
        }
        let mut board = game.board().clone();
        let turn = game.turn().unwrap();
        let mut searcher = AlphaBeta::new(board.shape());
        let budget = &mut Budget::nodes(2_000);
        let (_, score) = searcher.best(&board, turn, budget).unwrap();
        if score.value == Value::Win && score.plies.is_none_or(|plies| plies > 3) {
            wins += 1;
            win_against_all(&mut searcher, &mut board, turn, score.plies, usize::MAX);
        }
    }
}
