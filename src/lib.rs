//! Plays and judges tic-tac-toe and every game of k in a row on an m × n board, up to gomoku.
//!
//! The promise of this library is its root: the rules, and the trait of a player.
//!
//! * [`Board`] owns the grid and a running total per row, column and diagonal. [`Board::place`] and
//!   [`Board::unplace`] alone write them.
//! * [`Game`] owns the turn, the end and the history. [`Game::play`] returns the verdict.
//! * [`Player`] is whoever can choose a move. [`Random`], [`Rules`], [`Minimax`] and [`Best`] can.
//!
//! ```
//! use noughts::{Game, Mark, Refusal, Shape, Square, Verdict};
//!
//! let mut game = Game::new(Shape::new(3, 3, 3)?);
//! for (row, col) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
//!     assert_eq!(game.play(Square { row, col })?, Verdict::Ongoing);
//! }
//! // A refused move changes nothing and says why.
//! let (square, by) = (Square { row: 0, col: 0 }, Mark::X);
//! assert_eq!(game.play(square), Err(Refusal::Occupied { square, by }));
//! // The move that completes a line says so, and which line it is.
//! let Verdict::Win(lines) = game.play(Square { row: 0, col: 2 })? else {
//!     unreachable!("X has the top row");
//! };
//! let run: Vec<String> = lines.iter().flat_map(|run| run.squares()).map(|s| s.to_string()).collect();
//! assert_eq!(run, ["0 0", "0 1", "0 2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The map
//!
//! The program is made of rooms, and each uses only those before it: [`game`], [`search`],
//! [`player`], [`command`] (a line becomes a command), [`reply`] (the answer as data, text and
//! JSON), [`session`] (the games by name: a command in, a reply out), [`shell`] (the loop, the
//! prompt, the journal). [`limit`] gives searches their budget, [`mod@gomocup`] is another shell,
//! `hall` holds games that many people share, `net` serves them, [`records`] reads and writes games
//! in the formats of others, `contest` lets programs play, `check` compares the replies to scripts,
//! [`mod@bench`] measures. The first three know no lines, no JSON, no input or output.
//!
//! # What is left out, and why
//!
//! * **A `Cell` object**: a square holds a mark or nothing, which is one byte of a private grid;
//!   an object a square would cost memory and say no more.
//! * **A move validator**: its checks would read state that [`Game`] owns, and could be skipped.
//!   [`Game::play`] checks everything, then acts.
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

// The rooms are public for the program and its tests. Only the root follows semantic versions.
#[doc(hidden)]
pub mod bench;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod command;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod contest;
#[doc(hidden)]
pub mod game;
#[doc(hidden)]
pub mod gomocup;
#[cfg(feature = "net")]
#[doc(hidden)]
pub mod hall;
#[doc(hidden)]
pub mod limit;
#[cfg(feature = "net")]
#[doc(hidden)]
pub mod net;
#[doc(hidden)]
pub mod player;
#[doc(hidden)]
pub mod prove;
#[doc(hidden)]
pub mod records;
#[doc(hidden)]
pub mod reply;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod session;
#[doc(hidden)]
pub mod shell;

pub use game::{
    Board, Game, Lines, Mark, Outcome, ParseMarkError, ParseSquareError, PlaceError, PositionError,
    Refusal, ReplayError, Run, Shape, ShapeError, Square, Verdict,
};
pub use player::{Best, Cause, Choice, ChooseError, Forfeit, Minimax, Player, Random, Rules};
pub use search::{Budget, Score, Spent, Value};

#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryExamples;
