//! Changes: who may make them, and what follows from them.

use super::answer::Members;
use super::request::{Fault, size_of};
use super::table::{Asked, Chair, Change, only};
use super::{Hall, Id, MAX_SIDE, Search, write};
use crate::command::{Action, Command, Name, Size, Verb};
use crate::game::{Game, Mark, Square};
use crate::reply::{Answer, Reply};

impl Hall {
    /// Makes a change, or asks the other seat for it.
    pub(super) fn change(&mut self, id: Id, mut command: Command) -> Result<(), Fault> {
        let verb = command.action.verb();
        let seen = command.seen.ok_or(Fault::NoVersion(verb))?;
        let is_large = |size: &Size| size.rows.max(size.cols) > MAX_SIDE;
        if let Some(size) = size_of(&command.action)?.filter(is_large) {
            return Err(Fault::TooLarge(size));
        }
        let Some((name, table)) = self.table_of(id) else { return Ok(()) };
        let Some(game) = self.session.find(&name) else { return Ok(()) };
        let own = table.held_by(id);
        let [x, o] = own;
        let mark = match command.action {
            Action::Play(Some(mark), _) => Some(mark),
            _ if x && o => game.turn(),
            _ => None,
        };
        let mark = mark.unwrap_or(if o && !x { Mark::O } else { Mark::X });
        if !table.is_held_by(mark, id) {
            return Err(Fault::Seat(match command.action {
                Action::Play(Some(_), _) => format!("{mark} is {}", table.word(mark, id)),
                _ => "you have no seat in this game: \"sit\" takes one".to_owned(),
            }));
        }
        let sent = command.to_string();
        if seen != game.version()
            && let Some(made) = table.made(own, seen, &sent)
        {
            let (code, text) = (made.code.name(), format!("again: {} is in", made.line));
            let mut members = Members::default();
            members.raw("again", true);
            self.say(id, verb.name(), code, &text, members);
            return Ok(());
        }
        let other = table.chair(mark.other());
        let is_shared = matches!(other, Chair::Held(holder) if holder.id != Some(id));
        let is_against_computer = matches!(other, Chair::Computer(_));
        let agrees =
            matches!(&table.asked, Some(asked) if asked.by == mark.other() && asked.sent == sent);
        match &mut command.action {
            Action::Play(whose, _) => *whose = Some(mark),
            // Back to one's own turn, over the answer of a computer.
            Action::Undo(count @ None) => {
                let last = Mark::after(game.board().marks()).other();
                *count = Some(if is_against_computer && last != mark { 2 } else { 1 });
            }
            _ => {}
        }
        let needs_both = is_shared && verb != Verb::Play;
        if needs_both && !agrees {
            self.go_over(&name);
            // One that would be refused is refused now.
            if self.session.check(&command).is_ok() {
                let mut members = Members::default();
                let asked = Asked { by: mark, sent };
                members.raw("asked", asked.object());
                if let Some(table) = self.tables.get_mut(&name) {
                    table.asked = Some(asked);
                }
                self.stir(&name, Some(id));
                let text =
                    format!("{} does it by the same command, or declines by \"no\"", mark.other());
                self.say(id, verb.name(), "ASKED", &text, members);
                return Ok(());
            }
        }
        let by = if needs_both && agrees { [true; 2] } else { only(mark) };
        self.run(Some(id), &name, &command, &sent, by);
        Ok(())
    }

    /// Lets the session make a change, and does what follows from it.
    pub(super) fn run(
        &mut self,
        id: Option<Id>,
        name: &Name,
        command: &Command,
        sent: &str,
        by: [bool; 2],
    ) {
        self.go_over(name);
        let reply = self.session.run(command);
        let change = reply.change();
        if let (Some(_), Some(journal)) = (&change, &mut self.journal) {
            if self.noted != *name {
                journal.note(&Reply { answer: Ok(Answer::WentOver), ..reply.clone() });
                self.noted = name.clone();
            }
            journal.note(&reply);
            self.is_dirty = true;
        }
        if let Some(person) = id.and_then(|id| self.people.get_mut(&id)) {
            write(&reply, person);
        }
        let code = reply.code();
        let Some(change) = change else { return };
        self.changes += 1;
        if let Some(table) = self.tables.get_mut(name) {
            table.keep(Change {
                seen: change.seen.unwrap_or_default(),
                by,
                code,
                sent: sent.into(),
                line: change.to_string().into(),
            });
            table.asked = None;
            // The others leave a computer asleep.
            table.is_due = matches!(change.action, Action::Play(..) | Action::New { .. });
        }
        self.wake(name);
        self.let_computer_move(name);
    }

    /// Withdraws or declines a request.
    pub(super) fn decline(&mut self, id: Id) -> Result<(), Fault> {
        let Some((name, table)) = self.table_of(id) else { return Ok(()) };
        if !table.held_by(id).contains(&true) {
            return Err(Fault::Seat("you have no seat in this game".to_owned()));
        }
        let text = match &table.asked {
            None => "nothing was asked for".to_owned(),
            Some(Asked { by, sent }) => {
                let did = if table.is_held_by(*by, id) { "withdrew" } else { "declined" };
                format!("you {did} \"{sent}\"")
            }
        };
        let was_asked =
            self.tables.get_mut(&name).is_some_and(|table| table.asked.take().is_some());
        if was_asked {
            self.stir(&name, Some(id));
        }
        self.say(id, "no", "OK", &text, Members::default());
        Ok(())
    }

    /// Has a search queued if it is the turn of a computer.
    pub(super) fn let_computer_move(&mut self, name: &Name) {
        let turn = self.session.find(name).and_then(Game::turn);
        let (Some(turn), Some(table)) = (turn, self.tables.get_mut(name)) else { return };
        let is_its_turn = matches!(table.chair(turn), Chair::Computer(_));
        if is_its_turn && table.is_due && !table.is_searched {
            table.is_searched = true;
            self.turns.push_back(name.clone());
        }
    }

    /// The next position in which a computer is to move: one a game at a time, the games in turn.
    pub fn next_search(&mut self) -> Option<Search> {
        while let Some(name) = self.turns.pop_front() {
            let Some(table) = self.tables.get_mut(&name) else { continue };
            let game = self.session.find(&name).filter(|_| table.is_due);
            if let Some(game) = game
                && let Some(mark) = game.turn()
                && let &Chair::Computer(kind) = table.chair(mark)
            {
                return Some(Search { mark, kind, game: game.clone(), name });
            }
            table.is_searched = false;
        }
        None
    }

    /// Lets a computer make the move that it has found. A late one, after which the game or the seat
    /// is another, is dropped. A computer that finds none gives its seat back.
    pub fn found(&mut self, search: &Search, square: Option<Square>) {
        let Search { name, mark, kind, game } = search;
        let Some(table) = self.tables.get_mut(name) else { return };
        table.is_searched = false;
        let is_there = matches!(table.chair(*mark), Chair::Computer(there) if there == kind);
        let version = self.session.find(name).map(Game::version);
        match square {
            Some(square) if is_there && version == Some(game.version()) => {
                let action = Action::Play(Some(*mark), square.into());
                let command = Command { action, seen: version };
                self.run(None, name, &command, "", [false; 2]);
            }
            None if is_there => self.free(name, *mark),
            _ => self.let_computer_move(name),
        }
    }
}
