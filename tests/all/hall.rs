//! The hall: conversations of several people, without sockets and clocks.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, fs, io};

use noughts::hall::{Hall, Id};
use noughts::player::{Kind, Minimax, Player, Rules};
use noughts::session::{Session, Setup};
use noughts::shell::journal::{self, Journal};
use noughts::{Budget, Game, Mark, Outcome, Refusal, Shape, Square};
use proptest::prelude::*;

use crate::support::{seeded, utf8};

const HOLD: Duration = Duration::from_hours(1);

fn hall() -> Hall {
    Hall::new(Session::new(&Setup::default()).unwrap(), None, HOLD)
}

/// A place for a journal that a test can read.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn text(&self) -> String {
        utf8(self.0.lock().unwrap().clone())
    }
}

fn hall_with_journal() -> (Hall, Kept) {
    let kept = Kept::default();
    let journal = Journal::begin(Shape::TIC_TAC_TOE, Box::new(kept.clone()));
    (Hall::new(Session::new(&Setup::default()).unwrap(), Some(journal), HOLD), kept)
}

/// Holds a conversation: `1: sit X` is a line of person 1, and `tick 30` lets seconds pass. What
/// each line leads to, for whomever, follows it.
fn transcript(hall: &mut Hall, script: &str) -> String {
    let mut ids: Vec<Id> = Vec::new();
    let mut transcript = String::new();
    for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
        writeln!(transcript, "{line}").unwrap();
        if let Some(seconds) = line.strip_prefix("tick ") {
            let now = Duration::from_secs(seconds.parse().unwrap());
            hall.tick(now);
        } else if line == "computer" {
            let search = hall.next_search().unwrap();
            assert!(hall.next_search().is_none());
            let mut budget = Budget::nodes(1);
            let chosen = match search.kind {
                Kind::Minimax => Minimax.choose(&search.game, &mut budget),
                _ => Rules.choose(&search.game, &mut budget),
            };
            hall.found(&search, chosen.ok().map(|choice| choice.square));
        } else {
            let (who, line) = line.split_once(':').unwrap();
            let line = line.trim_start();
            let who: usize = who.parse().unwrap();
            while ids.len() < who {
                ids.push(hall.enter());
            }
            match line {
                "(lost)" => hall.leave(ids[who - 1]),
                "(back)" => ids[who - 1] = hall.enter(),
                line => hall.line(ids[who - 1], line.as_bytes()),
            }
        }
        for (index, &id) in ids.iter().enumerate() {
            let replies = hall.replies(id).map(std::mem::take).unwrap_or_default();
            for reply in utf8(replies).lines() {
                writeln!(transcript, "  {} {reply}", index + 1).unwrap();
            }
        }
    }
    transcript
}

/// The conversations of `fixtures/hall`, each a script with what its lines lead to, set in by two
/// blanks. With `BLESS=1` they are written anew.
#[test]
fn conversations_go_as_they_are_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hall");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let kept = fs::read_to_string(&path).unwrap();
        let script: Vec<&str> = kept.lines().filter(|line| !line.starts_with("  ")).collect();
        let found = transcript(&mut hall(), &script.join("\n"));
        if env::var_os("BLESS").is_some() {
            fs::write(&path, found).unwrap();
        } else {
            assert_eq!(found, kept, "{}", path.display());
        }
    }
}

#[test]
fn the_journal_makes_the_same_games_again() {
    let (mut hall, kept) = hall_with_journal();
    let ids = [hall.enter(), hall.enter()];
    let lines = |hall: &mut Hall, id: Id, lines: &[&str]| {
        for line in lines {
            hall.line(id, line.as_bytes());
        }
    };
    lines(&mut hall, ids[0], &["sit X", "play 0 0 @0", "game side", "sit O", "seat X rules"]);
    lines(&mut hall, ids[1], &["sit O", "play 0 0 @1", "play 1 1 @1", "board", "game last"]);
    let search = hall.next_search().unwrap();
    hall.found(&search, Some(Square { row: 1, col: 1 }));
    lines(&mut hall, ids[0], &["status", "play 2 2 @1", "game main", "undo @2"]);
    lines(&mut hall, ids[1], &["game main", "undo @2"]);
    assert!(hall.is_dirty());
    assert_eq!(kept.text(), "");
    hall.commit().unwrap();
    assert!(!hall.is_dirty());
    let expected = "# noughts journal 1 --size 3x3 --win 3\nplay X 0 0 @0\ngame side\ngame main\n\
                    play O 1 1 @1\ngame last\ngame side\nplay X 1 1 @0\nplay O 2 2 @1\n\
                    game main\nundo 1 @2\n";
    assert_eq!(kept.text(), expected);
    let found = journal::read(kept.text().as_bytes(), &Setup::default()).unwrap();
    let names: Vec<String> = found.session.names().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["last", "main", "side"]);
    // It goes on from there.
    let mut hall = Hall::new(found.session, None, HOLD);
    assert_eq!(
        transcript(&mut hall, "1: moves\n1: game side\n1: moves"),
        "1: moves\n  1 OK: 0 0\n1: game side\n  1 OK: game side, 3 x 3, 3 in a row, X to move\n1: moves\n  1 OK: 1 1 2 2\n"
    );
}

#[test]
fn the_longest_abandoned_game_makes_room() {
    let (mut hall, kept) = hall_with_journal();
    let (mut name, mut replies) = (0, String::new());
    // `main` is there already, and stays.
    for _ in 0..=Session::MAX_GAMES / 16 {
        let id = hall.enter();
        for _ in 0..17 {
            name += 1;
            hall.line(id, format!("game {name}").as_bytes());
        }
        replies = utf8(std::mem::take(hall.replies(id).unwrap()));
        hall.leave(id);
    }
    assert_eq!(hall.counts().1, Session::MAX_GAMES);
    let refused = "BAD_COMMAND: line 17: a connection makes 16 games at most: go over to one that \
                   is there\n";
    assert!(replies.ends_with(refused), "{replies}");
    hall.commit().unwrap();
    let journal = kept.text();
    assert!(journal.contains("\ndrop 1\ngame "), "{journal}");
    let found = journal::read(journal.as_bytes(), &Setup::default()).unwrap();
    assert_eq!(found.session.names().len(), Session::MAX_GAMES);
    assert!(found.session.names().iter().all(|name| name.as_str() != "1"));
}

#[test]
fn a_wait_tells_no_more_than_32_kib_at_once() {
    let mut hall = hall();
    let [one, two] = [hall.enter(), hall.enter()];
    hall.line(two, b"format json");
    hall.line(one, b"sit X");
    hall.line(one, b"new 32 5 @0");
    let diagram = [".".repeat(32).as_str(); 32].join("/");
    for version in 1..=36 {
        hall.line(one, format!("position {diagram} @{version}").as_bytes());
    }
    hall.replies(two).unwrap().clear();
    let mut told: Vec<String> = Vec::new();
    let mut answers = Vec::new();
    while told.len() < 34 {
        hall.line(two, format!("wait @{}", 3 + told.len()).as_bytes());
        let reply = utf8(std::mem::take(hall.replies(two).unwrap()));
        let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
        let changes = reply["changes"].as_array().unwrap();
        answers.push((changes.len(), reply["more"].clone()));
        told.extend(changes.iter().map(|change| change.as_str().unwrap().to_owned()));
    }
    // A line of 1,072 bytes a change.
    assert_eq!(answers, [(30, true.into()), (4, serde_json::Value::Null)]);
    let expected: Vec<String> =
        (3..=36).map(|version| format!("position {diagram} 5 @{version}")).collect();
    assert_eq!(told, expected);
    // What was made before is no longer kept.
    hall.line(two, b"wait @2");
    let reply = utf8(std::mem::take(hall.replies(two).unwrap()));
    assert!(reply.contains(r#""restart":["new 32x32 5"],"seats""#), "{reply}");
}

/// What the hall adds to the rules, done again in the simplest way: one game, and people by number.
struct Model {
    game: Game,
    /// The people on the seats of X and O.
    seats: [Option<usize>; 2],
    /// A request, and the seat that it came from.
    asked: Option<(usize, String)>,
    /// The changes: the version before, the seats that made it, the command, and its result.
    made: Vec<(u64, [bool; 2], String, &'static str)>,
}

impl Model {
    /// Says the result of a line, and whether it is told again.
    fn result(&mut self, person: usize, line: &str) -> (&'static str, bool) {
        let words: Vec<&str> = line.split(' ').collect();
        let own = self.seats.map(|seat| seat == Some(person));
        let marks: &[usize] = match words.get(1) {
            Some(&"X") => &[0],
            Some(&"O") => &[1],
            _ => &[0, 1],
        };
        let refused = ("NOT_YOUR_SEAT", false);
        match words[0] {
            "sit" if marks.iter().any(|mark| own[*mark]) => ("OK", false),
            "sit" => match marks.iter().find(|mark| self.seats[**mark].is_none()) {
                Some(&mark) => {
                    self.seats[mark] = Some(person);
                    ("OK", false)
                }
                None => refused,
            },
            "stand" if marks.iter().any(|mark| own[*mark]) => {
                for &mark in marks.iter().filter(|mark| own[**mark]) {
                    self.seats[mark] = None;
                }
                self.asked = None;
                ("OK", false)
            }
            "no" if own.contains(&true) => {
                self.asked = None;
                ("OK", false)
            }
            "stand" | "no" => refused,
            verb => {
                let turn = self.game.turn().map_or(0, |turn| usize::from(turn == Mark::O));
                let mark = match (marks, own) {
                    (&[mark], _) => mark,
                    (_, [true, true]) => turn,
                    (_, [false, true]) => 1,
                    _ => 0,
                };
                if !own[mark] {
                    return refused;
                }
                let seen: u64 = words.last().unwrap()[1..].parse().unwrap();
                let is_own = |by: [bool; 2]| by[0] && own[0] || by[1] && own[1];
                let again = self.made.iter().find(|(at, by, sent, _)| {
                    *at == seen && seen != self.game.version() && is_own(*by) && sent == line
                });
                if let Some((.., result)) = again {
                    return (result, true);
                }
                let mut changed = self.game.clone();
                let result = apply(&mut changed, &words, mark, seen);
                let is_made = ["OK", "WIN", "DRAW"].contains(&result);
                let mut by = [mark == 0, mark == 1];
                if is_made && verb != "play" && self.seats[1 - mark].is_some() && !own[1 - mark] {
                    if self.asked != Some((1 - mark, line.to_owned())) {
                        self.asked = Some((mark, line.to_owned()));
                        return ("ASKED", false);
                    }
                    by = [true, true];
                }
                if is_made {
                    self.game = changed;
                    self.asked = None;
                    self.made.push((seen, by, line.to_owned(), result));
                }
                (result, false)
            }
        }
    }
}

/// Makes a change of a game by the rules alone.
fn apply(game: &mut Game, words: &[&str], mark: usize, seen: u64) -> &'static str {
    let numbers: Vec<u16> = words[1..].iter().filter_map(|word| word.parse().ok()).collect();
    let square = |pair: &[u16]| Square { row: pair[0], col: pair[1] };
    let refusal = |refusal: Refusal| match refusal {
        Refusal::GameOver { .. } => "GAME_OVER",
        Refusal::Stale { .. } => "STALE",
        Refusal::NotYourTurn { .. } => "NOT_YOUR_TURN",
        Refusal::NothingToUndo { .. } => "NOTHING_TO_UNDO",
        Refusal::NothingToRedo { .. } => "NOTHING_TO_REDO",
        _ => "INVALID_MOVE",
    };
    let made = match words[0] {
        "play" => {
            let mark = [Mark::X, Mark::O][mark];
            game.play_as(Some(mark), square(&numbers), Some(seen)).map(drop)
        }
        verb => game.check_version(Some(seen)).and_then(|()| match verb {
            "undo" => game.undo(numbers[0].into()).map(drop),
            "redo" => game.redo(numbers[0].into()).map(drop),
            "new" => {
                game.restart(game.board().shape());
                Ok(())
            }
            _ => {
                let squares: Vec<Square> = numbers.chunks(2).map(square).collect();
                game.replay(squares).map(drop).map_err(|error| error.refusal)
            }
        }),
    };
    match made {
        Err(error) => refusal(error),
        Ok(()) if matches!(words[0], "undo" | "new") => "OK",
        Ok(()) => match game.outcome() {
            None => "OK",
            Some(Outcome::Won(_)) => "WIN",
            Some(Outcome::Drawn) => "DRAW",
        },
    }
}

/// Generates who speaks and what, with `=` for the version that the game is at.
fn any_talk() -> impl Strategy<Value = Vec<(usize, String)>> {
    let mark = prop::sample::select(vec!["", "", "X ", "O "]);
    let play =
        (mark, 0..3_u8, 0..4_u8).prop_map(|(mark, row, col)| format!("play {mark}{row} {col}"));
    let other = prop::sample::select(vec![
        "undo 1",
        "undo 2",
        "redo 1",
        "new",
        "replay 0 0 1 1",
        "replay 0 0 0 1 1 0 1 1 2 0",
    ]);
    let change = prop_oneof![3 => play, 2 => other.prop_map(str::to_owned)];
    let version =
        prop_oneof![8 => Just("=".to_owned()), 1 => (0..4_u8).prop_map(|at| at.to_string())];
    let change = (change, version).prop_map(|(change, version)| format!("{change} @{version}"));
    let seats = prop::sample::select(vec!["sit", "sit X", "sit O", "stand", "stand X", "no"]);
    let again = Just("again".to_owned());
    let line = prop_oneof![6 => change, 2 => seats.prop_map(str::to_owned), 2 => again];
    prop::collection::vec((0..3_usize, line), 0..60)
}

proptest! {
    #![proptest_config(seeded(1000))]

    #[test]
    fn several_people_get_the_replies_of_a_second_implementation(talk in any_talk()) {
        let mut hall = hall();
        let ids = [hall.enter(), hall.enter(), hall.enter()];
        for id in ids {
            hall.line(id, b"format json");
        }
        let shape = Shape::TIC_TAC_TOE;
        let mut model = Model { game: Game::new(shape), seats: [None; 2], asked: None, made: Vec::new() };
        let mut last = "sit".to_owned();
        for (person, line) in talk {
            let mut line = line.replace('=', &model.game.version().to_string());
            if line == "again" {
                // Whoever made it, or anybody else: a request is granted so.
                line.clone_from(&last);
            }
            last.clone_from(&line);
            let expected = model.result(person, &line);
            hall.replies(ids[person]).unwrap().clear();
            hall.line(ids[person], line.as_bytes());
            let reply = utf8(std::mem::take(hall.replies(ids[person]).unwrap()));
            let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
            let found = (reply["result"].as_str().unwrap(), reply["again"] == true && !line.starts_with("sit"));
            prop_assert_eq!(found, expected, "{}: {}", line, reply);
            prop_assert_eq!(reply["version"].as_u64(), Some(model.game.version()));
        }
    }
}
