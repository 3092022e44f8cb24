//! The replies that only the wire has, spelt as text and as JSON.

use std::fmt::{Display, Write as _};
use std::io::Write as _;

use crate::command::Name;
use crate::game::{Game, Mark};
use crate::reply::{Format, write_standing};

/// A reply of the wire.
pub(super) struct Said<'a> {
    /// The number of the line, 0 where it answers none.
    pub(super) line: u64,
    /// The verb: empty where the line was not understood.
    pub(super) verb: &'a str,
    pub(super) result: &'a str,
    pub(super) reason: Option<&'a str>,
    /// A sentence for people.
    pub(super) text: &'a str,
    /// The comment of the line, which JSON brings back.
    pub(super) comment: &'a [u8],
    /// What JSON has beside it.
    pub(super) members: Members,
}

impl Said<'_> {
    /// Appends the reply with its line end.
    pub(super) fn write(&self, format: Format, name: &Name, game: &Game, out: &mut Vec<u8>) {
        let Self { line, verb, result, reason, text, comment, .. } = *self;
        // A vector takes what it is given.
        if format != Format::Json {
            let reason = reason.map(|reason| format!("{reason}: ")).unwrap_or_default();
            let line = match (result, line) {
                ("OK" | "WIN" | "DRAW" | "ASKED", _) | (_, 0) => String::new(),
                _ => format!("line {line}: "),
            };
            let _ = writeln!(out, "{result}: {line}{reason}{text}");
            return;
        }
        let mut object = Members(format!("\"line\":{line}"));
        if !verb.is_empty() {
            object.text("command", verb);
        }
        object.text("result", result);
        if let Some(reason) = reason {
            object.text("reason", reason);
        }
        if !["OK", "WIN", "DRAW"].contains(&result) {
            object.text("message", text);
        }
        if !comment.is_empty() {
            object.text("comment", &String::from_utf8_lossy(comment));
        }
        object.0 += &self.members.0;
        object.text("game", name.as_str());
        let _ = write!(out, "{{{}", object.0);
        write_standing(game, out);
        out.push(b'\n');
    }
}

/// Members of a JSON object, each after a comma.
#[derive(Default)]
pub(super) struct Members(String);

impl Members {
    /// Adds a member whose value is JSON already.
    pub(super) fn raw(&mut self, name: &str, value: impl Display) {
        let _ = write!(self.0, ",\"{name}\":{value}");
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.raw(name, quoted(text));
    }

    pub(super) fn texts<'a>(&mut self, name: &str, texts: impl IntoIterator<Item = &'a str>) {
        let texts: Vec<String> = texts.into_iter().map(quoted).collect();
        self.raw(name, format_args!("[{}]", texts.join(",")));
    }

    /// The members as an object.
    pub(super) fn object(&self) -> String {
        format!("{{{}}}", self.0.strip_prefix(',').unwrap_or_default())
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        self.text("mark", mark.name());
    }
}

/// Quotes a text as JSON does.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// How a game stands, in words: `X to move`, or how it ended.
pub(super) fn standing(game: &Game) -> String {
    match (game.outcome(), game.turn()) {
        (Some(outcome), _) => outcome.to_string(),
        (None, turn) => format!("{} to move", turn.map_or("nobody", Mark::name)),
    }
}
