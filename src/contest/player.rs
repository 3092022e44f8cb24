//! A program as a player: asked for a move, judged by the clock, and ended where it forfeits.

use std::fmt::Write;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::gomocup::Started;
use super::process::{LONGEST_LINE, NoLine, PATIENCE, Process, Processes};
use super::{Program, Protocol, StartError, Terms, cmd, gomocup};
use crate::command::{Line, quoted};
use crate::game::{Game, Mark, Refusal, Shape, Square};
use crate::player::{Cause, Choice, ChooseError, Forfeit, Player};
use crate::search::Budget;

impl Program {
    /// Starts the program as a player called `name`, for games on boards of `shape` first. One that
    /// ends or forfeits is started again when it is asked for the next move.
    ///
    /// The player looks at the clock, and spends nothing of a budget but its
    /// [`check`](Budget::check), which may stop it.
    ///
    /// # Errors
    ///
    /// [`StartError`] where it cannot be started or does not play on the board.
    pub fn start(
        &self,
        name: String,
        shape: Shape,
        terms: Terms,
        processes: &Processes,
    ) -> Result<Box<dyn Player + Send>, StartError> {
        let mut player = ProgramPlayer {
            program: self.clone(),
            name,
            terms,
            processes: processes.clone(),
            process: None,
            shape: None,
            is_fresh: false,
            known: Vec::new(),
            set_up: 0,
            used: Duration::ZERO,
            text: String::new(),
        };
        player.start()?;
        match player.agree(shape, || false) {
            Ok(()) => Ok(Box::new(player)),
            Err(Fault::Stopped) => Err(StartError::Unfit("stopped before it started".to_owned())),
            Err(Fault::Unfit(why) | Fault::Lost(_, why)) => {
                Err(StartError::Unfit(player.tell(&why)))
            }
        }
    }
}

/// The time for a move where none was said.
const DEFAULT_TIME: Duration = Duration::from_mins(1);

/// Nobody waits longer, and a clock may not count so far.
const LONGEST_TIME: Duration = Duration::from_hours(24 * 365);

/// The time for the answer to `START`.
const START_TIME: Duration = Duration::from_secs(10);

struct ProgramPlayer {
    program: Program,
    name: String,
    terms: Terms,
    processes: Processes,
    /// `None` before the start and after the end.
    process: Option<Process>,
    /// The shape for which the process has started a game, by the Gomocup protocol.
    shape: Option<Shape>,
    /// True where it has not been asked for a move of that game.
    is_fresh: bool,
    /// The moves of the game after the last answer, and the marks that were there before them.
    known: Vec<Square>,
    set_up: usize,
    /// The time that the moves of this game have taken.
    used: Duration,
    /// The question, kept for its memory.
    text: String,
}

/// The fault because of which there is no move.
enum Fault {
    Stopped,
    Unfit(String),
    Lost(Cause, String),
}

impl Player for ProgramPlayer {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let mark = game.turn().ok_or(ChooseError::GameOver)?;
        let found = self.ask(game, mark, || budget.check().is_err());
        found.map(Choice::from).map_err(|fault| match fault {
            Fault::Unfit(why) => ChooseError::Unfit(self.tell(&why)),
            Fault::Stopped => {
                // Its answer would come when the next one is asked for.
                self.end();
                ChooseError::Stopped
            }
            Fault::Lost(cause, why) => {
                ChooseError::Forfeit(Forfeit { cause, message: self.tell(&why) })
            }
        })
    }
}

impl ProgramPlayer {
    /// Starts the process, unless it runs.
    fn start(&mut self) -> Result<(), StartError> {
        if self.process.is_some() {
            return Ok(());
        }
        let farewell = match self.program.protocol {
            Protocol::Cmd => "",
            Protocol::Gomocup => gomocup::FAREWELL,
        };
        let words = self.program.words();
        let log = self.terms.log.clone();
        let started = Process::start(&words, farewell.as_bytes(), log, &self.processes);
        self.process = Some(started.map_err(|error| {
            let path = words.first().map_or("", String::as_str);
            let program = quoted(path);
            let is_there = path.contains('/') && Path::new(path).is_file();
            match error.kind() {
                ErrorKind::NotFound if is_there => StartError::NoInterpreter(program),
                ErrorKind::NotFound => StartError::NotFound(program),
                ErrorKind::PermissionDenied => StartError::NotExecutable(program),
                _ => StartError::Io(program, error),
            }
        })?);
        Ok(())
    }

    /// Ends the process, and returns the last line of its standard error.
    fn end(&mut self) -> Option<String> {
        self.shape = None;
        self.known.clear();
        self.process.take()?.end()
    }

    /// Ends the process, and names the player and its last words with what is wrong.
    fn tell(&mut self, why: &str) -> String {
        const MOST: usize = 160;
        let mut message = format!("{}: {why}", self.name);
        if let Some(mut line) = self.end() {
            let cut = line.floor_char_boundary(MOST);
            let dots = if cut < line.len() { "..." } else { "" };
            line.truncate(cut);
            // A string takes what it is given.
            let _ = write!(message, "; its standard error ends with {line:?}{dots}");
        }
        message
    }

    /// Starts a game on an empty board of `shape`, where the protocol needs it.
    fn agree(&mut self, shape: Shape, mut stops: impl FnMut() -> bool) -> Result<(), Fault> {
        if self.program.protocol == Protocol::Cmd {
            return Ok(());
        }
        gomocup::check(shape).map_err(Fault::Unfit)?;
        let Some(process) = &mut self.process else { return Ok(()) };
        let text = gomocup::start(shape, self.terms.time, self.terms.game_time);
        let mut until = Instant::now() + START_TIME;
        while process.waiting(until).is_some() {
            if stops() {
                return Err(Fault::Stopped);
            }
        }
        process.send(text.as_bytes(), until);
        let asked = text.lines().last().unwrap_or_default();
        let mut refusal = None;
        loop {
            match process.line(until, &mut stops) {
                Ok(line) => {
                    let line = String::from_utf8_lossy(line);
                    match gomocup::read_start(&line) {
                        Started::Yes => break,
                        Started::No => {
                            refusal = Some(quoted(line.trim()));
                            // It may have been about a setting that does not matter, but for the
                            // rule.
                            let patience = if shape.is_exact() { Duration::ZERO } else { PATIENCE };
                            until = until.min(Instant::now() + patience);
                        }
                        Started::PassedOver if stops() => return Err(Fault::Stopped),
                        Started::PassedOver => {}
                    }
                }
                Err(NoLine::Stopped) => return Err(Fault::Stopped),
                Err(NoLine::TooLong | NoLine::Ended) if refusal.is_none() => {
                    let how = how_it_ended(process);
                    let why = format!("{how} before it answered \"{asked}\", expected OK");
                    return Err(Fault::Unfit(why));
                }
                Err(_) => {
                    let seconds = START_TIME.as_secs();
                    return Err(Fault::Unfit(refusal.map_or_else(
                        || format!("no answer to \"{asked}\" within {seconds} s, expected OK"),
                        |found| format!("it does not play on this board: \"{asked}\" got {found}"),
                    )));
                }
            }
        }
        (self.shape, self.is_fresh) = (Some(shape), true);
        Ok(())
    }

    /// Asks for a move of `mark`, and judges the answer.
    fn ask(
        &mut self,
        game: &Game,
        mark: Mark,
        mut stops: impl FnMut() -> bool,
    ) -> Result<Square, Fault> {
        self.start().map_err(|error| Fault::Lost(Cause::Crash, error.to_string()))?;
        let shape = game.board().shape();
        let moves = game.moves();
        let before = moves.len().checked_sub(1).and_then(|last| moves.get(..last));
        let set_up = game.board().marks() - moves.len();
        let is_known = !self.known.is_empty() && before == Some(&self.known);
        let goes_on = is_known && self.set_up == set_up;
        if !goes_on {
            self.known.clear();
            self.used = Duration::ZERO;
        }
        let is_gomocup = self.program.protocol == Protocol::Gomocup;
        let is_ready = self.shape == Some(shape) && (goes_on || self.is_fresh);
        if is_gomocup && !is_ready {
            self.agree(shape, &mut stops)?;
        }
        let Some(process) = &mut self.process else { return Err(Fault::Stopped) };
        let is_passed_over = |line: &[u8]| match str::from_utf8(line) {
            Ok(line) if is_gomocup => gomocup::is_passed_over(line),
            _ => Line::new(line, true).is_none(),
        };
        self.is_fresh = false;
        self.text.clear();
        let left = self.terms.game_time.map(|time| time.saturating_sub(self.used));
        if is_gomocup {
            gomocup::write_question(game, mark, self.known.len(), left, &mut self.text);
        } else {
            cmd::write_question(game, mark, &mut self.text);
        }
        let told = [self.terms.time, left].into_iter().flatten().min();
        let most = told.unwrap_or(DEFAULT_TIME).saturating_add(self.terms.margin);
        let most = most.min(LONGEST_TIME);
        let asked = Instant::now();
        // A late move is waited for, so that its author is told that it is late.
        let until = asked + most + PATIENCE;
        while let Some(line) = process.waiting(until) {
            if !is_passed_over(line) {
                let why =
                    format!("{} came before it was asked: expected one line a turn", quote(line));
                return Err(Fault::Lost(Cause::Garbled, why));
            }
            if stops() {
                return Err(Fault::Stopped);
            }
        }
        process.send(self.text.as_bytes(), until);
        let line = loop {
            match process.line(until, &mut stops) {
                Ok(line) if is_passed_over(line) => {
                    if stops() {
                        return Err(Fault::Stopped);
                    }
                }
                Ok(line) => break line,
                Err(NoLine::Stopped) => return Err(Fault::Stopped),
                Err(NoLine::Silent) => return Err(silent(process, most, is_passed_over)),
                Err(NoLine::TooLong) => {
                    let why = format!("its answer is longer than {LONGEST_LINE} bytes");
                    return Err(Fault::Lost(Cause::Garbled, why));
                }
                Err(NoLine::Ended) => return Err(ended(process)),
            }
        };
        let took = asked.elapsed();
        if took > most {
            let (took, most) = (in_seconds(took), in_seconds(most));
            let why = format!("its move came after {took} s, later than {most} s");
            return Err(Fault::Lost(Cause::Time, why));
        }
        let garbled = |why: &str| Fault::Lost(Cause::Garbled, format!("{} {why}", quote(line)));
        let square = if is_gomocup {
            let square = str::from_utf8(line).ok().and_then(gomocup::read_answer);
            square.ok_or_else(|| garbled("is no move: expected x,y such as 7,7"))?
        } else {
            let answer = Line::new(line, true).and_then(cmd::read_answer);
            let (named, place) =
                answer.ok_or_else(|| garbled("is no move: expected a square such as 2 2"))?;
            if named.is_some_and(|named| named != mark) {
                return Err(garbled(&format!("moves for the other side: it is {mark}'s turn")));
            }
            place.on(shape, self.terms.row_one)
        };
        let refusal = match game.board().at(square) {
            _ if !shape.contains(square) => Refusal::OffBoard { square, shape },
            Some(by) => Refusal::Occupied { square, by },
            None => {
                self.known.clear();
                self.known.extend_from_slice(moves);
                self.known.push(square);
                self.set_up = set_up;
                self.used += took;
                return Ok(square);
            }
        };
        Err(Fault::Lost(Cause::Illegal, format!("its move {}: {refusal}", quote(line))))
    }
}

/// The fault of a program that gave no answer within this time. Its input is closed, since one that
/// does not flush its output answers then.
fn silent(process: &mut Process, most: Duration, is_passed_over: impl Fn(&[u8]) -> bool) -> Fault {
    let most = in_seconds(most);
    let half = process.half_line();
    if !is_passed_over(half) {
        let half = quote(half);
        let why = format!("no answer within {most} s, only {half} without a line end");
        return Fault::Lost(Cause::Stalled, why);
    }
    let is_deaf = process.is_deaf();
    process.close();
    let until = Instant::now() + PATIENCE;
    let late = loop {
        match process.line(until, || false) {
            Ok(line) if is_passed_over(line) => {}
            Ok(line) => break Some(quote(line)),
            Err(_) => break None,
        }
    };
    let why = match late {
        Some(line) => format!(
            "no answer within {most} s, but {line} after its input was closed: it must flush its \
             output after each line"
        ),
        None if is_deaf => format!("no answer within {most} s: it has closed its input"),
        None => format!("no answer within {most} s: does it flush its output?"),
    };
    Fault::Lost(Cause::Stalled, why)
}

/// The fault of a program whose output ended without an answer.
fn ended(process: &mut Process) -> Fault {
    let how = how_it_ended(process);
    let half = process.half_line();
    if half.is_empty() {
        return Fault::Lost(Cause::Crash, format!("{how} before it moved"));
    }
    let why = format!("{how} after {}, which has no line end", quote(half));
    Fault::Lost(Cause::Garbled, why)
}

/// `it ended with status 1`
fn how_it_ended(process: &Process) -> String {
    let Some(status) = process.status() else {
        return "it closed its output".to_owned();
    };
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with status {code}"),
        (None, Some(number)) => match Signal::try_from(number) {
            Ok(signal) => format!("it was ended by {signal}"),
            Err(_) => format!("it was ended by signal {number}"),
        },
        (None, None) => "it ended".to_owned(),
    }
}

/// Quotes a line of a program: 64 bytes at most, those that are no text escaped.
fn quote(line: &[u8]) -> String {
    const MOST: usize = 64;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if let Ok(text) = str::from_utf8(line) {
        return quoted(text);
    }
    let (start, rest) = line.split_at(line.len().min(MOST));
    format!("\"{}\"{}", start.escape_ascii(), if rest.is_empty() { "" } else { "..." })
}

/// Seconds to a thousandth, and no more digits than it needs.
fn in_seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
