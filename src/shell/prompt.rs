//! The prompt: a person types at a terminal, and the board is drawn after every change.

use std::borrow::Cow;
use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anstyle::Style;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Editor, Helper};
use signal_hook::consts::SIGINT;

use crate::command::{Name, Verb, is_separator};
use crate::player::Kind;
use crate::reply::{Format, MoveCount, Picture};
use crate::search::Progress;
use crate::session::Session;
use crate::shell::journal::Journal;
use crate::shell::repl::{Failure, Manner, Status, Talk};

const HOW_TO_LEAVE: &str = "\"quit\" or Ctrl-D leaves";

/// The most lines that the history holds.
const MOST_REMEMBERED: usize = 1000;

/// A longer line is not worth remembering, in bytes.
const LONGEST_REMEMBERED: usize = 4096;

/// Talks to a person at the terminal that is standard input and output, until they leave. Replies
/// go to `out`, in styles; `is_styled` says whether it shows them. `history` is the file of what
/// was typed, if it is to be kept; with a `journal`, every change is, before it is shown.
///
/// Ctrl-C stops a search meanwhile, instead of the program.
///
/// # Errors
///
/// What reading, writing or keeping came upon.
pub fn prompt(
    out: impl Write,
    is_styled: bool,
    mut manner: Manner,
    history: Option<&Path>,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, Failure> {
    if manner.format == Format::Text {
        manner.format = Format::Screen;
    }
    // What is typed is seen already.
    manner.echo = false;
    let mut editor = editor(is_styled).map_err(failed)?;
    if let Some(path) = history {
        // The first time there is nothing to load.
        let _ = editor.load_history(path);
    }
    let wait = Rc::new(Wait::new());
    wait.begin(size_of(&mut editor).1);
    let is_over = catch(&wait.is_interrupted).map_err(Failure::Reading)?;
    let watch = Rc::clone(&wait);
    session.watched_by(Box::new(move |progress| watch.hear(progress)));

    let mut talk = Talk::new(out, manner, None, journal, session);
    talk.say(greeting(talk.session))?;
    let mut drawn: Option<(Name, u64)> = None;
    let mut lines = String::new();
    loop {
        if answer(&mut talk, &lines, &wait)? {
            break;
        }
        let (rows, cols) = size_of(&mut editor);
        let now = (talk.session.name().clone(), talk.session.game().version());
        if manner.format == Format::Screen && drawn.as_ref() != Some(&now) {
            let game = talk.session.game();
            let (picture, is_over) = (
                Picture::within(game, (rows, cols)).to_string(),
                game.outcome().is_some(),
            );
            talk.say(picture)?;
            if is_over {
                talk.say("\"undo\" takes it back, \"new\" starts again")?;
            }
            drawn = Some(now);
        }
        talk.flush()?;
        lines = match read(&mut editor, talk.session).map_err(failed)? {
            Typed::Lines(lines) => lines,
            Typed::Cleared => String::new(),
            Typed::Nothing => {
                talk.say(HOW_TO_LEAVE)?;
                String::new()
            }
            Typed::End => break,
        };
        if let Some(path) = history {
            remember(&mut editor, path, &lines);
        }
        wait.begin(cols);
    }
    is_over.store(true, Ordering::Relaxed);
    // Whoever leaves by themselves leaves content.
    Ok(match talk.end()? {
        Status::Misunderstood => Status::Clean,
        status => status,
    })
}

/// Sets the flag at each Ctrl-C, until the flag that is returned is set: then Ctrl-C ends the
/// program again.
fn catch(is_interrupted: &Arc<AtomicBool>) -> io::Result<Arc<AtomicBool>> {
    let is_over = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register_conditional_default(SIGINT, Arc::clone(&is_over))?;
    signal_hook::flag::register(SIGINT, Arc::clone(is_interrupted))?;
    Ok(is_over)
}

/// Where the history is kept: in `$XDG_STATE_HOME`, or else under the home directory. `None` where
/// there is neither.
#[must_use]
pub fn history_file(state_home: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    let state = state_home
        .map(PathBuf::from)
        .filter(|dir| dir.is_absolute());
    let state = state.or_else(|| home.map(|home| home.join(".local/state")))?;
    Some(state.join("noughts/history"))
}

fn failed(error: ReadlineError) -> Failure {
    Failure::Reading(match error {
        ReadlineError::Io(error) => error,
        error => io::Error::other(error),
    })
}

fn greeting(session: &Session) -> String {
    let shape = session.game().board().shape();
    let exactly = if shape.is_exact() { "exactly " } else { "" };
    let k = shape.k();
    // Those of a journal.
    let made = match session.game().moves().len() {
        0 => String::new(),
        made => format!(", going on after {}", MoveCount(made)),
    };
    format!(
        "noughts, {exactly}{k} in a row{made}: type a row and a column to move, such as \"0 2\"\n\
         \"help\" lists the commands, {HOW_TO_LEAVE}"
    )
}

/// Answers what was typed, which is many lines where they were pasted, and lets the computers
/// move. True at the end of the conversation.
fn answer(talk: &mut Talk<'_, impl Write>, lines: &str, wait: &Wait) -> Result<bool, Failure> {
    // At the start a computer may be due without any line.
    let lines = lines
        .lines()
        .map(Some)
        .chain(lines.is_empty().then_some(None));
    for line in lines {
        let mut ended = match line {
            Some(line) => talk.answer(line.as_bytes())?,
            None => false,
        };
        wait.end();
        talk.flush()?;
        while !ended && let Some(is_end) = talk.let_computer_move()? {
            ended = is_end;
            wait.end();
            talk.flush()?;
        }
        if ended {
            return Ok(true);
        }
        if wait.is_interrupted.load(Ordering::Relaxed) {
            let is_due = talk.session.is_for_a_computer();
            let how = if is_due {
                "; \"go\" lets the computer move"
            } else {
                ""
            };
            talk.say(format_args!("the game is as it was{how}"))?;
            break;
        }
    }
    Ok(false)
}

/// What came of reading a line.
enum Typed {
    /// A line, or a paste of many.
    Lines(String),
    /// A line was begun and given up.
    Cleared,
    /// An empty line was given up.
    Nothing,
    /// The end of the input.
    End,
}

fn read(editor: &mut Editor<Typist, FileHistory>, session: &Session) -> rustyline::Result<Typed> {
    if let Some(typist) = editor.helper_mut() {
        typist.games = session.names();
        typist.has_typed.set(false);
    }
    let name = match session.name() {
        name if *name == Name::default() => "",
        name => name.as_str(),
    };
    let turn = session.game().turn().map_or("", |mark| mark.name());
    let gap = if name.is_empty() || turn.is_empty() {
        ""
    } else {
        " "
    };
    match editor.readline(&format!("{name}{gap}{turn}> ")) {
        Ok(lines) => Ok(Typed::Lines(lines)),
        Err(ReadlineError::Interrupted) => {
            let has_typed = editor.helper().is_some_and(|typist| typist.has_typed.get());
            Ok(if has_typed {
                Typed::Cleared
            } else {
                Typed::Nothing
            })
        }
        Err(ReadlineError::Eof) => Ok(Typed::End),
        Err(error) => Err(error),
    }
}

fn editor(is_styled: bool) -> rustyline::Result<Editor<Typist, FileHistory>> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(MOST_REMEMBERED)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .color_mode(if is_styled {
            ColorMode::Forced
        } else {
            ColorMode::Disabled
        })
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Typist::default()));
    Ok(editor)
}

/// Adds to the history, at once, so that a terminal that is closed loses nothing. Whoever cannot
/// write it plays on without.
fn remember(editor: &mut Editor<Typist, FileHistory>, path: &Path, lines: &str) {
    if lines.trim().is_empty() || lines.len() > LONGEST_REMEMBERED {
        return;
    }
    if editor.add_history_entry(lines).is_ok_and(|is_new| is_new) {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = editor.append_history(path);
    }
}

/// The rows and columns of text that a board may take: there is room for two replies and the prompt.
fn size_of(editor: &mut Editor<Typist, FileHistory>) -> (usize, usize) {
    let (cols, rows) = editor.dimensions().unwrap_or((80, 24));
    (usize::from(rows).saturating_sub(3), cols.into())
}

/// What helps with typing.
#[derive(Default)]
struct Typist {
    games: Vec<Name>,
    /// Whether there is anything on the line.
    has_typed: Cell<bool>,
}

impl Typist {
    /// The words that may stand after these.
    fn words_after(&self, words: &[&str]) -> Vec<String> {
        let players = |kinds: &[Kind]| kinds.iter().map(ToString::to_string).collect();
        let Some((verb, arguments)) = words.split_first() else {
            // A command that takes something is ready to take it.
            let verb = |verb: Verb| match verb.arguments() {
                "" => verb.name().to_owned(),
                _ => format!("{} ", verb.name()),
            };
            return Verb::ALL.map(verb).to_vec();
        };
        match (verb.parse(), arguments.len()) {
            (Ok(Verb::Seat), 0) => vec!["X ".to_owned(), "O ".to_owned()],
            (Ok(Verb::Seat), 1) => players(&Kind::ALL),
            (Ok(Verb::Go | Verb::Hint), 0) => match Kind::ALL.split_first() {
                // The first is human.
                Some((_, computers)) => players(computers),
                None => Vec::new(),
            },
            (Ok(Verb::Game | Verb::Drop), 0) => self.games.iter().map(Name::to_string).collect(),
            (Ok(Verb::Help), 0) => Verb::ALL.map(|verb| verb.name().to_owned()).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// A paste may have many lines.
fn ends_a_word(c: char) -> bool {
    is_separator(c) || c == '\n'
}

impl Completer for Typist {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..pos).unwrap_or_default();
        let start = before.rfind(ends_a_word).map_or(0, |at| at + 1);
        let (before, begun) = before.split_at(start);
        // A paste may have many lines: only the last one is still being typed.
        let before = before.rsplit('\n').next().unwrap_or_default();
        let words: Vec<&str> = before
            .split(ends_a_word)
            .filter(|word| !word.is_empty())
            .collect();
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

impl Hinter for Typist {
    type Hint = String;

    /// What the command takes, written as a comment, so that it is not mistaken for what was typed.
    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        self.has_typed.set(!line.is_empty());
        let mut words = line.split(ends_a_word);
        let verb: Verb = words.find(|word| !word.is_empty())?.parse().ok()?;
        // All of its words are there, or the last one is being typed.
        let typed = words.filter(|word| !word.is_empty()).count();
        let is_full = typed >= verb.arguments().split_whitespace().count();
        let is_short = pos == line.len() && !line.contains('\n');
        (is_short && !is_full).then(|| format!("  # {}", verb.arguments()))
    }
}

impl Highlighter for Typist {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        const BOLD: Style = Style::new().bold();
        format!("{BOLD}{prompt}{BOLD:#}").into()
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        const FAINT: Style = Style::new().dimmed();
        format!("{FAINT}{hint}{FAINT:#}").into()
    }
}

impl Validator for Typist {}

impl Helper for Typist {}

/// A person waiting for a search: a line on standard error tells how far it is, and Ctrl-C stops it.
struct Wait {
    is_interrupted: Arc<AtomicBool>,
    /// When the line is written next.
    next: Cell<Instant>,
    is_shown: Cell<bool>,
    /// The width of the terminal.
    cols: Cell<usize>,
}

impl Wait {
    /// A search that is done within this time is not talked about.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// How often the line is written.
    const EVERY: Duration = Duration::from_millis(100);

    fn new() -> Self {
        Self {
            is_interrupted: Arc::default(),
            next: Cell::new(Instant::now() + Self::PATIENCE),
            is_shown: Cell::new(false),
            cols: Cell::new(80),
        }
    }

    /// A line was typed.
    fn begin(&self, cols: usize) {
        self.is_interrupted.store(false, Ordering::Relaxed);
        self.next.set(Instant::now() + Self::PATIENCE);
        self.cols.set(cols);
    }

    /// The search is this far. True where it is to stop.
    fn hear(&self, progress: Progress) -> bool {
        let now = Instant::now();
        if now >= self.next.get() && io::stderr().is_terminal() {
            self.next.set(now + Self::EVERY);
            self.is_shown.set(true);
            let mut line = spell(progress);
            line.truncate(self.cols.get().saturating_sub(ROOM_FOR_CTRL_C));
            overwrite(&line);
        }
        self.is_interrupted.load(Ordering::Relaxed)
    }

    /// There is a reply: the line, and the `^C` that a terminal shows, make way for it.
    fn end(&self) {
        if self.is_shown.take() || self.is_interrupted.load(Ordering::Relaxed) {
            overwrite("");
        }
        self.next.set(Instant::now() + Self::PATIENCE);
    }
}

/// A terminal shows `^C` after the line, and a line that is full would wrap, and stay.
const ROOM_FOR_CTRL_C: usize = 3;

/// Writes `line` on standard error in place of what is on that line.
fn overwrite(line: &str) {
    let mut stderr = io::stderr();
    // The game does not depend on it.
    let _ = write!(stderr, "\r\x1b[K{line}");
    let _ = stderr.flush();
}

/// `searching: depth 6, 123456 nodes, 7 7 so far (Ctrl-C stops)`, as far as it is known. ASCII.
fn spell(Progress { nodes, depth, best }: Progress) -> String {
    let mut known = Vec::new();
    if depth > 0 {
        known.push(format!("depth {depth}"));
    }
    if nodes > 0 {
        known.push(format!("{nodes} nodes"));
    }
    known.extend(best.map(|square| format!("{square} so far")));
    let colon = if known.is_empty() { "" } else { ": " };
    format!("searching{colon}{} (Ctrl-C stops)", known.join(", "))
}
