//! Entrants: the players that flags name, computer players of this program or programs of others.

use std::error::Error;
use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use crate::command::{Seat, is_format, quoted};
use crate::player::{Kind, ParseKindError};

/// An entrant as flags name it: `best`, `cmd:python3 bot.py`, or with options first,
/// `name=mine,time=2,cmd:./bot`.
///
/// Only flags are read as entrants: no line of a script or of a client ever names a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    name: Option<String>,
    /// The time for each move, where it is not that of all entrants.
    pub time: Option<Duration>,
    pub who: Who,
}

/// The player that an entrant is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Who {
    Computer(Kind),
    Program(Program),
}

/// A program that can be started, and the protocol that it speaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub protocol: Protocol,
    /// The words of the command, as they were typed. They split, into one at least.
    command: String,
}

/// The protocol by which a program is asked for moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// A line that tells everything, and a line with a square.
    Cmd,
    /// The Gomocup (Piskvork) protocol.
    Gomocup,
}

impl Protocol {
    const ALL: [Self; 2] = [Self::Cmd, Self::Gomocup];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Cmd => "cmd:",
            Self::Gomocup => "gomocup:",
        }
    }
}

impl Entrant {
    /// The longest name, in bytes.
    const LONGEST_NAME: usize = 64;

    /// The name that was given, or else that of the computer player, or the command without the
    /// folder of its program: printable text of 1 to 64 bytes.
    pub fn name(&self) -> String {
        match (&self.name, &self.who) {
            (Some(name), _) => name.clone(),
            (None, Who::Computer(kind)) => kind.name().to_owned(),
            (None, Who::Program(program)) => program.name(),
        }
    }
}

impl Program {
    /// The program and its arguments: one word at least.
    pub fn words(&self) -> Vec<String> {
        shlex::split(&self.command).unwrap_or_default()
    }

    fn name(&self) -> String {
        let mut words = self.words();
        if let Some(path) = words.first_mut() {
            let start = path.trim_end_matches('/').rfind('/').map_or(0, |at| at + 1);
            path.drain(..start);
        }
        let shown = |c: &char| !c.is_control() && !is_format(*c);
        let mut name: String = words.join(" ").chars().filter(shown).collect();
        name.truncate(name.floor_char_boundary(Entrant::LONGEST_NAME));
        match name.trim() {
            "" => self.protocol.prefix().trim_end_matches(':').to_owned(),
            name => name.to_owned(),
        }
    }
}

/// The error of a text that names no entrant. Its words are quoted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseEntrantError {
    /// It is neither an option nor a player.
    Unknown(String),
    /// The name is empty, too long, not printable or that of a computer player.
    Name(String),
    /// The time is no number of seconds, or zero.
    Time(String),
    /// The command has no words, or a quote that is not closed.
    Command(String),
}

impl fmt::Display for ParseEntrantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(found) => write!(
                f,
                "found {found}, {ParseKindError}, cmd:COMMAND or gomocup:COMMAND, \
                 after name=NAME, and time=SECS, if any",
            ),
            Self::Name(found) => write!(
                f,
                "found the name {found}, expected up to {} bytes of printable text, and none of \
                 the computer players' names",
                Entrant::LONGEST_NAME
            ),
            Self::Time(found) => write!(f, "found the time {found}, expected seconds, such as 0.5"),
            Self::Command(found) => write!(
                f,
                "found the command {found}, expected a program and its arguments, every quote \
                 closed"
            ),
        }
    }
}

impl Error for ParseEntrantError {}

/// The error of a program that cannot play: it is no lost game.
#[derive(Debug)]
pub enum StartError {
    /// There is no such program.
    NotFound(String),
    /// The first line of the script names an interpreter that is not there.
    NoInterpreter(String),
    /// The file is no program that may be run.
    NotExecutable(String),
    /// The system cannot start it.
    Io(String, io::Error),
    /// It does not play on the board, for this reason.
    Unfit(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(program) => write!(f, "the program {program} cannot be found"),
            Self::NoInterpreter(program) => write!(
                f,
                "the program that the first line of {program} names after \"#!\" cannot be found"
            ),
            Self::NotExecutable(program) => write!(
                f,
                "the program {program} is not executable: \"chmod +x\" makes it so, or the command \
                 names its interpreter first"
            ),
            Self::Io(program, error) => {
                write!(f, "the program {program} cannot be started: {error}")
            }
            Self::Unfit(why) => f.write_str(why),
        }
    }
}

impl Error for StartError {}

impl FromStr for Entrant {
    type Err = ParseEntrantError;

    fn from_str(text: &str) -> Result<Self, ParseEntrantError> {
        let (mut name, mut time) = (None, None);
        let mut rest = text;
        loop {
            for protocol in Protocol::ALL {
                if let Some(command) = rest.strip_prefix(protocol.prefix()) {
                    let is_fine = shlex::split(command).is_some_and(|words| !words.is_empty());
                    if !is_fine || command.contains('\0') {
                        return Err(ParseEntrantError::Command(quoted(command)));
                    }
                    let program = Program { protocol, command: command.to_owned() };
                    return Ok(Self { name, time, who: Who::Program(program) });
                }
            }
            let (option, after) = match rest.split_once(',') {
                Some((option, after)) => (option, Some(after)),
                None => (rest, None),
            };
            match (option.split_once('='), after) {
                (Some(("name", word)), Some(_)) => name = Some(read_name(word)?),
                (Some(("time", word)), Some(_)) => time = Some(read_time(word)?),
                (None, None) => {
                    let unknown = |_| ParseEntrantError::Unknown(quoted(rest));
                    let who = Who::Computer(rest.parse().map_err(unknown)?);
                    return Ok(Self { name, time, who });
                }
                _ => return Err(ParseEntrantError::Unknown(quoted(rest))),
            }
            rest = after.unwrap_or_default();
        }
    }
}

fn read_name(word: &str) -> Result<String, ParseEntrantError> {
    let is_printable = !word.contains(|c: char| c.is_control() || is_format(c));
    let is_short = (1..=Entrant::LONGEST_NAME).contains(&word.len());
    let is_trim = word.trim() == word;
    let is_taken = word.parse::<Seat>().is_ok();
    if is_printable && is_short && is_trim && !is_taken {
        Ok(word.to_owned())
    } else {
        Err(ParseEntrantError::Name(quoted(word)))
    }
}

fn read_time(word: &str) -> Result<Duration, ParseEntrantError> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.filter(|time| !time.is_zero());
    seconds.ok_or_else(|| ParseEntrantError::Time(quoted(word)))
}

/// Writes the entrant so that it reads as itself again.
impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "name={name},")?;
        }
        if let Some(time) = self.time {
            write!(f, "time={},", time.as_secs_f64())?;
        }
        match &self.who {
            Who::Computer(kind) => kind.fmt(f),
            Who::Program(Program { protocol, command }) => {
                write!(f, "{}{command}", protocol.prefix())
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn an_entrant_is_written_as_it_is_read() {
        for (text, name) in [
            ("level3", "level3"),
            ("name=a b,best", "a b"),
            ("cmd:python3 bot.py", "python3 bot.py"),
            ("cmd:./bot", "bot"),
            ("gomocup:/opt/an\\ engine/pbrain 'a, b' --x=1", "pbrain a, b --x=1"),
            ("name=mine,time=2,cmd:./bot", "mine"),
            ("time=0.25,name=mine,cmd:cmd:x", "mine"),
            ("cmd:''", "cmd"),
        ] {
            let entrant: Entrant = text.parse().unwrap();
            assert_eq!(entrant.name(), name, "{text}");
            assert_eq!(entrant.to_string().parse(), Ok(entrant), "{text}");
        }
        let long = format!("cmd:{}", "é".repeat(60));
        assert_eq!(long.parse::<Entrant>().unwrap().name(), "é".repeat(32));
    }

    #[test]
    fn what_names_no_entrant_is_told_why() {
        let player = "expected random, rules, minimax, level1 to level8 or best, cmd:COMMAND or \
                      gomocup:COMMAND, after name=NAME, and time=SECS, if any";
        let name = "expected up to 64 bytes of printable text, and none of the computer players' \
                    names";
        let command = "expected a program and its arguments, every quote closed";
        for (text, message) in [
            ("", format!("found \"\", {player}")),
            ("./bot", format!("found \"./bot\", {player}")),
            ("human", format!("found \"human\", {player}")),
            ("name=a", format!("found \"name=a\", {player}")),
            ("nodes=1,best", format!("found \"nodes=1,best\", {player}")),
            ("time=1,bot", format!("found \"bot\", {player}")),
            ("name=,best", format!("found the name \"\", {name}")),
            ("name=Best,cmd:a", format!("found the name \"Best\", {name}")),
            ("name=human,cmd:a", format!("found the name \"human\", {name}")),
            ("name= a,cmd:a", format!("found the name \" a\", {name}")),
            ("name=a\u{1b},cmd:a", format!("found the name \"a\\u{{1b}}\", {name}")),
            ("time=0,cmd:a", "found the time \"0\", expected seconds, such as 0.5".to_owned()),
            ("time=-1,cmd:a", "found the time \"-1\", expected seconds, such as 0.5".to_owned()),
            ("cmd:", format!("found the command \"\", {command}")),
            ("cmd: # bot", format!("found the command \" # bot\", {command}")),
            ("gomocup:'a", format!("found the command \"'a\", {command}")),
        ] {
            let error = text.parse::<Entrant>().unwrap_err();
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
