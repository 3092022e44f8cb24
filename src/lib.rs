//! Plays and judges tic-tac-toe and every game of k in a row on an m × n board, up to gomoku.
//!
//! A line of text goes in at the bottom of this list, up to the rules, and back down as a reply:
//!
//! * [`Board`](game::Board), the grid and a running total per row, column and
//!   diagonal, written by `place` and `unplace` alone;
//! * [`game`]: [`Game`](game::Game), whose turn it is, how the game ended, its history and its
//!   version;
//! * [`player`]: [`Player`](player::Player), who can move for a side, and the players by name;
//! * [`search`]: what the players stand on;
//! * [`command`]: [`Command`](command::Command), one line of text, parsed;
//! * [`reply`]: [`Reply`](reply::Reply), the answer as data, spelt as text or JSON;
//! * [`session`]: [`Session`](session::Session), the games by name, which runs a command and
//!   returns its reply;
//! * [`repl`](shell::repl): reads a line, answers it, and goes on;
//! * [`journal`](shell::journal): the file that a session is kept in, as the commands that make it again;
//! * `shell::prompt`: the same with a person at a terminal;
//! * [`mod@gomocup`]: the protocol by which gomoku managers talk to their players;
//! * [`mod@bench`]: fixed positions to measure with.
//!
//! The first four know nothing of the others: no lines, no JSON, no input or output.
//!
//! ```
//! use noughts::game::{Mark, Shape, Square};
//! use noughts::game::{Game, Refusal, Verdict};
//!
//! let mut game = Game::new(Shape::new(3, 3, 3)?);
//! for (row, col) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
//!     let verdict = game.play(Square { row, col });
//!     assert_eq!(verdict, Ok(Verdict::Ongoing));
//! }
//! // A refused move changes nothing and says why.
//! let (square, by) = (Square { row: 0, col: 0 }, Mark::X);
//! assert_eq!(game.play(square), Err(Refusal::Occupied { square, by }));
//! // The move that completes a line says so, and which line it is.
//! let Ok(Verdict::Win(lines)) = game.play(Square { row: 0, col: 2 }) else {
//!     unreachable!("X has the top row");
//! };
//! let run: Vec<String> = lines.iter().flat_map(|run| run.squares()).map(|s| s.to_string()).collect();
//! assert_eq!(run, ["0 0", "0 1", "0 2"]);
//! # Ok::<(), noughts::game::ShapeError>(())
//! ```
//!
//! # What is left out, and why
//!
//! * **A `Cell` object**: a square holds a mark or nothing, which is one byte of a private grid;
//!   an object a square would cost memory and say no more.
//! * **A move validator**: its checks would read state that [`Game`](game::Game) owns, and could
//!   be skipped. [`Game::play`](game::Game::play) checks everything, then acts.
//! * **A win checker**: only the newest mark can complete a line, so the method that places it
//!   knows, from the totals it updates or the squares around it.
//! * **Observers**: nobody else listens. A move returns its verdict to the one who asked for it.
//! * **A factory or a builder**: three numbers make a board; a constructor checks them.
//! * **State classes**: whose turn it is follows from the number of marks, and the end is one
//!   `Option`; a class for each would multiply two sides by three stages.
//! * **A singleton**: a session is a value. Tests, servers and threads make as many as they want.
//!
//! # What varies, and what stays
//!
//! Expected to vary: the size of the board and k, whether a longer run wins, who plays, how
//! replies are spelt, where lines come from. Each of these is a value or a parameter. Expected to
//! stay: two players who alternate, one mark a move, marks that do not move once placed, a line
//! that is straight, and full sight of the board. A game that breaks one of these (captures, three
//! players, gravity) is another program.

pub mod bench;
pub mod command;
pub mod game;
pub mod gomocup;
pub mod limit;
pub mod player;
pub mod reply;
pub mod search;
pub mod session;
pub mod shell;

pub use game::{
    Board, Game, Lines, Mark, Outcome, ParseMarkError, PlaceError, PositionError, Refusal,
    ReplayError, Run, Shape, ShapeError, Square, Verdict,
};
pub use player::{Best, Choice, ChooseError, Minimax, Player, Random, Rules};
pub use search::{Budget, Score, Value};

#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryExamples;
