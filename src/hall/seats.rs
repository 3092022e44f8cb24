//! Seats: who takes one, gives it back, or loses it.

use std::mem;

use super::Closed;
use super::answer::{Members, standing};
use super::request::Fault;
use super::table::{Chair, Holder};
use super::token::Token;
use super::{Alarm, Hall, Id, MOST_COMPUTERS, MOST_WRONG, WRONG_TOKEN, write};
use crate::command::{Name, Seat, Verb};
use crate::game::Mark;
use crate::reply::{Answer, Reply};
use std::time::Duration;

impl Hall {
    /// Takes a seat, or takes it back.
    pub(super) fn sit(
        &mut self,
        id: Id,
        mark: Option<Mark>,
        token: Option<Token>,
    ) -> Result<(), Fault> {
        let Some((name, table)) = self.table_of(id) else { return Ok(()) };
        let is_shown = |mark: &Mark| match table.chair(*mark) {
            Chair::Held(holder) => token.is_some() && holder.token == token,
            _ => false,
        };
        let is_free = |mark: &Mark| matches!(table.chair(*mark), Chair::Free);
        let is_own = |mark: &Mark| table.is_held_by(*mark, id);
        let marks: &[Mark] = mark.as_ref().map_or(&[Mark::X, Mark::O], std::slice::from_ref);
        let found = |is: &dyn Fn(&Mark) -> bool| marks.iter().copied().find(is);
        let seat = found(&is_shown).or_else(|| found(&is_own)).or_else(|| found(&is_free));
        let Some(mark) = seat else {
            let words: Vec<String> =
                marks.iter().map(|mark| format!("{mark} is {}", table.word(*mark, id))).collect();
            let fault = Fault::Seat(words.join(", "));
            let has_token = |mark: &Mark| matches!(table.chair(*mark), Chair::Held(holder) if holder.token.is_some());
            if token.is_some() && marks.iter().any(has_token) {
                self.begin_wrong(id);
                return Ok(());
            }
            return Err(fault);
        };
        let was_held = is_shown(&mark) || is_own(&mark);
        let (was_own, old) = (is_own(&mark), table.chair(mark).clone());
        let mut token = token;
        if let Chair::Held(holder) = old {
            token = token.or(holder.token);
            if holder.id.is_none() {
                self.alarms.remove(&(holder.until, Alarm::Seat(name.clone(), mark == Mark::X)));
            }
        }
        if let Some(table) = self.tables.get_mut(&name) {
            let holder = Holder { id: Some(id), token, until: Duration::ZERO };
            *table.chair_mut(mark) = Chair::Held(holder);
        }
        if let Some(person) = self.people.get_mut(&id) {
            person.sat.insert(name.clone());
        }
        if !was_own {
            self.stir(&name, Some(id));
        }
        let mut members = Members::default();
        members.mark(mark);
        if was_held {
            members.raw("again", true);
        }
        let again = if was_held { " again" } else { "" };
        let text = self.session.find(&name).map(standing).unwrap_or_default();
        self.say(id, "sit", "OK", &format!("you play {mark}{again}, {text}"), members);
        Ok(())
    }

    /// Gives seats back.
    pub(super) fn stand(&mut self, id: Id, mark: Option<Mark>) -> Result<(), Fault> {
        let Some((name, table)) = self.table_of(id) else { return Ok(()) };
        let marks: Vec<Mark> = [Mark::X, Mark::O]
            .into_iter()
            .filter(|own| mark.is_none_or(|mark| mark == *own) && table.is_held_by(*own, id))
            .collect();
        if marks.is_empty() {
            return Err(Fault::Seat(match mark {
                Some(mark) => format!("{mark} is {}", table.word(mark, id)),
                None => "you have no seat in this game".to_owned(),
            }));
        }
        let names: Vec<&str> = marks.iter().map(|mark| mark.name()).collect();
        let text = format!("you gave {} back", names.join(" and "));
        let was_told = self.is_told(id);
        for mark in marks {
            self.free(&name, mark);
        }
        if was_told {
            self.tell(id);
        }
        self.say(id, "stand", "OK", &text, Members::default());
        Ok(())
    }

    /// Puts a computer on the other seat, or takes it away.
    pub(super) fn seat(&mut self, id: Id, mark: Mark, seat: &Seat) -> Result<(), Fault> {
        let Some((name, table)) = self.table_of(id) else { return Ok(()) };
        if !table.is_held_by(mark.other(), id) {
            let text = format!("{} is {}", mark.other(), table.word(mark.other(), id));
            return Err(Fault::Seat(format!("{text}: its holder says who plays {mark}")));
        }
        if let Chair::Held(_) = table.chair(mark) {
            return Err(Fault::Seat(format!("{mark} is {}", table.word(mark, id))));
        }
        let was_computer = matches!(table.chair(mark), Chair::Computer(_));
        let kind = match seat {
            Seat::Computer(kind) => Some(*kind),
            _ => None,
        };
        let computers = self.computers + usize::from(kind.is_some()) - usize::from(was_computer);
        if computers > MOST_COMPUTERS {
            return Err(Fault::TooManyComputers);
        }
        self.computers = computers;
        let mut seats = [Seat::Human, Seat::Human];
        if let Some(table) = self.tables.get_mut(&name) {
            *table.chair_mut(mark) = kind.map_or(Chair::Free, Chair::Computer);
            table.is_due = true;
            seats = table.seats();
        }
        self.stir(&name, Some(id));
        let answer = Answer::Seated(mark);
        if let (Some(game), Some(person)) = (self.session.find(&name), self.people.get_mut(&id)) {
            let reply = Reply {
                verb: Some(Verb::Seat),
                answer: Ok(answer),
                name: &name,
                game,
                seats: &seats,
                coords: self.session.coords(),
            };
            write(&reply, person);
        }
        self.let_computer_move(&name);
        Ok(())
    }

    /// Takes a seat from a connection that is lost: it stays held where a token can take it back.
    pub(super) fn lose(&mut self, name: &Name, mark: Mark, id: Id) {
        let until = self.now + self.hold;
        let Some(table) = self.tables.get_mut(name) else { return };
        match table.chair_mut(mark) {
            Chair::Held(holder) if holder.id == Some(id) => {
                if holder.token.is_none() {
                    return self.free(name, mark);
                }
                (holder.id, holder.until) = (None, until);
                self.alarms.insert((until, Alarm::Seat(name.clone(), mark == Mark::X)));
                self.stir(name, None);
            }
            _ => {}
        }
    }

    /// Frees a seat, ends what was asked for, and sends computers away that nobody plays against.
    pub(super) fn free(&mut self, name: &Name, mark: Mark) {
        let Some(table) = self.tables.get_mut(name) else { return };
        table.asked = None;
        let mut freed = vec![mark];
        if !matches!(table.chair(mark.other()), Chair::Held(_)) {
            freed.push(mark.other());
        }
        for mark in freed {
            if let Chair::Computer(_) = mem::take(table.chair_mut(mark)) {
                self.computers -= 1;
            }
        }
        self.stir(name, None);
    }

    /// Lets a wrong token wait for its answer.
    pub(super) fn begin_wrong(&mut self, id: Id) {
        let until = self.now + WRONG_TOKEN;
        let Some(person) = self.people.get_mut(&id) else { return };
        person.wrong = Some(until);
        self.alarms.insert((until, Alarm::Person(id)));
    }

    pub(super) fn answer_wrong(&mut self, id: Id) {
        let Some(person) = self.people.get_mut(&id) else { return };
        let Some(until) = person.wrong.take() else { return };
        self.alarms.remove(&(until, Alarm::Person(id)));
        person.wrongs += 1;
        let is_last = person.wrongs >= MOST_WRONG;
        let text = "the seat is held by another token";
        self.reply(id, "sit", "NOT_YOUR_SEAT", None, text, Members::default());
        if is_last {
            self.close(id, Closed::Tokens);
        }
    }
}
