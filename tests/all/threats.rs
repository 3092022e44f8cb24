//! The alpha-beta search against the textbook search on small boards, against the solver, which
//! knows the truth on boards of moderate size, and on the tactics of gomoku.

use noughts::game::{Board, Game, Mark, Outcome, Shape, Square};
use noughts::search::alphabeta::AlphaBeta;
use noughts::search::solver::solver_for;
use noughts::search::{Budget, Score, Value};

use crate::oracle::{Dice, Textbook, is_true};

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

/// A game from which the solver decides, on a board of one of the sizes.
fn any_game(dice: &mut Dice) -> Game {
    let shape = dice.shape(&SIZES);
    let moves = shape.squares() / 4 + dice.below(shape.squares() / 3);
    dice.game(shape, moves)
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
                assert!(is_true(score, truth), "{board:?} {turn} {square} {score:?} {truth:?}");
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
        let shape = dice.shape(&sizes);
        let moves = 2 * (2 + dice.below(8));
        let game = dice.game(shape, moves);
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

/// Sizes on which the textbook search knows a position with few empty squares.
#[rustfmt::skip]
const SMALL: [(u64, u64, u64); 14] = [
    (3, 3, 3), (4, 4, 3), (4, 4, 4), (5, 5, 4), (5, 5, 3), (6, 6, 4), (4, 6, 3), (2, 9, 4),
    (1, 12, 3), (6, 6, 5), (1, 9, 1), (1, 12, 2), (3, 4, 2), (1, 14, 7),
];

fn best(search: &mut AlphaBeta, board: &Board, turn: Mark, nodes: u64) -> (Square, Score) {
    let mut budget = Budget::nodes(nodes);
    let (square, score) = search.best(board, turn, &mut budget).unwrap();
    assert!(board.at(square).is_none() && budget.spent() <= nodes);
    (square, score)
}

#[test]
fn what_is_claimed_on_small_boards_is_true() {
    let mut dice = Dice::new(8);
    let (mut boards, mut claims) = (0, [0; 3]);
    while boards < 150 {
        let shape = dice.shape(&SMALL);
        let moves = shape.squares().saturating_sub(1 + dice.below(7));
        let mut board = dice.game(shape, moves).board().clone();
        if board.free().count() > 9 {
            continue;
        }
        boards += 1;
        let mut search = AlphaBeta::new(shape);
        for turn in [Mark::X, Mark::O] {
            let truths = Textbook::default().scores(&mut board, turn);
            let truth = Textbook::best_of(&truths);
            for nodes in [0, 1, 30, 10_000] {
                let (square, score) = best(&mut search, &board, turn, nodes);
                assert!(is_true(score, truth), "{board:?} {turn} {square} {score:?} {truth:?}");
                let mut claimed = search.scores(&board, turn, &mut Budget::nodes(nodes));
                assert!(claimed.iter().map(|pair| pair.0).eq(board.free()));
                if score.value != Value::Unknown {
                    claims[truth.value as usize] += 1;
                    claimed.push((square, score));
                }
                for (square, score) in claimed {
                    let (_, truth) = truths.iter().find(|(own, _)| *own == square).unwrap();
                    assert!(is_true(score, *truth), "{board:?} {turn} {square} {score:?}");
                }
            }
        }
    }
    assert!(claims.iter().all(|&count| count > 25), "{claims:?}");
}

/// Squares from their rows and columns.
fn squares(text: &str) -> Vec<Square> {
    let numbers: Vec<_> = text.split_whitespace().flat_map(str::parse).collect();
    let square = |pair: &[u16]| Square { row: pair[0], col: pair[1] };
    numbers.chunks(2).map(square).collect()
}

/// A board with marks on `moves`, by turns, X first.
fn board(shape: Shape, moves: &str) -> Board {
    let mut board = Board::new(shape);
    for (at, square) in squares(moves).into_iter().enumerate() {
        board.place(square, Mark::after(at)).unwrap();
    }
    board
}

fn gomoku() -> Shape {
    Shape::new(15, 15, 5).unwrap()
}

/// A four of X with one end open.
const FOUR: &str = "7 3  0 0  7 4  7 2  7 5  14 14  7 6";

#[test]
fn gomoku_tactics_are_seen() {
    let shape = gomoku();
    let [win, loss] =
        [Value::Win, Value::Loss].map(|value| move |plies| Score { value, plies: Some(plies) });
    let two_fours = "7 4  7 3  7 5  3 7  7 6  0 0  4 7  0 14  5 7  14 0  6 7  14 14";
    for (name, moves, score, answers) in [
        ("a five", "7 3  0 0  7 4  0 2  7 5  0 4  7 6  7 2", win(1), "7 7"),
        ("an open four", "7 5  0 0  7 6  0 14  7 7  14 0", win(3), "7 4  7 8"),
        ("a block", FOUR, Score::UNKNOWN, "7 7"),
        ("two fours", two_fours, win(3), "7 7"),
        ("lost in two", "7 4  0 0  7 5  0 14  7 6  14 0  7 7", loss(2), "7 3  7 8"),
    ] {
        let turn = Mark::after(squares(moves).len());
        let board = board(shape, moves);
        let (square, found) = best(&mut AlphaBeta::new(shape), &board, turn, 5_000);
        assert!(squares(answers).contains(&square), "{name}: {square}");
        assert_eq!(found, score, "{name}");
    }
}

#[test]
fn a_five_is_blocked_even_when_the_time_is_up() {
    let shape = gomoku();
    let used_up = || 1.0;
    let mut budget = Budget::nodes(1_000).or_until(&used_up);
    let found = AlphaBeta::new(shape).best(&board(shape, FOUR), Mark::O, &mut budget);
    assert_eq!(found, Some((Square { row: 7, col: 7 }, Score::UNKNOWN)));
}

#[test]
fn where_long_lines_do_not_win_they_are_no_threat() {
    let shape = gomoku().with_exact(true);
    // Four, a gap and two more: the gap would make seven.
    let board = board(shape, "7 2  0 0  7 3  0 2  7 4  0 4  7 5  7 1  7 7  0 6  7 8  0 8");
    let scores = AlphaBeta::new(shape).scores(&board, Mark::X, &mut Budget::nodes(100));
    let gap = scores.iter().find(|pair| pair.0 == Square { row: 7, col: 6 });
    assert_ne!(gap.unwrap().1.value, Value::Win);
}

#[test]
fn a_move_is_found_on_every_shape_even_without_a_budget() {
    #[rustfmt::skip]
    let sizes = [
        (1, 1, 1), (2, 2, 2), (1, 1024, 5), (1024, 1, 1024),
        (300, 200, 4), (40, 40, 40), (64, 64, 33),
    ];
    for (rows, cols, k) in sizes {
        let shape = Shape::new(rows, cols, k).unwrap();
        for shape in [shape, shape.with_exact(true)] {
            let mut search = AlphaBeta::new(shape);
            let mut board = Board::new(shape);
            for turn in [Mark::X, Mark::O].into_iter().cycle().take(4.min(shape.squares())) {
                best(&mut search, &board, turn, 0);
                let (square, _) = best(&mut search, &board, turn, 500);
                if board.would_complete(square, turn) {
                    break;
                }
                board.place(square, turn).unwrap();
            }
        }
    }
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let shape = gomoku();
    let board = board(shape, "7 7  6 8  8 8  6 6");
    let mut search = AlphaBeta::new(shape);
    let first = best(&mut search, &board, Mark::X, 3_000);
    search.scores(&board, Mark::O, &mut Budget::nodes(3_000));
    assert_eq!(best(&mut search, &board, Mark::X, 3_000), first);
    assert_eq!(best(&mut AlphaBeta::new(shape), &board, Mark::X, 3_000), first);
}

#[test]
fn a_full_board_has_no_move() {
    let shape = Shape::new(1, 2, 2).unwrap();
    let board = board(shape, "0 0  0 1");
    let mut search = AlphaBeta::new(shape);
    assert_eq!(search.best(&board, Mark::X, &mut Budget::nodes(10)), None);
    assert_eq!(search.scores(&board, Mark::X, &mut Budget::nodes(10)), []);
}
