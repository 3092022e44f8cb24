//! The language of the wire: the commands of a session, some of them, and five of its own.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use super::token::Token;
use crate::command::{
    Action, Command, CommandError, Diagram, Line, RaggedError, Size, Verb, Words, quoted,
};
use crate::game::Mark;
use crate::reply::Format;

/// The help: a paragraph a verb, of the usage line, a summary, and what else there is to say.
const HELP: &str = include_str!("help.txt");

/// The verbs that only the wire has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Own {
    Sit,
    Stand,
    Wait,
    No,
    Format,
}

impl Own {
    const ALL: [Self; 5] = [Self::Sit, Self::Stand, Self::Wait, Self::No, Self::Format];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sit => "sit",
            Self::Stand => "stand",
            Self::Wait => "wait",
            Self::No => "no",
            Self::Format => "format",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name().eq_ignore_ascii_case(word))
    }

    /// The paragraph of [`HELP`] on the verb, split after its first line.
    fn paragraph(self) -> (&'static str, &'static str) {
        let is_own = |text: &&str| text.split_whitespace().next() == Some(self.name());
        let own = HELP.split("\n\n").find(is_own).unwrap_or_default();
        own.trim_end().split_once('\n').unwrap_or_default()
    }

    fn usage(self) -> &'static str {
        self.paragraph().0
    }
}

/// The verbs of a session that the wire has too.
const SHARED: [Verb; 15] = [
    Verb::Play,
    Verb::Undo,
    Verb::Redo,
    Verb::New,
    Verb::Replay,
    Verb::Moves,
    Verb::Position,
    Verb::Board,
    Verb::At,
    Verb::Free,
    Verb::Status,
    Verb::Seat,
    Verb::Game,
    Verb::Games,
    Verb::Quit,
];

/// A line that was understood.
#[derive(Clone, PartialEq)]
pub(super) enum Request {
    Sit(Option<Mark>, Option<Token>),
    Stand(Option<Mark>),
    Wait(u64, Duration),
    No,
    Format(Option<Format>),
    /// The help, as text.
    Help(String),
    Command(Command),
}

/// The error of a line that is not carried out.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Ragged(#[from] RaggedError),
    #[error("\"{name}\" needs more: it is written \"{}\"", .0.usage(), name = .0.name())]
    Missing(Own),
    #[error("{word} is too much for \"{}\": it is written \"{}\"", own.name(), own.usage())]
    Extra { own: Own, word: String },
    #[error("the line is longer than {} bytes: it was skipped", super::MAX_LINE)]
    TooLong,
    #[error("\"{}\" is not for games that others play too: \"help\" lists what is", .0.name())]
    NotHere(Verb),
    #[error("\"{name}\" takes the version that you have seen, such as \"@3\": \"status\" tells it", name = .0.name())]
    NoVersion(Verb),
    #[error("a board of {0} is too large: sides run to {max} here", max = super::MAX_SIDE)]
    TooLarge(Size),
    #[error("a connection makes {} games at most: go over to one that is there", super::MOST_MADE)]
    MadeEnough,
    #[error("{0} games are there, and somebody is in each of them")]
    TooManyGames(usize),
    #[error("{0}")]
    NoRoom(String),
    #[error("{} computers have a seat, the most that there may be", super::MOST_COMPUTERS)]
    TooManyComputers,
    /// A seat is somebody else's, or nobody's.
    #[error("{0}")]
    Seat(String),
}

impl Fault {
    /// The code of the reply.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Seat(_) => "NOT_YOUR_SEAT",
            Self::Ragged(_) => "INVALID_POSITION",
            _ => "BAD_COMMAND",
        }
    }
}

/// Reads a line that is not blank.
pub(super) fn parse(line: Line<'_>) -> Result<Request, (Option<Own>, Fault)> {
    let mut words = line.words();
    let first = words.next().unwrap_or_default();
    if let Some(own) = Own::named(first) {
        let mut arguments = Arguments { own, words };
        let request = arguments.request().and_then(|request| arguments.end(request));
        return request.map_err(|fault| (Some(own), fault));
    }
    if first == "?" || first.eq_ignore_ascii_case("help") {
        let own = words.next().and_then(Own::named);
        if let (Some(own), None) = (own, words.next()) {
            let (usage, rest) = own.paragraph();
            return Ok(Request::Help(format!("{usage}: {rest}")));
        }
    }
    let command = line.parse().map_err(|error| (None, error.into()))?;
    match command.action {
        Action::Help(Some(verb)) => Ok(Request::Help(verb.help())),
        Action::Help(None) => Ok(Request::Help(overview())),
        _ => Ok(Request::Command(command)),
    }
}

/// The words after a verb of the wire.
struct Arguments<'a> {
    own: Own,
    words: Words<'a>,
}

impl Arguments<'_> {
    fn request(&mut self) -> Result<Request, Fault> {
        Ok(match self.own {
            Own::Sit => match self.words.next() {
                None => Request::Sit(None, None),
                Some(word) => match word.parse() {
                    Ok(mark) => {
                        let token = self.words.next().map(Token::from_str).transpose()?;
                        Request::Sit(Some(mark), token)
                    }
                    Err(_) => Request::Sit(None, Some(word.parse()?)),
                },
            },
            Own::Stand => Request::Stand(match self.words.next() {
                None => None,
                Some(word) => Some(word.parse().map_err(|_| malformed(word, "a mark, X or O"))?),
            }),
            Own::Wait => {
                let word = self.words.next().ok_or(Fault::Missing(self.own))?;
                let version = word.strip_prefix('@').and_then(whole);
                let version = version.ok_or_else(|| malformed(word, "a version such as @3"))?;
                let seconds = match self.words.next() {
                    None => super::WAIT,
                    Some(word) => {
                        let seconds = whole(word).ok_or_else(|| malformed(word, "seconds"))?;
                        Duration::from_secs(seconds).min(super::LONGEST_WAIT)
                    }
                };
                Request::Wait(version, seconds)
            }
            Own::No => Request::No,
            Own::Format => Request::Format(match self.words.next() {
                None => None,
                Some(word) if word.eq_ignore_ascii_case("text") => Some(Format::Text),
                Some(word) if word.eq_ignore_ascii_case("json") => Some(Format::Json),
                Some(word) => return Err(malformed(word, "text or json")),
            }),
        })
    }

    fn end(&mut self, request: Request) -> Result<Request, Fault> {
        match self.words.next() {
            // The word too much may be a token.
            Some(_) if self.own == Own::Sit => {
                Err(Fault::Extra { own: self.own, word: "a third word".to_owned() })
            }
            Some(word) => Err(Fault::Extra { own: self.own, word: quoted(word) }),
            None => Ok(request),
        }
    }
}

fn malformed(word: &str, expected: &'static str) -> Fault {
    CommandError::Malformed { word: quoted(word), expected }.into()
}

/// Reads digits alone, to 64 bits.
fn whole(digits: &str) -> Option<u64> {
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}

/// The size that a command gives a board.
pub(super) fn size_of(action: &Action) -> Result<Option<Size>, RaggedError> {
    match action {
        Action::New { size, .. } => Ok(*size),
        Action::Position { diagram, .. } => Diagram::size(diagram).map(Some),
        _ => Ok(None),
    }
}

/// The help for all that the wire has: a line a command.
fn overview() -> String {
    let own = Own::ALL.map(|own| {
        let (usage, rest) = own.paragraph();
        (usage, rest.lines().next().unwrap_or_default().to_owned())
    });
    let shared = SHARED.map(|verb| {
        let help = verb.help();
        let summary = help.split_once(": ").map_or("", |(_, rest)| rest);
        (verb.usage(), summary.lines().next().unwrap_or_default().to_owned())
    });
    let all = own.iter().chain(&shared);
    let width = all.clone().map(|(usage, _)| usage.len()).max().unwrap_or_default();
    let lines: Vec<String> =
        all.map(|(usage, summary)| format!("  {usage:width$}  {summary}\n")).collect();
    format!(
        "\"sit\" takes a seat, and without one you watch; a change names the version it has seen\n\
         {}\
         \"help COMMAND\" says more",
        lines.concat()
    )
}
