//! The history of a server: what all its clients sent and heard, held against its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use noughts::{Game, Mark, Shape, Square};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::serve::{Server, rounds};
use crate::support::fresh;

/// A command with its reply, between two ticks of a clock that all clients share.
#[derive(Clone)]
struct Event {
    client: u8,
    game: String,
    sent: u64,
    heard: u64,
    command: String,
    reply: Value,
}

impl Event {
    fn result(&self) -> &str {
        self.reply["result"].as_str().unwrap()
    }

    fn is_change(&self) -> bool {
        ["play", "undo", "redo", "new", "replay"].iter().any(|verb| self.command.starts_with(verb))
    }

    fn is_accepted(&self) -> bool {
        self.is_change() && ["OK", "WIN", "DRAW"].contains(&self.result())
    }

    fn is_again(&self) -> bool {
        self.reply["again"] == true
    }

    fn version(&self) -> u64 {
        self.reply["version"].as_u64().unwrap()
    }

    /// The version that the command names.
    fn seen(&self) -> u64 {
        self.command.rsplit_once('@').unwrap().1.parse().unwrap()
    }
}

/// How a game stands: turn, winner, and whether it is over.
type Standing = (Option<Mark>, Option<Mark>, bool);

fn standing(game: &Game) -> Standing {
    let outcome = game.outcome();
    (game.turn(), outcome.and_then(noughts::Outcome::winner), outcome.is_some())
}

/// The changes of each game in a journal, as version and line, and how the game stands at each
/// version.
type Kept = BTreeMap<String, (BTreeMap<u64, String>, BTreeMap<u64, Standing>)>;

fn kept(journal: &str) -> Kept {
    let mut kept = Kept::new();
    let mut games: BTreeMap<String, Game> = BTreeMap::new();
    let mut name = "main".to_owned();
    for line in journal.lines().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "game" {
            words[1].clone_into(&mut name);
            continue;
        }
        let fresh = || Game::new(Shape::new(3, 3, 3).unwrap());
        let game = games.entry(name.clone()).or_insert_with(fresh);
        let (changes, standings) = kept.entry(name.clone()).or_default();
        standings.entry(0).or_insert(standing(&fresh()));
        let numbers: Vec<u16> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let squares = numbers.chunks(2).filter(|pair| pair.len() == 2);
        let squares = squares.map(|pair| Square { row: pair[0], col: pair[1] });
        match words[0] {
            "play" => drop(game.play({ squares }.next().unwrap()).unwrap()),
            "undo" => drop(game.undo(numbers[0].into()).unwrap().to_vec()),
            "redo" => drop(game.redo(numbers[0].into()).unwrap().1),
            "new" => game.restart(Shape::new(3, 3, 3).unwrap()),
            "replay" => drop(game.replay(squares).unwrap()),
            verb => panic!("{verb}"),
        }
        let seen: u64 = words.last().unwrap()[1..].parse().unwrap();
        assert_eq!(seen + 1, game.version(), "{line}");
        assert!(changes.insert(seen, line.to_owned()).is_none(), "{line}");
        standings.insert(game.version(), standing(game));
    }
    kept
}

/// Lists what is wrong with a history.
fn faults(events: &[Event], journal: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let kept = kept(journal);
    let nothing = Default::default();
    let mut names: BTreeSet<&str> = events.iter().map(|event| &*event.game).collect();
    names.extend(kept.keys().map(String::as_str));
    for name in names {
        let (changes, standings) = kept.get(name).unwrap_or(&nothing);
        let mut own: Vec<&Event> = events.iter().filter(|event| event.game == name).collect();
        // Every accepted change is one line, and every line one accepted change.
        let accepted = own.iter().filter(|event| event.is_accepted() && !event.is_again());
        let mut made: Vec<u64> = accepted.map(|event| event.seen()).collect();
        made.sort_unstable();
        let lines: Vec<u64> = changes.keys().copied().collect();
        if made != lines {
            faults.push(format!("{name}: accepted at {made:?}, kept at {lines:?}"));
        }
        // Every reply is right for its version.
        for event in &own {
            let mark = |name: &str| event.reply[name].as_str().map(|mark| mark.parse().unwrap());
            let found = (mark("turn"), mark("winner"), event.reply["over"] == true);
            let fresh = (Some(Mark::X), None, false);
            let expected = standings.get(&event.version()).copied();
            let expected = expected.or((event.version() == 0).then_some(fresh));
            if expected != Some(found) {
                faults.push(format!("{name}: {expected:?} is told as {}", event.reply));
            }
        }
        // What is sent again at once after it was made is not refused as stale.
        for (made, next) in own.iter().zip(own.iter().skip(1)) {
            let is_same = (made.client, &made.command) == (next.client, &next.command);
            if is_same && made.is_accepted() && next.result() == "STALE" {
                faults.push(format!("{name}: made and stale: {}", next.command));
            }
        }
        // No reply is older than one that was heard before its command was sent.
        own.sort_by_key(|event| event.sent);
        let mut heard: Vec<(u64, u64)> =
            own.iter().map(|event| (event.heard, event.version())).collect();
        heard.sort_unstable();
        let (mut latest, mut heard) = (0, heard.into_iter().peekable());
        for event in own {
            while let Some((_, version)) = heard.next_if(|(at, _)| *at < event.sent) {
                latest = latest.max(version);
            }
            if event.version() < latest {
                faults.push(format!("{name}: {} after version {latest}", event.reply));
            }
        }
    }
    faults
}

/// Generates commands with `=` for the version that a client has last heard of.
fn any_commands() -> impl Strategy<Value = Vec<String>> {
    let play = (0..3_u8, 0..3_u8).prop_map(|(row, col)| format!("play {row} {col} @="));
    let other = prop::sample::select(vec![
        "undo 1 @=",
        "redo 1 @=",
        "new @=",
        "replay 0 0 1 1 @=",
        "status",
        "moves",
        "again",
        "again",
        "no",
        "stand",
        "sit X",
        "sit O",
        "game one",
        "game two",
        "wait @= 0",
        "play 2 2 @0",
    ]);
    let other = other.prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![2 => play, 3 => other], 120)
}

/// Lets clients talk at once, and returns all that they sent and heard.
fn history(server: &Server, seed: u8) -> Vec<Event> {
    let clock = AtomicU64::new(0);
    let talk = |client: u8| {
        let rng = TestRng::from_seed(
            RngAlgorithm::ChaCha,
            &[seed.wrapping_mul(8).wrapping_add(client); 32],
        );
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let commands = any_commands().new_tree(&mut runner).unwrap().current();
        let mut line = server.client();
        line.say("format json");
        let (mut game, mut versions) = ("main".to_owned(), BTreeMap::new());
        let mut events: Vec<Event> = Vec::new();
        let seats = ["sit X".to_owned(), "sit O".to_owned()];
        for command in seats.into_iter().skip(usize::from(client % 2)).take(1).chain(commands) {
            let version: u64 = versions.get(&game).copied().unwrap_or_default();
            let mut command = command.replace('=', &version.to_string());
            if command == "again" {
                let last = events.iter().rfind(|event| event.is_change() && event.game == game);
                last.map_or("status", |event| &event.command).clone_into(&mut command);
            }
            if let Some(name) = command.strip_prefix("game ") {
                name.clone_into(&mut game);
            }
            let sent = clock.fetch_add(1, Ordering::SeqCst);
            let reply: Value = serde_json::from_str(&line.say(&command)).unwrap();
            let heard = clock.fetch_add(1, Ordering::SeqCst);
            let event = Event { client, game: game.clone(), sent, heard, command, reply };
            versions.insert(game.clone(), event.version());
            events.push(event);
        }
        events
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|client| scope.spawn(move || talk(client))).collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

#[test]
fn a_history_has_no_fault_and_planted_ones_are_found() {
    let mut found = [0; 3];
    for round in 0..rounds("NOUGHTS_HISTORIES", 6) {
        let path = fresh("serve/history.journal");
        let server = Server::start(&["--journal", path.to_str().unwrap()]);
        let events = history(&server, u8::try_from(round % 256).unwrap());
        drop(server);
        let journal = fs::read_to_string(path).unwrap();
        assert_eq!(faults(&events, &journal), [""; 0]);
        let change = |index: usize, change: &dyn Fn(&mut Event)| {
            let mut events = events.clone();
            change(&mut events[index]);
            events
        };
        // A server that does not look at versions accepts what is stale.
        if let Some(stale) = events.iter().position(|event| event.result() == "STALE") {
            let events = change(stale, &|event| event.reply["result"] = "OK".into());
            assert_ne!(faults(&events, &journal), [""; 0]);
            found[0] += 1;
        }
        // One that answers before it has kept a change loses the last one when it is killed.
        if let Some((kept, _)) = journal.trim_end().rsplit_once('\n')
            && !journal.lines().last().unwrap().starts_with("game")
        {
            assert_ne!(faults(&events, kept), [""; 0]);
            found[1] += 1;
        }
        // One that does not know what is sent again refuses it as stale.
        let is_resent = |pair: &[Event]| {
            let [made, again] = pair else { return false };
            let is_same = (made.client, &made.command) == (again.client, &again.command);
            is_same && made.is_accepted() && again.is_again()
        };
        if let Some(made) = events.windows(2).position(is_resent) {
            let events = change(made + 1, &|event| {
                event.reply["result"] = "STALE".into();
                event.reply["again"] = Value::Null;
            });
            assert_ne!(faults(&events, &journal), [""; 0]);
            found[2] += 1;
        }
    }
    assert!(found.iter().all(|found| *found > 0), "{found:?}");
}
