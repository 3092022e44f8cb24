//! Games: going over from one to another, making and dropping them.

use super::request::Fault;
use super::table::Table;
use super::{Hall, Id, MOST_MADE, write};
use crate::command::{Action, Command, Name};
use crate::session::Session;

impl Hall {
    /// Answers a command that changes nothing.
    pub(super) fn read(&mut self, id: Id, command: &Command) {
        let Some((name, table)) = self.table_of(id) else { return };
        let seats = table.seats();
        self.go_over(&name);
        let mut reply = self.session.run(command);
        if let Action::Status | Action::Seats = command.action {
            reply.seats = &seats;
        }
        if let Some(person) = self.people.get_mut(&id) {
            write(&reply, person);
        }
    }

    /// Takes a connection to another game, made on first use.
    pub(super) fn go_to(&mut self, id: Id, name: &Name) -> Result<(), Fault> {
        let Some(person) = self.people.get(&id) else { return Ok(()) };
        let (old, made) = (person.game.clone(), person.made);
        if *name == old {
            return Ok(());
        }
        let is_new = !self.tables.contains_key(name);
        if is_new {
            if made >= MOST_MADE {
                return Err(Fault::MadeEnough);
            }
            self.make_room()?;
            self.make(name)?;
        }
        let table = self.tables.entry(name.clone()).or_default();
        table.people += 1;
        let stirs = table.stirs;
        if let Some(person) = self.people.get_mut(&id) {
            person.game = name.clone();
            person.made += u32::from(is_new);
            person.told = stirs;
        }
        self.leave_table(&old);
        Ok(())
    }

    /// Makes a game. It is noted, so that the games of the journal are those that are here.
    pub(super) fn make(&mut self, name: &Name) -> Result<(), Fault> {
        let reply = self.session.run(&Action::Game(Some(name.clone())).into());
        if let Err(error) = &reply.answer {
            return Err(Fault::NoRoom(error.to_string()));
        }
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
            self.noted = name.clone();
            self.is_dirty = true;
        }
        self.tables.insert(name.clone(), Table::default());
        Ok(())
    }

    /// Makes room for one more game: the one that was abandoned longest ago is dropped.
    pub(super) fn make_room(&mut self) -> Result<(), Fault> {
        let count = self.tables.len();
        if count < Session::MAX_GAMES {
            return Ok(());
        }
        let main = Name::default();
        let is_abandoned = |(name, table): &(&Name, &Table)| {
            table.people == 0 && !table.is_held() && !table.is_searched && **name != main
        };
        let abandoned = self.tables.iter().filter(is_abandoned);
        let oldest = abandoned.min_by_key(|(_, table)| table.left).map(|(name, _)| name.clone());
        let name = oldest.ok_or(Fault::TooManyGames(count))?;
        self.tables.remove(&name);
        self.go_over(&main);
        let reply = self.session.run(&Action::Drop(name.clone()).into());
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
            self.is_dirty = true;
        }
        if self.noted == name {
            self.noted = main;
        }
        Ok(())
    }

    /// Goes over to the game that a command is about.
    pub(super) fn go_over(&mut self, name: &Name) {
        if self.session.name() != name {
            self.session.run(&Action::Game(Some(name.clone())).into());
        }
    }

    /// Hears that a connection is no longer in a game.
    pub(super) fn leave_table(&mut self, name: &Name) {
        self.leaves += 1;
        if let Some(table) = self.tables.get_mut(name) {
            table.people -= 1;
            table.left = self.leaves;
        }
    }
}
