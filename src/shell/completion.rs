//! The help that the line editor gives: completed words, hints and styles.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{MAIN_SEPARATOR_STR, is_separator as is_separator_of_paths};

use anstyle::Style;
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::files::{format_of, path_of};
use crate::command::{Name, Seat, Verb, is_separator};
use crate::player::Kind;

/// The helper of the line editor: completes words, and shows what a command takes.
#[derive(Default)]
pub(super) struct Completion {
    /// The names of the games in the session.
    pub(super) games: Vec<Name>,
    /// The text on the line.
    pub(super) typed: RefCell<String>,
}

impl Completion {
    /// The words that may stand after these.
    fn words_after(&self, words: &[&str]) -> Vec<String> {
        let Some((verb, arguments)) = words.split_first() else {
            // A command that takes something is ready to take it.
            let verb = |verb: Verb| match verb.arguments() {
                "" => verb.name().to_owned(),
                _ => format!("{} ", verb.name()),
            };
            return Verb::ALL.iter().copied().map(verb).collect();
        };
        match (verb.parse(), arguments.len()) {
            (Ok(Verb::Seat), 0) => vec!["X ".to_owned(), "O ".to_owned()],
            (Ok(Verb::Seat), 1) => Seat::all().map(|seat| seat.to_string()).collect(),
            (Ok(Verb::Go | Verb::Hint), 0) => texts(Kind::ALL),
            (Ok(Verb::Game | Verb::Drop), 0) => texts(&self.games),
            (Ok(Verb::Help), 0) => Verb::ALL.iter().map(|verb| verb.name().to_owned()).collect(),
            _ => Vec::new(),
        }
    }
}

/// The items as they are typed.
fn texts(items: &[impl ToString]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

/// The start of a file's name at the end of a line, where that line takes one.
fn file_begun(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(is_separator);
    let (verb, name) = line.split_at(line.find(is_separator)?);
    let takes_file = matches!(verb.parse(), Ok(Verb::Save | Verb::Load));
    takes_file.then(|| name.trim_start_matches(is_separator))
}

/// The folders, and the files of games, whose names begin like `begun`: with the length of the
/// folder before them.
fn files(begun: &str) -> (usize, Vec<String>) {
    let folder = begun.rfind(is_separator_of_paths).map_or(0, |at| at + 1);
    let (folder, begun) = begun.split_at(folder);
    let path = if folder.is_empty() { ".".into() } else { path_of(folder) };
    let entries = path.read_dir().into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !begun.starts_with('.');
            if !name.starts_with(begun) || is_hidden || name.contains(char::is_control) {
                return None;
            }
            let path = entry.path();
            let is_game = format_of(&path).is_ok();
            if path.is_dir() { Some(name + MAIN_SEPARATOR_STR) } else { is_game.then_some(name) }
        })
        .collect();
    names.sort();
    (folder.len(), names)
}

/// True for the characters that end a word: a paste may have many lines.
fn ends_a_word(c: char) -> bool {
    is_separator(c) || c == '\n'
}

impl Completer for Completion {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or_default();
        if let Some(begun) = file_begun(before.rsplit('\n').next().unwrap_or_default()) {
            let (folder, names) = files(begun);
            return Ok((before.len() - begun.len() + folder, names));
        }
        let start = before.rfind(ends_a_word).map_or(0, |at| at + 1);
        let (before, begun) = before.split_at(start);
        // A paste may have many lines: only the last one is still being typed.
        let before = before.rsplit('\n').next().unwrap_or_default();
        let words: Vec<&str> = before.split(ends_a_word).filter(|word| !word.is_empty()).collect();
        let mut candidates = self.words_after(&words);
        candidates.retain(|word| {
            let head = word.get(..begun.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(begun))
        });
        if candidates.is_empty() {
            // A tab is what it is in a script. A paste that looks like typing comes with some.
            return Ok((pos, vec![" ".to_owned()]));
        }
        Ok((start, candidates))
    }
}

impl Hinter for Completion {
    type Hint = String;

    /// The arguments of the command as a comment, so that they are not mistaken for what was typed.
    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        line.clone_into(&mut self.typed.borrow_mut());
        let mut words = line.split(ends_a_word);
        let verb: Verb = words.find(|word| !word.is_empty())?.parse().ok()?;
        // All of its words are there, or the last one is being typed.
        let typed = words.filter(|word| !word.is_empty()).count();
        let is_full = typed >= verb.arguments().split_whitespace().count();
        let is_short = pos == line.len() && !line.contains('\n');
        (is_short && !is_full).then(|| format!("  # {}", verb.arguments()))
    }
}

impl Highlighter for Completion {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        const BOLD: Style = Style::new().bold();
        format!("{BOLD}{prompt}{BOLD:#}").into()
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        const FAINT: Style = Style::new().dimmed();
        format!("{FAINT}{hint}{FAINT:#}").into()
    }
}

impl Validator for Completion {}

impl Helper for Completion {}
