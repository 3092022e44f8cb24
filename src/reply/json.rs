//! Replies as JSON: one object a line, its members in the order of the contract.
//!
//! The members are appended as plain bytes, since nearly none of them can need an escape; texts
//! that do need one go through `serde_json`.

use std::io;

use super::text::{kept, write_number};
use super::{Answer, Code, Origin, Reply, RunError, Thought};
use crate::command::{Name, RowOne};
use crate::game::{Game, Mark, Outcome, Refusal, Shape, Square, Verdict};
use crate::player::Kind;
use crate::search::{Score, Value};

/// The start of a member, put together by the compiler: one copy is quicker than four.
macro_rules! key {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

/// Appends the reply as an object, without a line end. Members that do not apply are left out.
pub(super) fn write(
    reply: &Reply<'_>,
    code: Code,
    origin: Origin<'_>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let game = reply.game;
    let start = out.len();
    let mut object = Object(out);
    if let Some(source) = origin.source {
        object.text(key!("source"), source)?;
    }
    object.number(key!("line"), origin.line);
    if let Some(verb) = reply.verb {
        object.word(key!("command"), verb.name());
    }
    match code {
        Code::Ok => object.raw(concat!(key!("result"), "\"OK\"")),
        _ => object.word(key!("result"), code.name()),
    }
    match &reply.answer {
        Ok(answer) => {
            object.kept(reply, answer)?;
            object.comment(origin)?;
            object.answer(reply, answer)?;
        }
        Err(error) => {
            object.error(error)?;
            object.comment(origin)?;
            object.refused(error, game.board().shape(), reply.coords.row_one);
        }
    }
    object.text(key!("game"), reply.name.as_str())?;
    if let Ok(Answer::Started | Answer::Status | Answer::SetUp | Answer::Board) = reply.answer {
        object.shape(game.board().shape());
    }
    if let Ok(Answer::Status) = reply.answer {
        object.number(key!("moves_made"), game.moves().len());
    }
    object.standing(game);
    // The first comma makes way.
    if let Some(first) = out.get_mut(start) {
        *first = b'{';
    }
    Ok(())
}

/// Appends the last members of an object, which tell how the game stands, and its end.
pub fn write_standing(game: &Game, out: &mut Vec<u8>) {
    Object(out).standing(game);
}

/// A JSON object that members are appended to, each after a comma.
struct Object<'a>(&'a mut Vec<u8>);

impl Object<'_> {
    /// The comment of the line, where it has one. What is not UTF-8 in it becomes U+FFFD.
    fn comment(&mut self, origin: Origin<'_>) -> io::Result<()> {
        match origin.comment {
            Some(comment) => self.text(key!("comment"), &String::from_utf8_lossy(comment)),
            None => Ok(()),
        }
    }

    /// What was saved or loaded.
    fn kept(&mut self, reply: &Reply<'_>, answer: &Answer) -> io::Result<()> {
        let notes: &[String] = match answer {
            Answer::Saved(_) => &[],
            Answer::Loaded { notes, .. } => notes,
            _ => return Ok(()),
        };
        let mut message = kept(reply).to_string();
        for note in notes {
            message.push_str("; ");
            message.push_str(note);
        }
        self.text(key!("message"), &message)
    }

    fn answer(&mut self, reply: &Reply<'_>, answer: &Answer) -> io::Result<()> {
        let board = reply.game.board();
        match answer {
            Answer::Moved(verdict, thought) => {
                if let Some((mark, square)) = reply.last_move() {
                    self.occupied(Some(mark), square);
                }
                if let Some(thought) = thought {
                    self.thought(thought)?;
                }
                self.winning_lines(verdict);
            }
            Answer::Replayed(verdict) => self.answer(reply, &Answer::Moved(*verdict, None))?,
            Answer::Hint(square, thought) => {
                self.occupied(reply.game.turn(), *square);
                self.thought(thought)?;
            }
            Answer::Analysis(scores) => {
                self.list(key!("squares"), scores, |list, (square, score)| {
                    let start = list.0.len();
                    list.square(*square);
                    list.score(*score);
                    if let Some(first) = list.0.get_mut(start) {
                        *first = b'{';
                    }
                    list.raw("}");
                });
            }
            Answer::Count(count) => self.number(key!("count"), *count),
            Answer::At(square) => self.occupied(board.at(*square), *square),
            Answer::Undone(_) | Answer::Redone(..) | Answer::Moves => {
                if let Answer::Redone(_, verdict) = answer {
                    self.winning_lines(verdict);
                }
                self.list(key!("moves"), reply.moves(), |list, square| list.pair(*square));
            }
            Answer::Free => self.list(key!("squares"), board.free(), Self::pair),
            Answer::Board | Answer::SetUp => {
                let shape = board.shape();
                self.list(key!("board"), 0..shape.rows(), |list, row| {
                    list.raw("\"");
                    for col in 0..shape.cols() {
                        list.raw(board.at(Square { row, col }).map_or(".", Mark::name));
                    }
                    list.raw("\"");
                });
            }
            Answer::Games(names) => {
                let names: Vec<&str> = names.iter().map(Name::as_str).collect();
                self.raw(key!("games"));
                serde_json::to_writer(&mut *self.0, &names)?;
            }
            Answer::Help(verb) => self.text(key!("help"), &super::text::help(*verb))?,
            Answer::Seated(_) | Answer::Seats | Answer::Swapped | Answer::Status => {
                let [x, o] = reply.seats;
                self.text(key!("x"), x.name())?;
                self.text(key!("o"), o.name())?;
            }
            Answer::Candidates(candidates, nodes) => {
                self.word(key!("player"), Kind::Best.name());
                self.number(key!("nodes"), *nodes);
                self.list(key!("candidates"), candidates, |list, candidate| {
                    let start = list.0.len();
                    list.square(candidate.square);
                    list.score(candidate.score);
                    list.number(key!("score"), candidate.evaluation);
                    list.number(key!("depth"), candidate.depth);
                    list.list(key!("moves"), &candidate.line, |list, square| list.pair(*square));
                    if let Some(first) = list.0.get_mut(start) {
                        *first = b'{';
                    }
                    list.raw("}");
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn error(&mut self, error: &RunError) -> io::Result<()> {
        if let (_, Some(reason)) = error.code_and_reason() {
            self.word(key!("reason"), reason);
        }
        self.text(key!("message"), &error.to_string())?;
        if let RunError::Refused { nth: Some(nth), refusal, .. } = *error {
            self.number(key!("move"), nth);
            if let Refusal::GameOver { outcome } = refusal {
                self.word(key!("ended"), outcome.winner().map_or("draw", Mark::name));
            }
        }
        Ok(())
    }

    /// The move that was refused on the board.
    fn refused(&mut self, error: &RunError, shape: Shape, row_one: RowOne) {
        let RunError::Refused { mark, place, .. } = *error else { return };
        let square = place.on(shape, row_one);
        if shape.contains(square) {
            if mark.is_some() {
                self.mark(key!("mark"), mark);
            }
            self.square(square);
        }
    }

    /// The members from `version` on, and the end of the object.
    #[inline]
    fn standing(&mut self, game: &Game) {
        self.number(key!("version"), game.version());
        // The end of most objects is one copy.
        match game.turn() {
            Some(Mark::X) => self.raw(r#","turn":"X","winner":null,"over":false}"#),
            Some(Mark::O) => self.raw(r#","turn":"O","winner":null,"over":false}"#),
            None => {
                self.raw(concat!(key!("turn"), "null"));
                self.mark(key!("winner"), game.outcome().and_then(Outcome::winner));
                self.raw(concat!(key!("over"), "true}"));
            }
        }
    }

    #[inline]
    fn raw(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn number(&mut self, key: &str, number: impl itoa::Integer) {
        self.raw(key);
        self.raw(itoa::Buffer::new().format(number));
    }

    /// A word without anything to escape.
    #[inline]
    fn word(&mut self, key: &str, word: &str) {
        self.raw(key);
        self.raw("\"");
        self.raw(word);
        self.raw("\"");
    }

    /// A text of somebody else's, which seldom has anything to escape.
    fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        if text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
            self.raw(key);
            return Ok(serde_json::to_writer(&mut *self.0, text)?);
        }
        self.word(key, text);
        Ok(())
    }

    /// A mark, or null for nobody.
    #[inline]
    fn mark(&mut self, key: &str, mark: Option<Mark>) {
        self.raw(key);
        self.raw(match mark {
            Some(Mark::X) => "\"X\"",
            Some(Mark::O) => "\"O\"",
            None => "null",
        });
    }

    /// A square with the mark on it, or null.
    #[inline]
    fn occupied(&mut self, mark: Option<Mark>, square: Square) {
        self.mark(key!("mark"), mark);
        self.square(square);
    }

    #[inline]
    fn square(&mut self, square: Square) {
        self.raw(key!("row"));
        write_number(square.row, self.0);
        self.raw(key!("col"));
        write_number(square.col, self.0);
    }

    fn score(&mut self, Score { value, plies }: Score) {
        let value = match value {
            Value::Win => "win",
            Value::Draw => "draw",
            Value::Loss => "loss",
            Value::Unknown => "unknown",
        };
        self.word(key!("value"), value);
        match plies {
            Some(plies) => self.number(key!("plies"), plies),
            None => self.raw(concat!(key!("plies"), "null")),
        }
    }

    fn thought(&mut self, thought: &Thought) -> io::Result<()> {
        self.text(key!("player"), &thought.player)?;
        self.score(thought.score);
        self.number(key!("nodes"), thought.nodes);
        Ok(())
    }

    fn shape(&mut self, shape: Shape) {
        self.number(key!("rows"), shape.rows());
        self.number(key!("cols"), shape.cols());
        self.number(key!("k"), shape.k());
        if shape.is_exact() {
            self.raw(concat!(key!("exact"), "true"));
        }
    }

    fn winning_lines(&mut self, verdict: &Verdict) {
        if let Verdict::Win(lines) = verdict {
            self.list(key!("winning_lines"), lines.iter(), |list, run| {
                list.list("", run.squares(), Self::pair);
            });
        }
    }

    /// `[row,col]`
    fn pair(&mut self, Square { row, col }: Square) {
        self.raw("[");
        write_number(row, self.0);
        self.raw(",");
        write_number(col, self.0);
        self.raw("]");
    }

    /// An array, each item written by `write`.
    fn list<I: IntoIterator>(&mut self, key: &str, items: I, write: impl Fn(&mut Self, I::Item)) {
        self.raw(key);
        self.raw("[");
        for (nth, item) in items.into_iter().enumerate() {
            self.raw(if nth > 0 { "," } else { "" });
            write(self, item);
        }
        self.raw("]");
    }
}
