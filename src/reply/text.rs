//! Replies as text: a result and a sentence, and what follows on lines of its own.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, Write};

use super::{Answer, Code, Move, Origin, Picture, Reply, RunError, Thought};
use crate::command::{Place, Size, Verb, overview, quoted};
use crate::game::{Bounds, Game, Mark, MoveCount, Refusal, Shape, Square, Verdict};
use crate::player::Kind;
use crate::search::{Score, Value};

/// Appends the reply with the number of its line, or without for the screen.
pub(super) fn write(
    reply: &Reply<'_>,
    code: Code,
    origin: Option<Origin<'_>>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    out.extend_from_slice(code.name().as_bytes());
    out.extend_from_slice(b": ");
    let (game, is_styled) = (reply.game, origin.is_none());
    let answer = match &reply.answer {
        Ok(answer) => answer,
        Err(error) => {
            // Before the first line only a computer can have been asked.
            return match origin {
                Some(Origin { source: Some(source), line: 0 }) => write!(out, "{source}: {error}"),
                Some(Origin { source: Some(source), line }) => {
                    write!(out, "{source}:{line}: {error}")
                }
                Some(Origin { source: None, line: line @ 1.. }) => {
                    write!(out, "line {line}: {error}")
                }
                _ => write!(out, "{error}"),
            };
        }
    };
    match answer {
        Answer::Moved(made, thought) => {
            // A person may move in place of the computer on the seat.
            let player = if thought.is_none() { reply.computer(made.mark) } else { None };
            write_move(*made, player, game, out);
            if let Some(Thought { player, score, .. }) = thought {
                write!(out, " ({player}{})", Opinion(": ", *score))?;
            }
        }
        Answer::Replayed(made) => write_move(*made, None, game, out),
        Answer::Hint(mark, square, Thought { player, score, .. }) => {
            let opinion = Opinion(", ", *score);
            write!(out, "{player} would play {mark} at {square}{opinion}")?;
        }
        Answer::Analysis(scores) => {
            const LEGEND: &str = "+ wins, = draws, - loses, ? is not known";
            let picture = Picture::new(game, scores, is_styled);
            write!(out, "{}: {LEGEND}\n{picture}", Standing(game))?;
        }
        Answer::Count(1) => out.extend_from_slice(b"1 sequence"),
        Answer::Count(count) => write!(out, "{count} sequences")?,
        Answer::Seated(mark, seat) => write!(out, "{seat} plays {mark}")?,
        &Answer::Redone(_, verdict @ (Verdict::Win(_) | Verdict::Draw)) => {
            if let Some(&square) = game.moves().last() {
                let mark = Mark::after(game.board().marks()).other();
                write_move(Move { mark, square, verdict }, None, game, out);
            }
        }
        Answer::Redone(..) => write_moves(reply, b"played ", b" again, ", out)?,
        Answer::Undone(_) => write_moves(reply, b"took back ", b", ", out)?,
        Answer::Started | Answer::SetUp => write!(out, "{}, {}", ShapeText(game), Standing(game))?,
        Answer::Moves if game.moves().is_empty() => out.extend_from_slice(b"no moves yet"),
        Answer::Moves => write_squares(game.moves().iter().copied(), b" ", out),
        Answer::Board => {
            let picture = Picture::new(game, &[], is_styled);
            write!(out, "{}, {}\n{picture}", ShapeText(game), Standing(game))?;
        }
        Answer::At(square) => match game.board().at(*square) {
            Some(mark) => write!(out, "{square} is taken by {mark}")?,
            None => write!(out, "{square} is empty")?,
        },
        Answer::Free if game.board().is_full() => out.extend_from_slice(b"no empty square"),
        Answer::Free => write_squares(game.board().free(), b", ", out),
        Answer::Status => {
            let (made, version) = (MoveCount(game.moves().len()), game.version());
            let (standing, shape) = (Standing(game), ShapeText(game));
            write!(out, "{standing}, {shape}, {made}, version {version}")?;
        }
        Answer::Game | Answer::WentOver => {
            let (shape, standing) = (ShapeText(game), Standing(game));
            write!(out, "game {}, {shape}, {standing}", reply.name)?;
        }
        Answer::Games(names) => {
            for (nth, name) in names.iter().enumerate() {
                write!(out, "{}{name}", if nth > 0 { ", " } else { "" })?;
            }
        }
        Answer::Dropped(name) if name == reply.name => {
            write!(out, "dropped {name}, which starts afresh")?;
        }
        Answer::Dropped(name) => write!(out, "dropped {name}, now in {}", reply.name)?,
        Answer::Help(verb) => out.extend_from_slice(help(*verb).as_bytes()),
        Answer::Bye => out.extend_from_slice(b"bye"),
    }
    let sleeps = matches!(
        answer,
        Answer::Undone(_) | Answer::Redone(..) | Answer::Replayed(_) | Answer::SetUp
    );
    let computer = game.turn().filter(|_| sleeps).and_then(|turn| reply.computer(turn));
    computer.map_or(Ok(()), |kind| write!(out, "; \"go\" lets {kind} move"))
}

/// The help for one command, or for all.
pub(super) fn help(verb: Option<Verb>) -> String {
    verb.map_or_else(overview, Verb::help)
}

/// `X at 0 0, O to move`, or `X at 0 0 for best, O to move`. Without formatting machinery, since
/// most replies are these.
fn write_move(
    Move { mark, square, verdict }: Move,
    player: Option<Kind>,
    game: &Game,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(match mark {
        Mark::X => b"X at ",
        Mark::O => b"O at ",
    });
    write_square(square, out);
    if let Some(player) = player {
        out.extend_from_slice(b" for ");
        out.extend_from_slice(player.name().as_bytes());
    }
    match verdict {
        Verdict::Ongoing => out.extend_from_slice(match mark {
            Mark::X => b", O to move",
            Mark::O => b", X to move",
        }),
        Verdict::Win(lines) => {
            // With k = 1 one square is a line in every direction: naming it once is enough.
            let most = if game.board().shape().k() > 1 { 4 } else { 1 };
            for (nth, run) in lines.iter().take(most).enumerate() {
                let before: &[u8] = if nth > 0 { b" and " } else { b" completes " };
                out.extend_from_slice(before);
                write_squares(run.squares(), b", ", out);
            }
        }
        Verdict::Draw => out.extend_from_slice(b" fills the board"),
    }
}

/// `took back 0 2, X to move`, or `took back 3 moves, X to move`.
fn write_moves(reply: &Reply<'_>, did: &[u8], how: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(did);
    match reply.moves() {
        [square] => write_square(*square, out),
        moves => write!(out, "{}", MoveCount(moves.len()))?,
    }
    out.extend_from_slice(how);
    match reply.game.turn() {
        Some(Mark::X) => out.extend_from_slice(b"X to move"),
        Some(Mark::O) => out.extend_from_slice(b"O to move"),
        None => write!(out, "{}", Standing(reply.game))?,
    }
    Ok(())
}

fn write_square(square: Square, out: &mut Vec<u8>) {
    write_number(square.row, out);
    out.push(b' ');
    write_number(square.col, out);
}

/// Appends a coordinate. One digit is a byte, and most coordinates have one.
#[inline]
pub(super) fn write_number(number: u16, out: &mut Vec<u8>) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(b'0' + digit),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

fn write_squares(squares: impl Iterator<Item = Square>, between: &[u8], out: &mut Vec<u8>) {
    for (nth, square) in squares.enumerate() {
        if nth > 0 {
            out.extend_from_slice(between);
        }
        write_square(square, out);
    }
}

/// `3 x 3, 3 in a row`.
struct ShapeText<'a>(&'a Game);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.0.board().shape();
        let exactly = if shape.is_exact() { "exactly " } else { "" };
        let (rows, cols, k) = (shape.rows(), shape.cols(), shape.k());
        write!(f, "{rows} x {cols}, {exactly}{k} in a row")
    }
}

/// `X to move`, or how the game ended.
struct Standing<'a>(&'a Game);

impl fmt::Display for Standing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.outcome(), self.0.turn()) {
            (Some(outcome), _) => write!(f, "{outcome}"),
            (None, Some(turn)) => write!(f, "{turn} to move"),
            (None, None) => Ok(()),
        }
    }
}

/// The words that a score adds to a sentence, after some between: `a win in 5 moves`. Nothing where the
/// value is not known.
struct Opinion(&'static str, Score);

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(between, Score { value, plies }) = *self;
        let value = match value {
            Value::Win => "a win",
            Value::Draw => return write!(f, "{between}a draw"),
            Value::Loss => "a loss",
            Value::Unknown => return Ok(()),
        };
        write!(f, "{between}{value}")?;
        match plies {
            Some(plies) => write!(f, " in {}", MoveCount(plies as usize)),
            None => Ok(()),
        }
    }
}

/// The message for people.
impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { mark, place, refusal } => {
                write_refusal(refusal, *place, f)?;
                match (refusal, mark) {
                    (Refusal::OffBoard { .. } | Refusal::Occupied { .. }, Some(mark)) => {
                        write!(f, "; {mark} to move")
                    }
                    _ => Ok(()),
                }
            }
            Self::Replay { nth, place, refusal, .. } => {
                write!(f, "move {nth}: ")?;
                write_refusal(refusal, *place, f)
            }
            Self::Change(refusal) => refusal.fmt(f),
            Self::OffBoard(place, shape) => write_off_board(*place, *shape, f),
            Self::Choose(error) => error.fmt(f),
            Self::Perft(error) => error.fmt(f),
            Self::Ragged(error) => error.fmt(f),
            Self::Position(error, Size { rows: 1, cols }) => {
                write!(f, "{error}; the diagram is one row of {cols}: \"/\" stands between rows")
            }
            Self::Position(error, _) => error.fmt(f),
            Self::Shape(error) => error.fmt(f),
            Self::TooManyGames { most } => {
                write!(f, "a session holds {most} games: \"drop\" one first")
            }
            Self::TooManySquares { squares, most } => write!(
                f,
                "that would make {squares} squares in all games: at most {most}, \"drop\" a game first"
            ),
            Self::NoGame(name) => {
                let name = quoted(name.as_str());
                write!(f, "there is no game {name}: \"games\" lists them")
            }
            Self::Misunderstood(error) => error.fmt(f),
        }
    }
}

impl Error for RunError {}

/// Writes a refusal with the square as it was named.
fn write_refusal(refusal: &Refusal, place: Place, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match refusal {
        Refusal::Occupied { by, .. } => write!(f, "{place} is taken by {by}"),
        Refusal::OffBoard { shape, .. } => write_off_board(place, *shape, f),
        _ => refusal.fmt(f),
    }
}

fn write_off_board(place: Place, shape: Shape, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match place {
        Place::Nth(_) => {
            let last = shape.squares();
            write!(f, "{place} is off the board: numbers run from 1 to {last}")
        }
        Place::At(..) => write!(f, "{place} is off the board: {}", Bounds(shape)),
    }
}
