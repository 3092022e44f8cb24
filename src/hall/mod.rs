//! The hall: games that many people share, each in a conversation of their own.
//!
//! It knows no clock, socket or thread. Lines, ticks and lost connections go in, replies come out,
//! and so do the positions that a computer on a seat is to think about. All changes are applied
//! here, one after the other: their order is the journal's.
//!
//! The rules of a command are those of [`Session`], which goes over to the game of whoever speaks.
//! What only the wire has stands around it: seats, versions that must be named, requests that need
//! both seats, changes that are sent again, and waits.

mod answer;
mod changes;
mod games;
mod request;
mod seats;
mod table;
mod token;
mod waits;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::mem;
use std::time::Duration;

use self::answer::{Members, Said};
use self::request::{Fault, Own, Request, parse};
use self::table::{Chair, Table};
use crate::command::{Action, Command, Line, Name, Seat};
use crate::game::{Game, Mark};
use crate::player::Kind;
use crate::reply::{Format, Origin, Reply};
use crate::session::Session;
use crate::shell::journal::Journal;

/// The longest line, in bytes without its end.
pub const MAX_LINE: usize = 8 << 10;

/// The longest side of a board.
pub const MAX_SIDE: u64 = 32;

/// The most games that one connection makes.
const MOST_MADE: u32 = 16;

/// The most computers on seats.
const MOST_COMPUTERS: usize = 64;

/// How long a `wait` waits that does not say it, and the longest.
const WAIT: Duration = Duration::from_secs(30);
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// How long the answer to a wrong token takes, and how many wrong ones close the connection.
const WRONG_TOKEN: Duration = Duration::from_secs(1);
const MOST_WRONG: u32 = 10;

/// The most bytes of changes in the answer to a `wait`.
const MOST_TOLD: usize = 32 << 10;

/// A connection.
pub type Id = u64;

/// The reason why the server closes a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// There are as many connections as there may be.
    Full,
    /// Nothing came for a long time.
    Idle,
    /// A line was not whole in time, or the replies were not read.
    Slow,
    /// The first line is one of HTTP.
    Http,
    /// Too many tokens were wrong.
    Tokens,
    /// The server ends.
    Shutdown,
}

impl Closed {
    /// The `reason` of the reply.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Idle => "idle",
            Self::Slow => "slow",
            Self::Http => "http",
            Self::Tokens => "tokens",
            Self::Shutdown => "shutdown",
        }
    }

    /// A sentence for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Full => "as many are connected as this server takes: try again later",
            Self::Idle => "nothing came for ten minutes: a blank line now and then keeps it open",
            Self::Slow => "a line is to be whole, and replies are to be read, within 30 s",
            Self::Http => "this is no web server: it takes lines such as \"sit X\"",
            Self::Tokens => "ten tokens were wrong",
            Self::Shutdown => "the server ends",
        }
    }
}

/// A position that a computer on a seat is to move in.
#[derive(Debug)]
pub struct Search {
    name: Name,
    mark: Mark,
    pub kind: Kind,
    pub game: Game,
}

/// The games, and the people who watch and play them.
pub struct Hall {
    session: Session,
    journal: Option<Journal>,
    /// The game that the journal is in.
    noted: Name,
    /// True where a change is noted that is not kept yet.
    is_dirty: bool,
    tables: BTreeMap<Name, Table>,
    people: BTreeMap<Id, Person>,
    /// The connections that have got a reply to none of their lines.
    woken: Vec<Id>,
    alarms: BTreeSet<(Duration, Alarm)>,
    /// The games in which a computer is to move, in turn.
    turns: VecDeque<Name>,
    computers: usize,
    now: Duration,
    /// How long an absent holder keeps a seat.
    hold: Duration,
    last_id: Id,
    leaves: u64,
    changes: u64,
}

/// One connection.
struct Person {
    game: Name,
    line: u64,
    /// The comment of the line, empty where it has none.
    comment: Vec<u8>,
    format: Format,
    wait: Option<Wait>,
    /// When a wrong token is answered, while it is not.
    wrong: Option<Duration>,
    wrongs: u32,
    /// The games that it has made.
    made: u32,
    /// The games in which it took a seat.
    sat: BTreeSet<Name>,
    /// The stirs of the table that it knows of.
    told: u64,
    out: Vec<u8>,
    is_closing: bool,
}

/// A `wait` that is not answered.
struct Wait {
    version: u64,
    until: Duration,
    line: u64,
    comment: Vec<u8>,
}

/// What happens at a time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Alarm {
    /// A `wait` or a wrong token is answered.
    Person(Id),
    /// An absent holder loses a seat of this game.
    Seat(Name, bool),
}

impl Hall {
    /// A hall of the games of `session`. With a `journal`, every change is noted there. An absent
    /// holder keeps a seat for as long as `hold`.
    #[must_use]
    pub fn new(session: Session, journal: Option<Journal>, hold: Duration) -> Self {
        let tables = session.names().into_iter().map(|name| (name, Table::default()));
        let mut hall = Self {
            noted: session.name().clone(),
            tables: tables.collect(),
            session,
            journal,
            is_dirty: false,
            people: BTreeMap::new(),
            woken: Vec::new(),
            alarms: BTreeSet::new(),
            turns: VecDeque::new(),
            computers: 0,
            now: Duration::ZERO,
            hold,
            last_id: 0,
            leaves: 0,
            changes: 0,
        };
        // Seats are the tables'.
        for mark in [Mark::X, Mark::O] {
            hall.session.run(&Action::Seat(mark, Seat::Human).into());
        }
        // A session may have dropped it.
        let main = Name::default();
        if hall.session.find(&main).is_none() {
            let _ = hall.make(&main);
        }
        hall
    }

    /// Lets a connection in.
    pub fn enter(&mut self) -> Id {
        self.last_id += 1;
        let game = Name::default();
        let table = self.tables.entry(game.clone()).or_default();
        table.people += 1;
        let person = Person {
            game,
            line: 0,
            comment: Vec::new(),
            format: Format::Text,
            wait: None,
            wrong: None,
            wrongs: 0,
            made: 0,
            sat: BTreeSet::new(),
            told: table.stirs,
            out: Vec::new(),
            is_closing: false,
        };
        self.people.insert(self.last_id, person);
        self.last_id
    }

    /// Hears that a connection is lost or closed.
    pub fn leave(&mut self, id: Id) {
        self.drop_wait(id);
        let Some(person) = self.people.remove(&id) else { return };
        if let Some(until) = person.wrong {
            self.alarms.remove(&(until, Alarm::Person(id)));
        }
        self.leave_table(&person.game);
        for name in person.sat {
            for mark in [Mark::X, Mark::O] {
                self.lose(&name, mark, id);
            }
        }
    }

    /// Answers one line of a connection, without its end. Of a line that is too long, the start is
    /// enough.
    pub fn line(&mut self, id: Id, bytes: &[u8]) {
        let Some(person) = self.people.get_mut(&id) else { return };
        if person.is_closing {
            return;
        }
        person.line += 1;
        let is_first = person.line == 1;
        if is_first && is_http(bytes) {
            return self.close(id, Closed::Http);
        }
        let mut comment: &[u8] = &[];
        let request = if bytes.strip_suffix(b"\r").unwrap_or(bytes).len() > MAX_LINE {
            Err((None, Fault::TooLong))
        } else {
            match Line::new(bytes, is_first) {
                Some(line) => {
                    comment = line.comment().unwrap_or_default();
                    parse(line)
                }
                None => return,
            }
        };
        self.answer_wait(id);
        if let Some(person) = self.people.get_mut(&id) {
            person.comment.clear();
            person.comment.extend_from_slice(comment);
        }
        let (verb, answered) = match request {
            Err((own, fault)) => (own.map_or("", Own::name), Err(fault)),
            Ok(Request::Sit(mark, token)) => ("sit", self.sit(id, mark, token)),
            Ok(Request::Stand(mark)) => ("stand", self.stand(id, mark)),
            Ok(Request::No) => ("no", self.decline(id)),
            Ok(Request::Command(command)) => {
                (command.action.verb().name(), self.command(id, command))
            }
            Ok(Request::Wait(version, time)) => return self.wait(id, version, time),
            Ok(Request::Format(format)) => return self.format(id, format),
            Ok(Request::Help(text)) => {
                let mut members = Members::default();
                members.text("help", &text);
                return self.say(id, "help", "OK", &text, members);
            }
        };
        if let Err(fault) = answered {
            let (code, text) = (fault.code(), fault.to_string());
            let reason = matches!(fault, Fault::Ragged(_)).then_some("ragged");
            self.reply(id, verb, code, reason, &text, Members::default());
        }
    }

    /// Hears how long the server has run, answers the waits that have passed, and frees the seats
    /// of those who were absent too long.
    pub fn tick(&mut self, now: Duration) {
        self.now = now;
        while let Some((at, alarm)) = self.alarms.pop_first() {
            if at > now {
                self.alarms.insert((at, alarm));
                return;
            }
            match alarm {
                Alarm::Person(id) => {
                    self.answer_wait(id);
                    self.answer_wrong(id);
                    self.woken.push(id);
                }
                Alarm::Seat(name, is_x) => {
                    let mark = if is_x { Mark::X } else { Mark::O };
                    let holder = self.tables.get(&name).map(|table| table.chair(mark));
                    if matches!(holder, Some(Chair::Held(holder)) if holder.id.is_none()) {
                        self.free(&name, mark);
                    }
                }
            }
        }
    }

    /// Says why, and closes a connection once that is written.
    pub fn close(&mut self, id: Id, why: Closed) {
        self.answer_wait(id);
        self.answer_wrong(id);
        let Some(person) = self.people.get_mut(&id) else { return };
        if mem::replace(&mut person.is_closing, true) {
            return;
        }
        let Some(game) = self.session.find(&person.game) else { return };
        let said = Said {
            line: 0,
            verb: "",
            result: "CLOSED",
            reason: Some(why.name()),
            text: why.text(),
            comment: &[],
            members: Members::default(),
        };
        said.write(person.format, &person.game, game, &mut person.out);
        self.woken.push(id);
    }

    /// Hears that no line comes after those that were read: nothing else ends a wait.
    pub fn end(&mut self, id: Id) {
        self.answer_wait(id);
    }

    /// The replies to a connection that are not taken yet. They may be written once nothing
    /// [`is_dirty`](Self::is_dirty).
    pub fn replies(&mut self, id: Id) -> Option<&mut Vec<u8>> {
        self.people.get_mut(&id).map(|person| &mut person.out)
    }

    /// True where a connection is to be closed once its replies are written.
    #[must_use]
    pub fn is_closing(&self, id: Id) -> bool {
        self.people.get(&id).is_none_or(|person| person.is_closing)
    }

    /// True where no further line of a connection may be answered yet.
    #[must_use]
    pub fn is_paused(&self, id: Id) -> bool {
        self.people.get(&id).is_some_and(|person| person.wrong.is_some())
    }

    /// True where a connection waits for an answer.
    #[must_use]
    pub fn is_waiting(&self, id: Id) -> bool {
        self.people.get(&id).is_some_and(|person| person.wait.is_some() || person.wrong.is_some())
    }

    /// The connections that have got replies to none of their lines.
    pub fn take_woken(&mut self) -> Vec<Id> {
        mem::take(&mut self.woken)
    }

    /// True where a change is noted in the journal and not kept yet.
    #[must_use]
    pub const fn is_dirty(&self) -> bool {
        self.is_dirty
    }

    /// Keeps the changes that are noted. Only then may replies be seen.
    ///
    /// # Errors
    ///
    /// Those of the journal. Then nothing may follow.
    pub fn commit(&mut self) -> io::Result<()> {
        self.is_dirty = false;
        self.journal.as_mut().map_or(Ok(()), Journal::commit)
    }

    /// The number of connections, of games, and of changes so far.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, u64) {
        (self.people.len(), self.tables.len(), self.changes)
    }

    fn format(&mut self, id: Id, format: Option<Format>) {
        let Some(person) = self.people.get_mut(&id) else { return };
        person.format = format.unwrap_or(person.format);
        let name = if person.format == Format::Json { "json" } else { "text" };
        self.say(id, "format", "OK", &format!("replies are written as {name}"), Members::default());
    }

    /// Carries out a command of a session, if the wire has it.
    fn command(&mut self, id: Id, command: Command) -> Result<(), Fault> {
        match command.action {
            Action::Game(Some(ref name)) => {
                self.go_to(id, name)?;
                self.read(id, &command);
            }
            Action::Moves
            | Action::Board
            | Action::At(_)
            | Action::Free
            | Action::Status
            | Action::Seats
            | Action::Game(None)
            | Action::Games => self.read(id, &command),
            Action::Quit => {
                self.read(id, &command);
                if let Some(person) = self.people.get_mut(&id) {
                    person.is_closing = true;
                }
            }
            Action::Play(..)
            | Action::Undo(_)
            | Action::Redo(_)
            | Action::New { .. }
            | Action::Replay(_)
            | Action::Position { .. } => self.change(id, command)?,
            Action::Seat(mark, ref seat) => self.seat(id, mark, seat)?,
            action => return Err(Fault::NotHere(action.verb())),
        }
        Ok(())
    }

    /// The game of a connection, and its table.
    fn table_of(&self, id: Id) -> Option<(Name, &Table)> {
        let name = &self.people.get(&id)?.game;
        Some((name.clone(), self.tables.get(name)?))
    }

    /// Answers the last line of a connection.
    fn say(&mut self, id: Id, verb: &str, result: &str, text: &str, members: Members) {
        self.reply(id, verb, result, None, text, members);
    }

    fn reply(
        &mut self,
        id: Id,
        verb: &str,
        result: &str,
        reason: Option<&str>,
        text: &str,
        members: Members,
    ) {
        let Some(person) = self.people.get_mut(&id) else { return };
        let Some(game) = self.session.find(&person.game) else { return };
        let (line, comment) = (person.line, &*person.comment);
        let said = Said { line, verb, result, reason, text, comment, members };
        said.write(person.format, &person.game, game, &mut person.out);
    }
}

/// Appends a reply to the last line of a connection.
fn write(reply: &Reply<'_>, person: &mut Person) {
    let comment = Some(&*person.comment).filter(|comment| !comment.is_empty());
    let origin = Origin { source: None, line: person.line, comment };
    // A vector takes what it is given.
    let _ = reply.write(origin, person.format, &mut person.out);
}

/// True for a first line such as `GET / HTTP/1.1`.
fn is_http(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    words.nth(2).is_some_and(|word| word.starts_with(b"HTTP/"))
}
