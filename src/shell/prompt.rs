//! The prompt: a person types at a terminal, and the board is drawn after every change.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, GraphemeClusterMode, KeyEvent, RepeatCount,
};
use signal_hook::consts::SIGINT;

use super::completion::Completion;
use super::fold::Fold;
use super::journal::Journal;
use super::progress::ProgressLine;
use super::repl::{Conversation, Options, ReplError, Status};
use super::score::Score;
use crate::command::{Coords, Name};
use crate::game::{Mark, MoveCount};
use crate::limit::Wish;
use crate::reply::{Code, Format, Picture};
use crate::session::Session;

type LineEditor = Editor<Completion, FileHistory>;

const HOW_TO_LEAVE: &str = "\"quit\" or Ctrl-D leaves";

/// The most lines that the history holds.
const MOST_REMEMBERED: usize = 1000;

/// A longer line is not worth remembering, in bytes.
const LONGEST_REMEMBERED: usize = 4096;

/// Talks to a person at the terminal that is standard input and output, until they leave. Replies
/// go to `out`, in styles; `is_styled` says whether it shows them. `history` is the file of what
/// was typed, if it is to be kept; with a `journal`, every change is, before it is shown.
///
/// Ctrl-C stops a search meanwhile, or a game of two computers, instead of the program; a terminal
/// that `is_gone` stops a search too.
///
/// # Errors
///
/// [`ReplError`] where reading, writing or keeping fails.
pub fn prompt(
    out: impl Write,
    is_styled: bool,
    mut options: Options,
    history: Option<&Path>,
    is_gone: impl Fn() -> bool + 'static,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, ReplError> {
    if options.format == Format::Text {
        options.format = Format::Screen;
    }
    // What is typed is seen already.
    options.echo = false;
    let is_given_up = Arc::new(AtomicBool::new(false));
    let mut editor = editor(is_styled, &is_given_up).map_err(failed)?;
    // A pipe would hang, and a device is none of ours.
    let is_file = |path: &&Path| fs::metadata(path).map_or(true, |file| file.is_file());
    let history = history.filter(is_file);
    if let Some(path) = history {
        // The first time there is nothing to load.
        let _ = editor.load_history(path);
    }
    let progress = Rc::new(ProgressLine::new(session));
    progress.begin();
    let is_over = catch(&progress.interrupt).map_err(ReplError::Read)?;
    let watch = Rc::clone(&progress);
    session.watched_by(move |progress| if is_gone() { Wish::GiveUp } else { watch.hear(progress) });

    let out = Fold { out, cols: usize::MAX };
    let mut talk = Conversation::new(out, options, None, journal, session);
    talk.score = Some(Score::default());
    talk.allow_files();
    talk.say(greeting(talk.session))?;
    let mut boards = Boards { are_drawn: options.format == Format::Screen, last: None };
    let mut lines = Vec::new();
    loop {
        if options.format == Format::Screen {
            (_, talk.out.cols) = size_of(&mut editor);
        }
        let mut draw = |talk: &mut Conversation<'_, _>| boards.draw(talk, size_of(&mut editor));
        if answer(&mut talk, &lines, &progress, &mut draw)? {
            break;
        }
        draw(&mut talk)?;
        talk.flush()?;
        lines = match read(&mut editor, &is_given_up, talk.session) {
            Ok(lines) => lines,
            Err(ReadlineError::Interrupted) => {
                // A line that was begun is given up.
                if editor.helper().is_some_and(|completion| completion.typed.borrow().is_empty()) {
                    talk.say(HOW_TO_LEAVE)?;
                }
                Vec::new()
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        };
        if let Some(path) = history {
            remember(&mut editor, path, &lines);
        }
        progress.begin();
    }
    is_over.store(true, Ordering::Relaxed);
    leave(talk)
}

/// Talks to a person at a terminal on which lines cannot be edited: a sign to type at, and replies.
///
/// # Errors
///
/// [`ReplError`] where reading, writing or keeping fails.
pub fn plain_prompt(
    mut input: impl BufRead,
    out: impl Write,
    mut options: Options,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, ReplError> {
    if options.format == Format::Text {
        options.format = Format::Screen;
    }
    let mut talk = Conversation::new(out, options, None, journal, session);
    talk.score = Some(Score::default());
    talk.allow_files();
    talk.say(greeting(talk.session))?;
    talk.read_all(&mut input, Some(sign))?;
    leave(talk)
}

/// Ends a conversation with a person, who is told the score: whoever leaves by themselves leaves
/// content.
fn leave(mut talk: Conversation<'_, impl Write>) -> Result<Status, ReplError> {
    if let Some(score) = talk.score.as_ref().and_then(Score::tell) {
        talk.say(score)?;
    }
    Ok(match talk.end()? {
        Status::Misunderstood => Status::Clean,
        status => status,
    })
}

/// The sign to type at: the name of the game, unless it is the first, and who moves.
fn sign(session: &Session) -> String {
    let name = Some(session.name()).filter(|name| **name != Name::default());
    let name = name.map_or("", Name::as_str);
    let turn = session.game().turn().map_or("", |mark| mark.name());
    let gap = if name.is_empty() || turn.is_empty() { "" } else { " " };
    format!("{name}{gap}{turn}> ")
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
    let state = state_home.map(PathBuf::from).filter(|dir| dir.is_absolute());
    let state = state.or_else(|| home.map(|home| home.join(".local/state")))?;
    Some(state.join("noughts/history"))
}

fn failed(error: ReadlineError) -> ReplError {
    ReplError::Read(match error {
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
    let square = if session.coords().has_letters {
        "a square to move, such as \"a1\""
    } else {
        "a row and a column to move, such as \"0 2\""
    };
    format!(
        "noughts, {exactly}{k} in a row{made}: type {square}\n\
         \"help\" lists the commands, {HOW_TO_LEAVE}"
    )
}

/// The boards that are drawn between the replies.
struct Boards {
    are_drawn: bool,
    /// The game and the version of the last one, and how its squares are named.
    last: Option<(Name, u64, Coords)>,
}

impl Boards {
    /// Draws the board in so many rows and columns, if it looks different.
    fn draw(
        &mut self,
        talk: &mut Conversation<'_, impl Write>,
        room: (usize, usize),
    ) -> io::Result<()> {
        let game = talk.session.game();
        let coords = talk.session.coords();
        let now = (talk.session.name().clone(), game.version(), coords);
        if !self.are_drawn || self.last.as_ref() == Some(&now) {
            return Ok(());
        }
        let is_over = game.outcome().is_some();
        talk.say(Picture::within(game, room, coords).to_string())?;
        if is_over {
            talk.say("\"undo\" takes it back, \"new\" starts again")?;
        }
        self.last = Some(now);
        Ok(())
    }
}

/// Answers what was typed, which is many lines where they were pasted, and lets the computers
/// move. Where both seats are theirs, `draw` draws each board; Ctrl-C ends that. True at the end of
/// the conversation.
fn answer<W: Write>(
    talk: &mut Conversation<'_, W>,
    lines: &[u8],
    progress: &ProgressLine,
    draw: &mut impl FnMut(&mut Conversation<'_, W>) -> io::Result<()>,
) -> Result<bool, ReplError> {
    // At the start a computer may be due without any line.
    let at_start = lines.is_empty().then_some(None);
    let lines = lines.strip_suffix(b"\n").unwrap_or(lines).split(|byte| *byte == b'\n');
    let lines = lines.map(Some).filter(|_| at_start.is_none()).chain(at_start);
    for line in lines {
        let mut ended = Some(match line {
            Some(line) => talk.answer(line)?,
            None => false,
        });
        while let Some(is_end) = ended {
            progress.end(talk.session);
            talk.flush()?;
            if is_end {
                return Ok(true);
            }
            if progress.wish() != Wish::GoOn {
                break;
            }
            if Mark::ALL.iter().all(|mark| talk.session.seat_of(*mark).is_automatic()) {
                draw(talk)?;
            }
            ended = talk.let_computer_move()?;
        }
        if progress.wish() != Wish::GoOn {
            say_how_to_go_on(talk)?;
            talk.session.hold();
            break;
        }
    }
    Ok(false)
}

/// Says where Ctrl-C leaves the game, unless it ended a search that answered a question.
fn say_how_to_go_on(talk: &mut Conversation<'_, impl Write>) -> io::Result<()> {
    let is_given_up = talk.last == Code::NoAnswer;
    let session = &talk.session;
    let player = if is_given_up { session.computer_to_move() } else { session.computer_due() };
    let go = player.map(|_| "\"go\" goes on with the game".to_owned());
    let parts = [is_given_up.then(|| "the game is as it was".to_owned()), go];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { Ok(()) } else { talk.say(parts.join("; ")) }
}

/// Reads a line, or a paste of many.
fn read(
    editor: &mut LineEditor,
    is_given_up: &AtomicBool,
    session: &Session,
) -> rustyline::Result<Vec<u8>> {
    if let Some(completion) = editor.helper_mut() {
        completion.games = session.names();
        completion.typed.take();
    }
    let prompt = sign(session);
    // What was typed before bytes that are not UTF-8, and a sign for these.
    let mut start = String::new();
    loop {
        return match editor.readline_with_initial(&prompt, (&start, "")) {
            Ok(_) if is_given_up.swap(false, Ordering::Relaxed) => Err(ReadlineError::Interrupted),
            Ok(lines) if start.is_empty() => Ok(lines.into_bytes()),
            // As in a pipe, a line with such bytes is not understood.
            Ok(lines) => {
                let parts: Vec<&[u8]> = lines.split(NOT_UTF8).map(str::as_bytes).collect();
                Ok(parts.join(&b"\xff"[..]))
            }
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                start = editor.helper().map(|helper| helper.typed.take()).unwrap_or_default();
                start.push(NOT_UTF8);
                continue;
            }
            Err(error) => Err(error),
        };
    }
}

/// Stands for bytes that are not UTF-8 while a line is edited.
const NOT_UTF8: char = char::REPLACEMENT_CHARACTER;

fn editor(is_styled: bool, is_given_up: &Arc<AtomicBool>) -> rustyline::Result<LineEditor> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(MOST_REMEMBERED)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .color_mode(if is_styled { ColorMode::Forced } else { ColorMode::Disabled })
        // The other modes panic on a line of 65,536 columns.
        .grapheme_cluster_mode(GraphemeClusterMode::WcWidth)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Completion::default()));
    let give_up = EventHandler::Conditional(Box::new(GiveUp(Arc::clone(is_given_up))));
    editor.bind_sequence(KeyEvent::ctrl('C'), give_up);
    // No command has control characters, and the editor cannot measure a line that does.
    for quoted_insert in ['V', 'Q'] {
        editor.bind_sequence(KeyEvent::ctrl(quoted_insert), Cmd::Noop);
    }
    Ok(editor)
}

/// Ctrl-C while a line is edited. As an accepted line it keeps what was typed after it, which the
/// editor would throw away with its own interrupt.
struct GiveUp(Arc<AtomicBool>);

impl ConditionalEventHandler for GiveUp {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(true, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}

/// Adds to the history, at once, so that a terminal that is closed loses nothing. Whoever cannot
/// write it plays on without.
fn remember(editor: &mut LineEditor, path: &Path, lines: &[u8]) {
    let Ok(lines) = str::from_utf8(lines) else { return };
    if lines.trim().is_empty() || lines.len() > LONGEST_REMEMBERED {
        return;
    }
    if editor.add_history_entry(lines).is_ok_and(|is_new| is_new) {
        let _ = path.parent().map(fs::create_dir_all);
        let _ = editor.append_history(path);
    }
}

/// The rows and columns that a board may take: there is room for two replies and the prompt.
fn size_of(editor: &mut LineEditor) -> (usize, usize) {
    let (cols, rows) = editor.dimensions().unwrap_or((80, 24));
    (usize::from(rows).saturating_sub(3), cols.into())
}
