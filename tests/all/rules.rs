//! The rules against code too simple to be wrong.

use std::collections::{HashMap, HashSet};

use noughts::{
    Board, Game, Mark, Outcome, PlaceError, PositionError, Refusal, Shape, Square, Verdict,
};
use proptest::prelude::*;

use crate::oracle::Slow;
use crate::support::seeded;

/// Section 5 of the contract, word for word.
fn is_reachable(slow: &Slow) -> bool {
    let (x, o) = (slow.count(Mark::X), slow.count(Mark::O));
    if x != o && x != o + 1 {
        return false;
    }
    let moved_last = if x == o { Mark::O } else { Mark::X };
    match (slow.has_line(moved_last), slow.has_line(moved_last.other())) {
        (_, true) => false,
        (false, false) => true,
        (true, false) => slow.marks.iter().any(|(square, mark)| {
            let mut without = slow.clone();
            without.marks.remove(square);
            *mark == moved_last && !without.has_line(moved_last)
        }),
    }
}

fn shape(rows: u64, cols: u64, k: u64, exact: bool) -> Shape {
    let shape = Shape::new(rows, cols, k).unwrap();
    shape.with_exact(exact)
}

/// Checks all that a move reports against the board read again from scratch.
fn check(game: &Game, square: Square, mark: Mark, verdict: Verdict) {
    let slow = Slow::of(game.board());
    let through: Vec<Vec<Square>> = slow
        .lines()
        .into_iter()
        .filter(|(owner, run)| *owner == mark && run.contains(&square))
        .map(|(_, run)| run)
        .collect();
    let full = slow.marks.len() == slow.shape.squares();
    match verdict {
        Verdict::Win(lines) => {
            let lines: Vec<Vec<Square>> = lines.iter().map(|run| run.squares().collect()).collect();
            assert_eq!(lines, through, "{game:?}");
            assert_eq!(game.outcome(), Some(Outcome::Won(mark)), "{game:?}");
        }
        Verdict::Draw => {
            assert!(through.is_empty() && full, "{game:?}");
            assert_eq!(game.outcome(), Some(Outcome::Drawn), "{game:?}");
        }
        Verdict::Ongoing => {
            assert!(through.is_empty() && !full, "{game:?}");
            assert_eq!(game.outcome(), None, "{game:?}");
        }
    }
    let turn = game.outcome().is_none().then(|| mark.other());
    assert_eq!(game.turn(), turn, "{game:?}");
}

#[test]
fn every_position_of_tic_tac_toe_is_judged_right() {
    let (mut seen, mut ends) = (HashSet::new(), HashMap::new());
    let mut next = vec![Game::new(Shape::TIC_TAC_TOE)];
    while let Some(mut game) = next.pop() {
        if !seen.insert(format!("{:?}", game.board())) {
            continue;
        }
        let slow = Slow::of(game.board());
        let winner = [Mark::X, Mark::O].into_iter().find(|mark| slow.has_line(*mark));
        let drawn = (slow.marks.len() == 9).then_some(Outcome::Drawn);
        let expected = winner.map(Outcome::Won).or(drawn);
        assert_eq!(game.outcome(), expected, "{game:?}");
        if let Some(outcome) = expected {
            *ends.entry(outcome).or_insert(0) += 1;
        }
        let before = game.clone();
        for square in Shape::TIC_TAC_TOE.iter() {
            if game.play(square).is_ok() {
                next.push(game.clone());
                game.undo(1).unwrap();
                assert_eq!(game.board(), before.board());
                assert_eq!((game.outcome(), game.turn()), (None, before.turn()));
            }
        }
    }
    assert_eq!(seen.len(), 5_478);
    let of = |outcome| ends.get(&outcome).copied();
    assert_eq!(of(Outcome::Won(Mark::X)), Some(626));
    assert_eq!(of(Outcome::Won(Mark::O)), Some(316));
    assert_eq!(of(Outcome::Drawn), Some(16));
}

#[test]
fn a_position_is_accepted_exactly_if_a_game_can_reach_it() {
    for (rows, cols, k) in [(3, 3, 3), (3, 3, 2), (2, 4, 3), (1, 8, 3), (8, 1, 2), (2, 3, 1)] {
        let shape = shape(rows, cols, k, false);
        let mut reached = HashSet::new();
        let mut next = vec![Game::new(shape)];
        while let Some(game) = next.pop() {
            if reached.insert(format!("{:?}", game.board())) {
                for square in game.board().free() {
                    let mut game = game.clone();
                    next.extend(game.play(square).is_ok().then_some(game));
                }
            }
        }
        for_every_board(shape, |board| {
            let (text, set_up) = (format!("{board:?}"), Game::from_position(board));
            assert_eq!(set_up.is_ok(), reached.contains(&text), "{shape:?} {text} {set_up:?}");
        });
    }
}

#[test]
fn a_position_is_accepted_exactly_by_the_rule_also_where_a_line_is_exact() {
    for (rows, cols, k) in [(3, 3, 2), (2, 4, 3), (2, 4, 2), (1, 8, 3), (1, 8, 2), (2, 3, 1)] {
        for_every_board(shape(rows, cols, k, true), |board| {
            let slow = Slow::of(&board);
            let set_up = Game::from_position(board);
            assert_eq!(set_up.is_ok(), is_reachable(&slow), "{slow:?} {set_up:?}");
            if let Ok(game) = set_up {
                let winner = [Mark::X, Mark::O].into_iter().find(|mark| slow.has_line(*mark));
                assert_eq!(game.outcome().and_then(Outcome::winner), winner);
            }
        });
    }
}

fn for_every_board(shape: Shape, check: impl Fn(Board)) {
    for number in 0..3_u32.pow(shape.squares().try_into().unwrap()) {
        let mut board = Board::new(shape);
        let mut rest = number;
        for square in shape.iter() {
            let mark = [None, Some(Mark::X), Some(Mark::O)][rest as usize % 3];
            if let Some(mark) = mark {
                board.place(square, mark).unwrap();
            }
            rest /= 3;
        }
        check(board);
    }
}

#[test]
fn the_first_reason_that_holds_refuses_a_position() {
    let errors = [
        ("XX./.../...", PositionError::Count { x: 2, o: 0 }),
        ("OOX/.../...", PositionError::Count { x: 1, o: 2 }),
        ("XXX/OOO/...", PositionError::BothHaveLines),
        ("XXX/OOO/XOX", PositionError::BothHaveLines),
        ("OO./XXX/.O.", PositionError::WentOn(Mark::X)),
        ("XX./OOO/.XX", PositionError::WentOn(Mark::O)),
    ];
    for (diagram, error) in errors {
        let mut board = Board::new(Shape::TIC_TAC_TOE);
        let marks = diagram.replace('/', "");
        for (square, mark) in Shape::TIC_TAC_TOE.iter().zip(marks.chars()) {
            if let Ok(mark) = mark.to_string().parse() {
                board.place(square, mark).unwrap();
            }
        }
        assert_eq!(Game::from_position(board), Err(error), "{diagram}");
    }
}

#[test]
fn refused_moves_leave_the_game_unchanged() {
    let square = |row, col| Square { row, col };
    let mut game = Game::new(Shape::TIC_TAC_TOE);
    game.play(square(0, 0)).unwrap();
    game.play(square(1, 1)).unwrap();
    game.undo(1).unwrap();
    let before = game.clone();
    let off = square(3, 0);
    let shape = Shape::TIC_TAC_TOE;
    let cases = [
        (None, square(0, 0), None, Refusal::Occupied { square: square(0, 0), by: Mark::X }),
        (None, off, None, Refusal::OffBoard { square: off, shape }),
        (Some(Mark::X), off, None, Refusal::NotYourTurn { mark: Mark::X }),
        (Some(Mark::X), off, Some(2), Refusal::Stale { seen: 2, version: 3 }),
        (Some(Mark::X), off, Some(3), Refusal::NotYourTurn { mark: Mark::X }),
        (
            Some(Mark::O),
            square(u16::MAX, u16::MAX),
            Some(3),
            Refusal::OffBoard { square: square(u16::MAX, u16::MAX), shape },
        ),
    ];
    for (mark, square, seen, refusal) in cases {
        assert_eq!(game.play_as(mark, square, seen), Err(refusal));
        assert_eq!(game, before, "{refusal:?}");
    }
    assert_eq!(game.undo(2), Err(Refusal::NothingToUndo { asked: 2, made: 1 }));
    assert_eq!(game.redo(u64::MAX), Err(Refusal::NothingToRedo { asked: u64::MAX, undone: 1 }));
    assert!(game.replay([square(0, 0), square(0, 1), square(0, 0)]).is_err());
    assert_eq!(game, before);
    game.redo(1).unwrap();
    for (row, col) in [(0, 1), (2, 2), (0, 2)] {
        game.play(square(row, col)).unwrap();
    }
    let over = game.clone();
    let outcome = Outcome::Won(Mark::X);
    let refused = game.play_as(Some(Mark::X), off, Some(0));
    assert_eq!(refused, Err(Refusal::GameOver { outcome }));
    assert_eq!(game, over);
}

#[test]
fn taking_nothing_back_leaves_a_finished_game_finished() {
    let mut game = Game::new(Shape::new(1, 2, 1).unwrap());
    game.play(Square { row: 0, col: 1 }).unwrap();
    assert_eq!(game.undo(0), Ok(&[][..]));
    assert_eq!(game.outcome(), Some(Outcome::Won(Mark::X)));
    let nothing = (&[][..], Verdict::Ongoing);
    assert_eq!(game.redo(0), Ok(nothing));
    assert_eq!(game.outcome(), Some(Outcome::Won(Mark::X)));
}

#[test]
fn a_version_never_goes_back() {
    let mut game = Game::new(Shape::TIC_TAC_TOE);
    let square = Square { row: 1, col: 1 };
    let changes: [fn(&mut Game, Square); 6] = [
        |game, square| assert!(game.play(square).is_ok()),
        |game, _| assert!(game.undo(1).is_ok()),
        |game, _| assert!(game.redo(1).is_ok()),
        |game, _| game.restart(Shape::TIC_TAC_TOE),
        |game, square| assert!(game.replay([square]).is_ok()),
        |game, _| assert!(game.set_up(Board::new(Shape::TIC_TAC_TOE)).is_ok()),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        assert_eq!(game.version(), n as u64);
        change(&mut game, square);
    }
    assert_eq!(game.version(), 6);
}

/// Generates shapes of every kind, small enough to be read again after every move.
fn any_shape() -> impl Strategy<Value = Shape> {
    let sides = prop_oneof![(1..=9_u64, 1..=9_u64), (1..=12_u64).prop_map(|n| (n, n))];
    (sides, any::<bool>(), any::<bool>(), any::<prop::sample::Index>()).prop_map(
        |((rows, cols), full, exact, k)| {
            let most = rows.max(cols);
            let k = if full { most } else { 1 + k.index(most.try_into().unwrap()) as u64 };
            shape(rows, cols, k, exact)
        },
    )
}

proptest! {
    #![proptest_config(seeded(256))]

    #[test]
    fn random_games_agree_with_a_full_rescan(
        shape in any_shape(),
        steps in prop::collection::vec((0..10_u8, any::<prop::sample::Index>()), 1..200),
    ) {
        let mut game = Game::new(shape);
        for (what, which) in steps {
            let version = game.version();
            let (made, undone) = (game.moves().to_vec(), game.undone().to_vec());
            match what {
                0 if !made.is_empty() => {
                    let count = 1 + which.index(made.len());
                    let taken = game.undo(count as u64).unwrap().to_vec();
                    prop_assert_eq!(&taken[..], &made[made.len() - count..]);
                    prop_assert_eq!(game.undone(), [taken, undone].concat());
                    prop_assert_eq!(game.outcome(), None);
                }
                1 if !undone.is_empty() => {
                    let count = 1 + which.index(undone.len());
                    let (played, verdict) = game.redo(count as u64).unwrap();
                    prop_assert_eq!(played, &undone[..count]);
                    let mark = game.board().at(undone[count - 1]).unwrap();
                    check(&game, undone[count - 1], mark, verdict);
                }
                _ if game.outcome().is_some() => {
                    let before = game.clone();
                    let corner = Square { row: 0, col: 0 };
                    prop_assert!(game.play(corner).is_err());
                    prop_assert_eq!(&game, &before);
                    continue;
                }
                _ => {
                    let free: Vec<Square> = game.board().free().collect();
                    let square = free[which.index(free.len())];
                    let mark = game.turn().unwrap();
                    let completes = game.board().would_complete(square, mark);
                    let verdict = game.play(square).unwrap();
                    prop_assert_eq!(completes, matches!(verdict, Verdict::Win(_)));
                    check(&game, square, mark, verdict);
                    prop_assert!(game.undone().is_empty());
                }
            }
            prop_assert_eq!(game.version(), version + 1);
            let mut replayed = Game::new(shape);
            for square in game.moves() {
                replayed.play(*square).unwrap();
            }
            prop_assert_eq!(replayed.board(), game.board());
        }
    }

    #[test]
    fn placing_and_unplacing_are_exact_inverses(
        shape in any_shape(),
        steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..100),
    ) {
        let mut board = Board::new(shape);
        let mut history = vec![board.clone()];
        let mut placed = Vec::new();
        for (x, which) in steps {
            let mark = if x { Mark::X } else { Mark::O };
            let square = shape.iter().nth(which.index(shape.squares())).unwrap();
            if board.at(square).is_some() {
                let by = board.at(square).unwrap();
                prop_assert_eq!(board.place(square, mark), Err(PlaceError::Occupied(by)));
                prop_assert_eq!(&board, history.last().unwrap());
                prop_assert!(!board.would_complete(square, mark));
            } else {
                let completes = board.would_complete(square, mark);
                let lines = board.place(square, mark).unwrap();
                prop_assert_eq!(completes, lines.is_some());
                placed.push((square, mark));
                history.push(board.clone());
            }
        }
        while let Some((square, mark)) = placed.pop() {
            prop_assert_eq!(&Some(board.clone()), &history.pop());
            prop_assert_eq!(board.unplace(square), Some(mark));
            prop_assert_eq!(board.unplace(square), None);
        }
        prop_assert_eq!(board, Board::new(shape));
    }
}

/// Marks are put down and taken off in an order that mixes them, on every full-side board from
/// 1 × 1 to 9 × 9.
#[test]
fn a_board_keeps_nothing_of_marks_taken_off() {
    for n in 1..=9 {
        let shape = shape(n, n, n, n.is_multiple_of(2));
        let mut board = Board::new(shape);
        for step in 0..4 * shape.squares() {
            let square = shape.square(step * 11 % shape.squares()).unwrap();
            if step % 3 == 2 || board.at(square).is_some() {
                board.unplace(square);
            } else {
                board.place(square, Mark::after(step)).unwrap();
            }
            let mut again = Board::new(shape);
            for (square, mark) in board.taken() {
                again.place(square, mark).unwrap();
            }
            assert_eq!(board, again);
            assert_eq!(board.marks(), board.taken().count());
        }
    }
}

#[test]
fn off_the_board_nothing_is_placed_or_found() {
    let mut board = Board::new(Shape::new(2, 5, 3).unwrap());
    for (row, col) in [(2, 0), (0, 5), (2, 5), (u16::MAX, 0), (0, u16::MAX), (u16::MAX, u16::MAX)] {
        let square = Square { row, col };
        assert_eq!(board.place(square, Mark::X), Err(PlaceError::OffBoard));
        assert_eq!(board.unplace(square), None);
        assert_eq!(board.at(square), None);
        assert!(!board.would_complete(square, Mark::X));
    }
    assert_eq!(board.marks(), 0);
}

#[test]
fn shapes_run_from_one_to_the_longest_side() {
    for (rows, cols, k) in [(1, 1, 1), (1024, 1024, 1024), (1, 1024, 1024), (1024, 1, 2), (3, 5, 5)]
    {
        assert!(Shape::new(rows, cols, k).is_ok(), "{rows} {cols} {k}");
    }
    let most = u64::MAX;
    for (rows, cols, k) in [
        (0, 3, 1),
        (3, 0, 1),
        (1025, 3, 3),
        (3, 1025, 3),
        (3, 3, 0),
        (3, 3, 4),
        (3, 5, 6),
        (most, most, most),
        (65_539, 3, 3),
        (3, 3, 65_539),
    ] {
        assert!(Shape::new(rows, cols, k).is_err(), "{rows} {cols} {k}");
    }
}

#[test]
fn squares_are_read_as_they_are_written() {
    let sides = [0, 1, 9, 10, 1023, u16::MAX];
    for (row, col) in sides.into_iter().flat_map(|row| sides.map(|col| (row, col))) {
        let square = Square { row, col };
        assert_eq!(square.to_string().parse(), Ok(square), "{square}");
    }
    for text in ["", "1", "1 2 3", "1,2", "-1 0", "0 65536", "a 1", "x y"] {
        assert!(text.parse::<Square>().is_err(), "{text}");
    }
    for &mark in Mark::ALL {
        assert_eq!(mark.to_string().parse(), Ok(mark));
    }
}

#[test]
fn squares_are_numbered_row_by_row() {
    for (rows, cols) in [(1, 1), (3, 3), (2, 5), (5, 2), (1, 1024), (1024, 1024)] {
        let shape = Shape::new(rows, cols, 1).unwrap();
        for (number, square) in shape.iter().enumerate() {
            assert_eq!(shape.index(square), Some(number), "{rows} x {cols}");
            assert_eq!(shape.square(number), Some(square), "{rows} x {cols}");
        }
        for beyond in [shape.squares(), usize::MAX] {
            assert_eq!(shape.square(beyond), None, "{rows} x {cols}");
        }
        for (row, col) in [(shape.rows(), 0), (0, shape.cols()), (u16::MAX, u16::MAX)] {
            assert_eq!(shape.index(Square { row, col }), None, "{rows} x {cols}");
        }
    }
}

#[test]
fn a_board_is_drawn_with_its_coordinates() {
    let mut board = Board::new(Shape::new(2, 11, 3).unwrap());
    board.place(Square { row: 0, col: 0 }, Mark::X).unwrap();
    board.place(Square { row: 1, col: 10 }, Mark::O).unwrap();
    let drawn = "     0  1  2  3  4  5  6  7  8  9 10
  0  X  .  .  .  .  .  .  .  .  .  .
  1  .  .  .  .  .  .  .  .  .  .  O";
    assert_eq!(board.to_string(), drawn);
}

#[test]
fn refusals_say_what_was_found_and_what_would_be_right() {
    let square = Square { row: 3, col: 0 };
    let shape = Shape::new(3, 4, 3).unwrap();
    let outcome = Outcome::Won(Mark::X);
    for (refusal, message) in [
        (Refusal::GameOver { outcome }, "the game is over: X has won"),
        (Refusal::Stale { seen: 2, version: 3 }, "the game is at version 3, not 2"),
        (Refusal::NotYourTurn { mark: Mark::X }, "it is not X's turn: O to move"),
        (
            Refusal::OffBoard { square, shape },
            "3 0 is off the board: rows run from 0 to 2, columns from 0 to 3",
        ),
        (Refusal::Occupied { square, by: Mark::O }, "3 0 is taken by O"),
        (Refusal::NothingToUndo { asked: 1, made: 0 }, "nothing to take back: no move was made"),
        (
            Refusal::NothingToUndo { asked: 3, made: 1 },
            "cannot take back 3 moves: only 1 move made",
        ),
        (
            Refusal::NothingToRedo { asked: 1, undone: 0 },
            "nothing to play again: no move was taken back",
        ),
        (
            Refusal::NothingToRedo { asked: 3, undone: 2 },
            "cannot play 3 moves again: only 2 moves taken back",
        ),
    ] {
        assert_eq!(refusal.to_string(), message);
    }
}
