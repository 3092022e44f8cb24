//! Replies as text: a result and a sentence, and what follows on lines of its own.

use std::fmt::{self, Display};
use std::io::{self, Write};

use super::{Answer, Code, Origin, Picture, Reply, RunError, Thought};
use crate::command::{Coords, Letters, Place, RowOne, Seat, Size, Verb, overview};
use crate::game::{Game, Mark, MoveCount, Refusal, Square, Verdict, bounds};
use crate::player::ChooseError;
use crate::search::{Candidate, Score, Value};

/// Appends the reply with the number of its line, or without for the screen.
pub(super) fn write(
    reply: &Reply<'_>,
    code: Code,
    origin: Option<Origin<'_>>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    match code {
        // Most replies are these, and a constant is appended without a call.
        Code::Ok => out.extend_from_slice(b"OK: "),
        _ => write!(out, "{}: ", code.name())?,
    }
    let (game, is_styled) = (reply.game, origin.is_none());
    let answer = match &reply.answer {
        Ok(answer) => answer,
        Err(error) => return write_error(error, origin, out),
    };
    match answer {
        Answer::Moved(verdict, None) => {
            // A person may move in place of the computer on the seat.
            write_move(reply, verdict, Some(reply.seats), out);
        }
        Answer::Moved(verdict, Some(Thought { player, score, .. })) => {
            write_move(reply, verdict, None, out);
            // A person who plays against it asks before they are told.
            let score = if is_styled { Score::UNKNOWN } else { *score };
            let mover = reply.last_move().map(|(mark, _)| mark);
            write!(out, " ({player}{})", opinion(mover, score))?;
        }
        Answer::Replayed(verdict)
        | Answer::Redone(_, verdict @ (Verdict::Win(_) | Verdict::Draw)) => {
            write_move(reply, verdict, None, out);
        }
        Answer::Hint(square, Thought { player, score, .. }) => {
            let mark = game.turn().map_or("", Mark::name);
            let opinion = opinion(game.turn(), *score);
            let square = reply.name_of(*square);
            write!(out, "{player} would play {mark} at {square}{opinion}")?;
        }
        Answer::Analysis(scores) => {
            const LEGEND: &str = "+ wins, = draws, - loses, ? is not known";
            let picture = Picture::new(game, scores, is_styled, reply.coords);
            write!(out, "{}: {LEGEND}\n{picture}", standing(game))?;
        }
        Answer::Candidates(candidates, nodes) => write_candidates(reply, candidates, *nodes, out)?,
        Answer::Count(1) => out.extend_from_slice(b"1 sequence"),
        Answer::Count(count) => write!(out, "{count} sequences")?,
        Answer::Seated(mark) => write!(out, "{} plays {mark}", Seat::of(*mark, reply.seats))?,
        Answer::Seats | Answer::Swapped => write!(out, "{}", seats(reply))?,
        Answer::Coords => write!(out, "squares are written in {}", coords(reply.coords))?,
        Answer::Redone(..) => write_moves(reply, b"played ", b" again, ", out)?,
        Answer::Undone(_) => write_moves(reply, b"took back ", b", ", out)?,
        Answer::Started => write!(out, "{}, {}{}", shape(game), standing(game), gomoku(game))?,
        Answer::SetUp => write!(out, "{}, {}", shape(game), standing(game))?,
        Answer::Moves if game.moves().is_empty() => out.extend_from_slice(b"no moves yet"),
        Answer::Moves => write_squares(reply, game.moves().iter().copied(), b" ", out),
        Answer::Board => {
            let picture = Picture::new(game, &[], is_styled, reply.coords);
            write!(out, "{}, {}\n{picture}", shape(game), standing(game))?;
        }
        Answer::At(square) => {
            let name = reply.name_of(*square);
            match game.board().at(*square) {
                Some(mark) => write!(out, "{name} is taken by {mark}")?,
                None => write!(out, "{name} is empty")?,
            }
        }
        Answer::Free if game.board().is_full() => out.extend_from_slice(b"no empty square"),
        Answer::Free => write_squares(reply, game.board().free(), b", ", out),
        Answer::Status => {
            let (made, version) = (MoveCount(game.moves().len()), game.version());
            let (standing, shape) = (standing(game), shape(game));
            write!(out, "{standing}, {shape}, {made}, version {version}")?;
            if reply.seats.iter().any(Seat::is_automatic) {
                write!(out, ", {}", seats(reply))?;
            }
        }
        Answer::Game | Answer::WentOver => {
            write!(out, "game {}, {}, {}", reply.name, shape(game), standing(game))?;
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
        Answer::Saved(_) | Answer::Loaded { .. } => write!(out, "{}", kept(reply))?,
        Answer::Help(verb) => out.extend_from_slice(help(*verb).as_bytes()),
        Answer::Bye => out.extend_from_slice(b"bye"),
    }
    write_computer_that_waits(reply, answer, out)?;
    if let Answer::Loaded { notes, .. } = answer {
        for note in notes {
            write!(out, "\n{note}")?;
        }
    }
    Ok(())
}

/// Appends how the computer on a seat comes to move, where it is its turn after an answer that does
/// not let it.
fn write_computer_that_waits(
    reply: &Reply<'_>,
    answer: &Answer,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let waits = match answer {
        Answer::Undone(_) | Answer::Redone(..) | Answer::Replayed(_) | Answer::SetUp => true,
        // A game without moves is loaded as by `new`.
        Answer::Loaded { .. } => !reply.game.moves().is_empty(),
        _ => false,
    };
    let turn = reply.game.turn().filter(|_| waits);
    let seat = turn.map(|turn| Seat::of(turn, reply.seats));
    match seat.filter(|seat| seat.is_automatic()) {
        Some(seat) => write!(out, "; \"go\" lets {seat} move"),
        None => Ok(()),
    }
}

/// What was saved or loaded: `loaded 23 moves from game.sgf, O to move`.
pub(super) fn kept(reply: &Reply<'_>) -> impl Display {
    let (game, answer) = (reply.game, &reply.answer);
    fmt::from_fn(move |f| {
        let moves = MoveCount(game.moves().len());
        match answer {
            Ok(Answer::Saved(file)) => write!(f, "saved {moves} in {file}"),
            Ok(Answer::Loaded { file, .. }) => {
                write!(f, "loaded {moves} from {file}, {}", standing(game))
            }
            _ => Ok(()),
        }
    })
}

/// `line 7: 0 0 is taken by X`, and how to ask a program again that has forfeited.
fn write_error(error: &RunError, origin: Option<Origin<'_>>, out: &mut Vec<u8>) -> io::Result<()> {
    // Before the first line only a computer can have been asked.
    match origin.map(|origin| (origin.source, origin.line)) {
        Some((Some(source), 0)) => write!(out, "{source}: ")?,
        Some((Some(source), line)) => write!(out, "{source}:{line}: ")?,
        Some((None, line @ 1..)) => write!(out, "line {line}: ")?,
        _ => {}
    }
    write!(out, "{error}")?;
    match error {
        RunError::Choose(ChooseError::Forfeit(_)) => write!(out, "; \"go\" asks again"),
        _ => Ok(()),
    }
}

pub(super) fn help(verb: Option<Verb>) -> String {
    verb.map_or_else(overview, Verb::help)
}

/// `X at 0 0, O to move`, or `X at 0 0 for best, O to move` where `best` has the seat of X. Without
/// formatting machinery, since most replies are these.
fn write_move(reply: &Reply<'_>, verdict: &Verdict, seats: Option<&[Seat; 2]>, out: &mut Vec<u8>) {
    let Some((mark, square)) = reply.last_move() else {
        return;
    };
    out.extend_from_slice(match mark {
        Mark::X => b"X at ",
        Mark::O => b"O at ",
    });
    write_square(reply, square, out);
    let seat = seats.map(|seats| Seat::of(mark, seats));
    if let Some(player) = seat.filter(|seat| seat.is_automatic()) {
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
            let most = if reply.game.board().shape().k() > 1 { 4 } else { 1 };
            for (nth, run) in lines.iter().take(most).enumerate() {
                let before: &[u8] = if nth > 0 { b" and " } else { b" completes " };
                out.extend_from_slice(before);
                write_squares(reply, run.squares(), b", ", out);
            }
        }
        Verdict::Draw => out.extend_from_slice(b" fills the board"),
    }
}

/// `took back 0 2, X to move`, or `took back 3 moves, X to move`.
fn write_moves(reply: &Reply<'_>, did: &[u8], how: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(did);
    match reply.moves() {
        [square] => write_square(reply, *square, out),
        moves => write!(out, "{}", MoveCount(moves.len()))?,
    }
    out.extend_from_slice(how);
    match reply.game.turn() {
        Some(Mark::X) => out.extend_from_slice(b"X to move"),
        Some(Mark::O) => out.extend_from_slice(b"O to move"),
        None => write!(out, "{}", standing(reply.game))?,
    }
    Ok(())
}

fn write_square(reply: &Reply<'_>, square: Square, out: &mut Vec<u8>) {
    if reply.coords.has_letters {
        // A vector takes what it is given.
        let _ = write!(out, "{}", reply.name_of(square));
        return;
    }
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

fn write_squares(
    reply: &Reply<'_>,
    squares: impl Iterator<Item = Square>,
    between: &[u8],
    out: &mut Vec<u8>,
) {
    for (nth, square) in squares.enumerate() {
        if nth > 0 {
            out.extend_from_slice(between);
        }
        write_square(reply, square, out);
    }
}

/// Hardly anybody gets so many in a row, and who asks for a large board seldom means it.
const HARDLY_WON: u16 = 10;

/// Tells how gomoku is asked for, where the side of a large board wins.
fn gomoku(game: &Game) -> impl Display {
    let board = game.board().shape();
    fmt::from_fn(move |f| {
        if board.k() < HARDLY_WON {
            return Ok(());
        }
        let size = Size::from(board).to_string();
        let (rows, cols) = size.split_once('x').unwrap_or_default();
        let size = if rows == cols { rows } else { &size };
        write!(f, "; \"new {size} 5\" is gomoku, where 5 in a row win")
    })
}

fn coords(coords: Coords) -> &'static str {
    match (coords.has_letters, coords.row_one) {
        (false, _) => "numbers, row and column from 0 at the top left",
        (true, RowOne::Bottom) => "letters, a1 at the bottom left",
        (true, RowOne::Top) => "letters, a1 at the top left",
    }
}

/// `human plays X, best plays O`.
fn seats(reply: &Reply<'_>) -> impl Display {
    let [x, o] = reply.seats;
    fmt::from_fn(move |f| write!(f, "{x} plays X, {o} plays O"))
}

/// `3 x 3, 3 in a row`.
fn shape(game: &Game) -> impl Display {
    let shape = game.board().shape();
    let exactly = if shape.is_exact() { "exactly " } else { "" };
    fmt::from_fn(move |f| {
        write!(f, "{} x {}, {exactly}{} in a row", shape.rows(), shape.cols(), shape.k())
    })
}

/// `X to move`, or how the game ended.
fn standing(game: &Game) -> impl Display {
    fmt::from_fn(|f| match (game.outcome(), game.turn()) {
        (Some(outcome), _) => write!(f, "{outcome}"),
        (None, Some(turn)) => write!(f, "{turn} to move"),
        (None, None) => Ok(()),
    })
}

/// The words that the score of a move by `mover` adds: `: X wins in 5 moves`. Nothing where the
/// value is not known.
fn opinion(mover: Option<Mark>, Score { value, plies }: Score) -> impl Display {
    fmt::from_fn(move |f| {
        let winner = match value {
            Value::Win => mover,
            Value::Loss => mover.map(Mark::other),
            Value::Draw => return f.write_str(": a draw"),
            Value::Unknown => None,
        };
        let Some(winner) = winner else { return Ok(()) };
        write!(f, ": {winner} wins")?;
        plies.map_or(Ok(()), |plies| write!(f, " in {}", MoveCount(plies as usize)))
    })
}

/// The most moves of a line of play that fit beside the rest.
const MOST_SHOWN: usize = 6;

/// A table of the best moves: the square, who wins or the chances of the mover, the depth of the
/// search, and the line of play.
fn write_candidates(
    reply: &Reply<'_>,
    candidates: &[Candidate],
    nodes: u64,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mover = reply.game.turn();
    let mark = mover.map_or("", Mark::name);
    write!(out, "the best moves for {mark} and its chances, by {nodes} positions")?;
    let name = |square: &Square| reply.name_of(*square).to_string();
    let rows: Vec<[String; 4]> = candidates
        .iter()
        .map(|Candidate { square, score, evaluation, depth, line }| {
            let value = match score.value {
                Value::Unknown => format!("{} %", chances(*evaluation)),
                _ => opinion(mover, *score).to_string().split_off(2),
            };
            let depth = if *depth > 0 { format!("depth {depth}") } else { String::new() };
            let line: Vec<String> = line.iter().take(MOST_SHOWN).map(name).collect();
            let then = if line.is_empty() { "" } else { "then " };
            [name(square), value, depth, format!("{then}{}", line.join(", "))]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [names, values, depths] = [0, 1, 2].map(width);
    for [name, value, depth, line] in &rows {
        write!(out, "\n  {name:>names$}  {value:<values$}  {depth:<depths$}  {line}")?;
        out.truncate(out.trim_ascii_end().len());
    }
    Ok(())
}

/// The chances in percent that an evaluation tells of: 500 more is a factor of e in the odds.
fn chances(evaluation: i32) -> u32 {
    let odds = (f64::from(evaluation) / 500.0).exp();
    let percent = 100.0 * odds / (1.0 + odds);
    (1..100).take_while(|tried| f64::from(*tried) <= percent).last().unwrap_or(1)
}

/// Says why a square was refused, as it was named.
pub(super) fn refused(
    nth: Option<usize>,
    mark: Option<Mark>,
    place: Place,
    refusal: Refusal,
) -> impl Display {
    fmt::from_fn(move |f| {
        if let Some(nth) = nth {
            write!(f, "move {nth}: ")?;
        }
        match (refusal, place) {
            (Refusal::Occupied { by, .. }, _) => write!(f, "{place} is taken by {by}")?,
            (Refusal::OffBoard { shape, .. }, Place::Nth(_)) => {
                let last = shape.squares();
                write!(f, "{place} is off the board: numbers run from 1 to {last}")?;
            }
            (Refusal::OffBoard { shape, .. }, Place::Letters(_)) => {
                let last =
                    Letters::of(Square { row: 0, col: shape.cols() - 1 }, shape, RowOne::Top);
                let (cols, rows) = (last.to_string(), shape.rows());
                let cols = cols.trim_end_matches('1');
                write!(
                    f,
                    "{place} is off the board: columns run from a to {cols}, rows from 1 to {rows}"
                )?;
            }
            (Refusal::OffBoard { shape, .. }, Place::At(..)) => {
                write!(f, "{place} is off the board: {}", bounds(shape))?;
            }
            _ => return refusal.fmt(f),
        }
        match (nth, mark) {
            (None, Some(mark)) => write!(f, "; {mark} to move"),
            _ => Ok(()),
        }
    })
}

/// Reminds of the sign between rows, after a diagram that has one row.
pub(super) fn one_row(Size { rows, cols }: Size) -> impl Display {
    fmt::from_fn(move |f| match rows {
        1 => write!(f, "; the diagram is one row of {cols}: \"/\" stands between rows"),
        _ => Ok(()),
    })
}
