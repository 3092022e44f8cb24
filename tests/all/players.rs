//! The computer players against the textbook search, which knows value and distance of every move.

use std::cell::Cell;

use noughts::game::{Board, Game, Mark, Outcome, Shape, Square};
use noughts::player::{Best, Choice, ChooseError, Level, Minimax, Player, Random, Rules, Strength};
use noughts::search::{Budget, Score, Value};
use proptest::prelude::*;

use crate::oracle::{Textbook, is_true};
use crate::support::seeded;

fn game(shape: Shape, moves: &[(u16, u16)]) -> Game {
    let mut game = Game::new(shape);
    for &(row, col) in moves {
        game.play(Square { row, col }).unwrap();
    }
    game
}

fn choose(player: &mut dyn Player, game: &Game) -> Result<Choice, ChooseError> {
    player.choose(game, &mut Budget::nodes(1_000_000))
}

/// Checks each position that a game on `shape` can reach, finished ones too. Returns their number.
fn every_position(shape: Shape, mut check: impl FnMut(&Game)) -> usize {
    let mut seen = std::collections::HashSet::new();
    let mut next = vec![Game::new(shape)];
    while let Some(game) = next.pop() {
        if seen.insert(format!("{:?}", game.board())) {
            check(&game);
            for square in game.board().free() {
                let mut game = game.clone();
                next.extend(game.play(square).is_ok().then_some(game));
            }
        }
    }
    seen.len()
}

#[test]
fn minimax_enters_as_many_positions_as_the_textbook_says() {
    let game = Game::new(Shape::TIC_TAC_TOE);
    let mut budget = Budget::nodes(u64::MAX);
    let choice = Minimax.choose(&game, &mut budget).unwrap();
    let draw = Score { value: Value::Draw, plies: Some(9) };
    assert_eq!(choice, Choice { square: Square { row: 0, col: 0 }, score: draw });
    assert_eq!(budget.spent(), 66_275);
    let mut textbook = Textbook::default();
    assert_eq!(textbook.search(&mut game.board().clone(), Mark::X), draw);
    assert_eq!(textbook.entered, 340_858);
}

#[test]
fn on_tic_tac_toe_every_player_is_as_good_as_it_says() {
    let (mut textbook, mut best) = (Textbook::default(), Best::default());
    let positions = every_position(Shape::TIC_TAC_TOE, |game| {
        let before = game.clone();
        let mut players: [&mut dyn Player; 4] =
            [&mut best, &mut Minimax, &mut Rules, &mut Random::new(1)];
        let Some(turn) = game.turn() else {
            for player in players {
                assert_eq!(choose(player, game), Err(ChooseError::GameOver), "{game:?}");
            }
            assert_eq!(best.scores(game, &mut Budget::nodes(1)), Err(ChooseError::GameOver));
            return;
        };
        let mut board = game.board().clone();
        let scores = textbook.scores(&mut board, turn);
        let top = scores.iter().map(|(_, score)| Textbook::rank(*score)).max().unwrap();
        for (n, player) in players.iter_mut().enumerate() {
            let Choice { square, score } = choose(*player, game).unwrap();
            let (_, truth) = *scores.iter().find(|(own, _)| *own == square).unwrap();
            match n {
                0 => assert_eq!((score, Textbook::rank(truth)), (truth, top), "best: {game:?}"),
                1 => assert_eq!(
                    (score.value, Textbook::rank(truth).0),
                    (truth.value, top.0),
                    "minimax: {game:?}"
                ),
                _ => assert!(score == Score::UNKNOWN || score == truth, "{game:?}"),
            }
        }
        assert_eq!(best.scores(game, &mut Budget::nodes(1_000_000)), Ok(scores), "{game:?}");
        assert_eq!(*game, before);
    });
    assert_eq!(positions, 5_478);
}

#[test]
fn best_plays_on_boards_that_no_game_reaches() {
    let (mut textbook, mut best) = (Textbook::default(), Best::default());
    let mut small = Best::within(1 << 20);
    for (rows, cols, every) in [(3, 3, 1), (3, 4, 101)] {
        let shape = Shape::new(rows, cols, 3).unwrap();
        let squares: Vec<Square> = shape.iter().collect();
        let free_at_most = if rows == cols { 9 } else { 7 };
        for code in (0..3_usize.pow(u32::try_from(squares.len()).unwrap())).step_by(every) {
            let mut board = Board::new(shape);
            let mut rest = code;
            let mut is_won = false;
            for &square in &squares {
                let mark = [None, Some(Mark::X), Some(Mark::O)][rest % 3];
                rest /= 3;
                is_won |= mark.is_some_and(|mark| board.place(square, mark).unwrap().is_some());
            }
            if is_won || squares.len() - board.marks() > free_at_most {
                continue;
            }
            let choice = best.choose_on(&board, Mark::X, &mut Budget::nodes(100_000));
            let Some(choice) = choice else {
                assert!(board.is_full(), "{board:?}");
                continue;
            };
            let scores = textbook.scores(&mut board, Mark::X);
            let truth = Textbook::best_of(&scores);
            assert_eq!(choice.score, truth, "{board:?}");
            assert!(scores.contains(&(choice.square, truth)), "{board:?}");
            let choice = small.choose_on(&board, Mark::X, &mut Budget::nodes(100)).unwrap();
            assert_eq!(board.at(choice.square), None, "{board:?}");
        }
    }
}

#[test]
fn perfect_players_draw_tic_tac_toe() {
    for o in [&mut Best::default() as &mut dyn Player, &mut Minimax] {
        let mut x = Best::default();
        let mut game = Game::new(Shape::TIC_TAC_TOE);
        while let Some(turn) = game.turn() {
            let player = if turn == Mark::X { &mut x } else { &mut *o };
            let choice = choose(player, &game).unwrap();
            game.play(choice.square).unwrap();
        }
        assert_eq!(game.outcome(), Some(Outcome::Drawn));
    }
}

/// A board, the moves on it, and the move that follows.
type Case = (Shape, &'static [(u16, u16)], (u16, u16));

#[test]
fn rules_wins_blocks_and_takes_the_middle_in_this_order() {
    let four = Shape::new(4, 4, 4).unwrap();
    let wide = Shape::new(2, 5, 3).unwrap();
    let cases: [Case; 9] = [
        (Shape::TIC_TAC_TOE, &[], (1, 1)),
        (Shape::TIC_TAC_TOE, &[(1, 1)], (0, 0)),
        (Shape::TIC_TAC_TOE, &[(0, 0)], (1, 1)),
        // A win before a block, and the first in row order of several.
        (Shape::TIC_TAC_TOE, &[(0, 0), (1, 0), (0, 1), (1, 1)], (0, 2)),
        (Shape::TIC_TAC_TOE, &[(0, 0), (0, 2), (1, 1), (2, 2)], (1, 2)),
        (Shape::TIC_TAC_TOE, &[(0, 0), (2, 1), (0, 2), (2, 2)], (0, 1)),
        // All corners and the centre are taken.
        (Shape::TIC_TAC_TOE, &[(0, 0), (1, 1), (2, 2), (0, 2), (2, 0)], (1, 0)),
        // An even side has two middles, and the first is taken.
        (four, &[(1, 1)], (1, 2)),
        (wide, &[], (0, 2)),
    ];
    for (shape, moves, (row, col)) in cases {
        let game = game(shape, moves);
        let choice = choose(&mut Rules, &game).unwrap();
        assert_eq!(choice.square, Square { row, col }, "{game:?}");
    }
}

#[test]
fn rules_stays_near_the_centre_where_a_line_is_shorter_than_a_side() {
    let gomoku = Shape::new(15, 15, 5).unwrap();
    for (moves, square) in [
        (&[][..], (7, 7)),
        (&[(7, 7)], (6, 7)),
        (&[(7, 7), (6, 7), (7, 8), (0, 0), (7, 9), (0, 1), (7, 10)], (7, 6)),
    ] {
        let game = game(gomoku, moves);
        let (row, col) = square;
        assert_eq!(choose(&mut Rules, &game).unwrap().square, Square { row, col }, "{game:?}");
    }
}

/// The levels of these numbers, each with its own memory.
fn levels(seed: u64) -> Vec<Level> {
    Strength::ALL.into_iter().map(|strength| Level::new(strength, seed)).collect()
}

#[test]
fn the_highest_level_never_loses_tic_tac_toe() {
    fn hold(player: &mut Level, own: Mark, game: &Game) -> usize {
        match game.turn() {
            None => {
                assert_ne!(game.outcome(), Some(Outcome::Won(own.other())), "{game:?}");
                1
            }
            Some(turn) => {
                let choice = (turn == own).then(|| choose(player, game).unwrap().square);
                let squares: Vec<_> = choice.map_or(game.board().free().collect(), |own| vec![own]);
                let after = |square: &Square| {
                    let mut game = game.clone();
                    game.play(*square).unwrap();
                    game
                };
                squares.iter().map(after).map(|game| hold(player, own, &game)).sum()
            }
        }
    }
    let mut highest = levels(3).pop().unwrap();
    let games =
        Mark::ALL.iter().map(|mark| hold(&mut highest, *mark, &Game::new(Shape::TIC_TAC_TOE)));
    assert!(games.sum::<usize>() > 100);
}

#[test]
fn levels_follow_from_the_seed_and_the_position_on_every_board() {
    for (rows, cols, k) in [(1, 1, 1), (1, 9, 3), (3, 3, 3), (4, 7, 4), (15, 15, 5), (40, 1024, 6)]
    {
        let (mut first, mut second) = (levels(5), levels(5));
        let mut game = Game::new(Shape::new(rows, cols, k).unwrap());
        while game.turn().is_some() && game.moves().len() < 24 {
            let nth = game.moves().len() % first.len();
            // What was searched before leaves no trace.
            for seed in [1, 2] {
                choose(&mut levels(seed)[nth], &game).unwrap();
            }
            let choice = choose(&mut first[nth], &game).unwrap();
            assert_eq!(choose(&mut second[nth], &game), Ok(choice));
            game.play(choice.square).unwrap();
        }
        assert!(game.turn().is_none() || game.moves().len() == 24);
        if game.turn().is_none() {
            assert_eq!(choose(&mut first[0], &game), Err(ChooseError::GameOver));
        }
    }
}

/// `docs/players.md` has the matches by which they are calibrated.
#[test]
fn a_level_is_stronger_than_one_three_below() {
    for (low, high) in [(0, 3), (2, 5), (4, 7)] {
        let mut won = 0;
        for nth in 0..20_u16 {
            let mut players = levels(nth.into());
            let mut game = game(Shape::new(9, 9, 5).unwrap(), &[(4, 4), (3 + nth % 3, 3)]);
            while let Some(turn) = game.turn() {
                let is_high = (turn == Mark::X) == (nth % 2 == 0);
                let square =
                    choose(&mut players[if is_high { high } else { low }], &game).unwrap().square;
                game.play(square).unwrap();
            }
            let high = if nth % 2 == 0 { Mark::X } else { Mark::O };
            won += u32::from(game.outcome() == Some(Outcome::Won(high)));
        }
        assert!(won > 12, "{high}: {won} of 20");
    }
}

#[test]
fn random_follows_from_its_seed_and_reaches_every_square() {
    let game = game(Shape::new(4, 4, 4).unwrap(), &[(0, 0), (3, 3)]);
    let moves = |seed| {
        let mut random = Random::new(seed);
        (0..500).map(|_| choose(&mut random, &game).unwrap().square).collect::<Vec<_>>()
    };
    assert_eq!(moves(7), moves(7));
    assert_ne!(moves(7), moves(8));
    let mut seen = moves(7);
    seen.sort();
    seen.dedup();
    assert_eq!(seen, game.board().free().collect::<Vec<_>>());
    // The same on every machine and in every release.
    let first: Vec<String> = moves(0).iter().take(5).map(Square::to_string).collect();
    assert_eq!(first, ["1 1", "3 0", "1 1", "2 2", "0 3"]);
}

#[test]
fn minimax_declines_more_than_twelve_empty_squares() {
    let four = Shape::new(4, 4, 4).unwrap();
    let declined = ChooseError::TooManyForMinimax(13);
    assert_eq!(choose(&mut Minimax, &game(four, &[(0, 0), (0, 1), (0, 2)])), Err(declined));
    let twelve = game(four, &[(0, 0), (0, 1), (0, 2), (0, 3)]);
    assert!(Minimax.choose(&twelve, &mut Budget::nodes(100)).is_err());
}

/// Games of people in which the right move is not any move.
#[test]
fn best_wins_at_once_blocks_and_does_not_walk_into_forks() {
    type Squares = &'static [(u16, u16)];
    let cases: [(Squares, Squares); 6] = [
        // Two ways to win now; not the fork that wins later.
        (&[(0, 0), (0, 2), (0, 1), (1, 0), (1, 1), (2, 0)], &[(2, 1), (2, 2)]),
        (&[(0, 0), (0, 1), (1, 0), (0, 2)], &[(2, 0)]),
        (&[(0, 0), (1, 1), (0, 1)], &[(0, 2)]),
        (&[(0, 0), (1, 1), (2, 1)], &[(1, 0), (1, 2), (2, 0), (2, 2)]),
        (&[(1, 1), (1, 2), (0, 1), (2, 0), (0, 0), (2, 2)], &[(0, 2), (2, 1)]),
        // One square is left.
        (&[(0, 0), (0, 1), (1, 0), (0, 2), (1, 2), (1, 1), (2, 1), (2, 2)], &[(2, 0)]),
    ];
    for (moves, right) in cases {
        let game = game(Shape::TIC_TAC_TOE, moves);
        let Square { row, col } = choose(&mut Best::default(), &game).unwrap().square;
        assert!(right.contains(&(row, col)), "{game:?}: {row} {col}");
    }
}

#[test]
fn best_has_as_many_candidates_on_an_empty_board_as_are_asked_for() {
    let game = game(Shape::new(15, 15, 5).unwrap(), &[]);
    for most in [1, 5, 10] {
        let mut budget = Budget::nodes(20_000);
        let found = Best::default().candidates(&game, most, &mut budget).unwrap();
        let mut squares: Vec<Square> = found.iter().map(|candidate| candidate.square).collect();
        squares.sort_unstable();
        squares.dedup();
        assert_eq!(squares.len(), most, "{found:?}");
        assert!(found.iter().all(|candidate| candidate.depth > 0), "{found:?}");
    }
}

/// Generates small boards with few empty squares, of every kind: k from 1 to the longer side,
/// exact or not.
fn any_position() -> impl Strategy<Value = Game> {
    let sides = (1..=5_u64, 1..=6_u64);
    let choices = prop::collection::vec(any::<prop::sample::Index>(), 30);
    (sides, any::<prop::sample::Index>(), any::<bool>(), 0..=8_usize, choices).prop_map(
        |((rows, cols), k, exact, left, choices)| {
            let k = 1 + k.index(rows.max(cols).try_into().unwrap()) as u64;
            let shape = Shape::new(rows, cols, k).unwrap();
            let mut game = Game::new(shape.with_exact(exact));
            for choice in choices {
                let free: Vec<Square> = game.board().free().collect();
                if free.len() <= left {
                    break;
                }
                game.play(free[choice.index(free.len())]).unwrap();
                if game.outcome().is_some() {
                    game.undo(1).unwrap();
                }
            }
            game
        },
    )
}

/// Turns a square with its board, by a quarter where the board is square, else by a half.
fn turned_square(shape: Shape, Square { row, col }: Square) -> Square {
    let (last_row, last_col) = (shape.rows() - 1, shape.cols() - 1);
    if last_row == last_col {
        Square { row: col, col: last_row - row }
    } else {
        Square { row: last_row - row, col: last_col - col }
    }
}

/// Plays the game again on the turned board.
fn turned(game: &Game) -> Game {
    let shape = game.board().shape();
    let mut turned = Game::new(shape);
    for &square in game.moves() {
        turned.play(turned_square(shape, square)).unwrap();
    }
    turned
}

proptest! {
    #![proptest_config(seeded(400))]

    /// Every claim is true, and with few empty squares everything is claimed.
    #[test]
    fn best_knows_small_boards_by_heart(game in any_position()) {
        let Some(turn) = game.turn() else { return Ok(()) };
        let mut board = game.board().clone();
        if board.free().count() > 8 {
            return Ok(());
        }
        let scores = Textbook::default().scores(&mut board, turn);
        let top = scores.iter().map(|(_, score)| Textbook::rank(*score)).max().unwrap();
        let mut best = Best::default();
        let choice = choose(&mut best, &game).unwrap();
        let (_, truth) = *scores.iter().find(|(square, _)| *square == choice.square).unwrap();
        prop_assert_eq!(choice.score, truth);
        prop_assert_eq!(Textbook::rank(truth), top);
        prop_assert_eq!(best.scores(&game, &mut Budget::nodes(1_000_000)), Ok(scores));
    }

    /// The table keeps a position once for all that it can be turned into.
    #[test]
    fn a_turned_board_is_worth_the_same(game in any_position()) {
        if game.turn().is_none() || game.board().free().count() > 12 {
            return Ok(());
        }
        let mut budget = Budget::nodes(1_000_000);
        let mut best = Best::default();
        let mut scores = best.scores(&game, &mut budget).unwrap();
        let mut now = game;
        for _ in 0..4 {
            let shape = now.board().shape();
            now = turned(&now);
            for (square, _) in &mut scores {
                *square = turned_square(shape, *square);
            }
            scores.sort_by_key(|(square, _)| *square);
            prop_assert_eq!(best.scores(&now, &mut budget).unwrap(), scores.clone(), "{:?}", now);
        }
    }

    /// A small budget gives a move all the same, and no false claim.
    #[test]
    fn best_moves_whatever_it_may_spend(game in any_position(), nodes in 0..200_u64) {
        let Some(turn) = game.turn() else { return Ok(()) };
        let mut budget = Budget::nodes(nodes);
        let choice = Best::default().choose(&game, &mut budget).unwrap();
        prop_assert!(budget.spent() <= nodes);
        prop_assert!(game.clone().play(choice.square).is_ok());
        let polls = Cell::new(0);
        let stop = || {
            polls.set(polls.get() + 1);
            if polls.get() > 3 { 1.0 } else { 0.0 }
        };
        let mut budget = Budget::nodes(u64::MAX).or_until(&stop);
        prop_assert!(Best::default().choose(&game, &mut budget).is_ok());
        let mut board = game.board().clone();
        if board.free().count() > 8 {
            return Ok(());
        }
        let scores = Textbook::default().scores(&mut board, turn);
        let (_, truth) = *scores.iter().find(|(square, _)| *square == choice.square).unwrap();
        prop_assert!(is_true(choice.score, truth), "{:?} {:?}", choice, truth);
    }
}

/// The values of small boards that are known from the literature (Uiterwijk and van den Herik,
/// "The advantage of the initiative", 2000; Hsu and others, "Solving m,n,k-games", 2020).
#[test]
fn best_proves_the_boards_that_are_known() {
    let draws = [
        (4, 4, 4),
        (4, 5, 4),
        (4, 6, 4),
        (4, 7, 4),
        (5, 5, 4),
        (5, 5, 5),
        (5, 6, 5),
        (5, 7, 5),
        (5, 8, 5),
        (6, 6, 5),
        (6, 6, 6),
        (5, 9, 5),
        (6, 7, 5),
        (7, 7, 5),
        (8, 8, 8),
        (1, 11, 3),
        (2, 10, 3),
        (3, 10, 4),
    ];
    let mut wins = vec![
        (5, 6, 4, 11),
        (6, 6, 4, 11),
        (7, 7, 4, 11),
        (8, 8, 4, 11),
        (1, 3, 2, 3),
        (2, 2, 2, 3),
        (4, 4, 3, 5),
        (5, 5, 3, 5),
        (6, 7, 3, 5),
        (8, 8, 3, 5),
        (11, 11, 3, 5),
        (3, 3, 1, 1),
    ];
    wins.extend((4..=10).map(|cols| (3, cols, 3, 7)));
    let draws = draws.map(|(rows, cols, k)| (rows, cols, k, Value::Draw, rows * cols));
    let wins = wins.into_iter().map(|(rows, cols, k, plies)| (rows, cols, k, Value::Win, plies));
    for (rows, cols, k, value, plies) in wins.chain(draws) {
        let game = Game::new(Shape::new(rows, cols, k).unwrap());
        let mut budget = Budget::nodes(4_000_000);
        let choice = Best::default().choose(&game, &mut budget).unwrap();
        let score = Score { value, plies: Some(plies.try_into().unwrap()) };
        assert_eq!(choice.score, score, "{rows} x {cols}, k = {k}");
    }
}
