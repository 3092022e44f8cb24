//! Waits: answered as soon as something has happened in the game.

use std::mem;
use std::time::Duration;

use super::answer::{Members, Said, standing};
use super::table::Asked;
use super::{Alarm, Hall, Id, MOST_TOLD, Person, Wait};
use crate::command::{Action, Command, Diagram, Name, Place};
use crate::game::{Board, Game, Mark};

impl Hall {
    /// Begins to wait for what happens after `version`.
    pub(super) fn wait(&mut self, id: Id, version: u64, time: Duration) {
        let Some((name, table)) = self.table_of(id) else { return };
        let stirs = table.stirs;
        let until = self.now + time;
        let is_past = self.session.find(&name).is_none_or(|game| game.version() != version);
        let Some(person) = self.people.get_mut(&id) else { return };
        let comment = mem::take(&mut person.comment);
        person.wait = Some(Wait { version, until, line: person.line, comment });
        let is_due = is_past || person.told != stirs || time.is_zero();
        if let Some(table) = self.tables.get_mut(&name) {
            table.waits.push(id);
        }
        self.alarms.insert((until, Alarm::Person(id)));
        if is_due {
            self.answer_wait(id);
        }
    }

    /// Notes that seats or requests have changed, which `by` knows, and wakes those who wait.
    pub(super) fn stir(&mut self, name: &Name, by: Option<Id>) {
        let told = by.filter(|id| self.is_told(*id));
        if let Some(table) = self.tables.get_mut(name) {
            table.stirs += 1;
        }
        if let Some(id) = told {
            self.tell(id);
        }
        self.wake(name);
    }

    /// True where a connection knows of all that has changed at its table.
    pub(super) fn is_told(&self, id: Id) -> bool {
        let table = self.table_of(id);
        let told = self.people.get(&id).map(|person| person.told);
        table.is_some_and(|(_, table)| Some(table.stirs) == told)
    }

    pub(super) fn tell(&mut self, id: Id) {
        let stirs = self.table_of(id).map(|(_, table)| table.stirs);
        if let (Some(stirs), Some(person)) = (stirs, self.people.get_mut(&id)) {
            person.told = stirs;
        }
    }

    /// Answers every wait in a game.
    pub(super) fn wake(&mut self, name: &Name) {
        let waits = self.tables.get_mut(name).map(|table| mem::take(&mut table.waits));
        for id in waits.unwrap_or_default() {
            self.answer_wait(id);
            self.woken.push(id);
        }
    }

    /// Forgets the wait of a connection.
    pub(super) fn drop_wait(&mut self, id: Id) -> Option<Wait> {
        let person = self.people.get_mut(&id)?;
        let wait = person.wait.take()?;
        self.alarms.remove(&(wait.until, Alarm::Person(id)));
        if let Some(table) = self.tables.get_mut(&person.game) {
            table.waits.retain(|waiting| *waiting != id);
        }
        Some(wait)
    }

    /// Answers the wait of a connection, if it has one.
    pub(super) fn answer_wait(&mut self, id: Id) {
        let Some(Wait { version, line, comment, .. }) = self.drop_wait(id) else { return };
        self.tell(id);
        let Some(person) = self.people.get_mut(&id) else { return };
        let Person { game: name, format, out, .. } = person;
        let Some(table) = self.tables.get(name) else { return };
        let Some(game) = self.session.find(name) else { return };
        let mut members = Members::default();
        let mut parts = vec![format!("{} at version {}", standing(game), game.version())];
        let since = if version == game.version() { None } else { table.since(version) };
        if let Some(changes) = since {
            let (mut told, mut bytes) = (Vec::new(), 0);
            let mut changes = changes.peekable();
            while let Some(change) = changes.next_if(|change| {
                bytes += change.len();
                told.is_empty() || bytes <= MOST_TOLD
            }) {
                told.push(change);
            }
            parts.extend(told.iter().map(|&change| change.to_owned()));
            members.texts("changes", told);
            if changes.peek().is_some() {
                parts.push("more follows".to_owned());
                members.raw("more", true);
            }
        } else if version == game.version() {
            members.texts("changes", []);
        } else {
            let commands = commands_of(game);
            parts.push("from the start".to_owned());
            members.texts("restart", commands.iter().map(String::as_str));
            parts.extend(commands);
        }
        let [x, o] = [Mark::X, Mark::O].map(|mark| table.word(mark, id));
        members.raw("seats", format_args!("{{\"x\":\"{x}\",\"o\":\"{o}\"}}"));
        parts.push(format!("X is {x}, O is {o}"));
        if let Some(asked @ Asked { by, sent }) = &table.asked {
            members.raw("asked", asked.object());
            parts.push(format!("{by} asks for \"{sent}\""));
        }
        let text = parts.join("; ");
        let (verb, result, comment) = ("wait", "OK", &*comment);
        let said = Said { line, verb, result, reason: None, text: &text, comment, members };
        said.write(*format, name, game, out);
    }
}

/// The commands that make a game anew, with its undone moves: not its version.
fn commands_of(game: &Game) -> Vec<String> {
    let (shape, mut start) = (game.board().shape(), game.clone());
    // It has as many moves.
    let _ = start.undo(game.moves().len() as u64);
    let moves = || game.moves().iter().chain(game.undone()).map(|square| Place::from(*square));
    let k = Some(shape.k().into());
    let mut actions = Vec::new();
    if start.board() == &Board::new(shape) {
        actions.push(Action::New { size: Some(shape.into()), k });
        if moves().next().is_some() {
            actions.push(Action::Replay(moves().collect()));
        }
    } else {
        actions.push(Action::Position { diagram: Diagram::of(start.board()), k });
        actions.extend(moves().map(|place| Action::Play(None, place)));
    }
    if !game.undone().is_empty() {
        actions.push(Action::Undo(Some(game.undone().len() as u64)));
    }
    actions.into_iter().map(|action| Command::from(action).to_string()).collect()
}
