//! The Gomocup protocol as managers use it: most tests run the program.

use std::fs;
use std::io::{BufRead, BufReader, Cursor, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use noughts::game::{Game, Mark, Shape, Square, Verdict};
use noughts::gomocup::gomocup;
use noughts::player::{Player, Random, Rules};
use noughts::search::Budget;

use crate::oracle::Dice;
use crate::support::{binary, fresh, process, utf8};

/// The longest wait for a response, far more than any machine needs.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A manager: it runs the program as an engine, and holds its pipes.
struct Manager {
    engine: Child,
    input: Option<ChildStdin>,
    replies: Receiver<String>,
}

impl Manager {
    fn new() -> Self {
        Self::of(binary(), &["gomocup"])
    }

    fn of(program: &Path, arguments: &[&str]) -> Self {
        let mut engine = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(engine.stdout.take().unwrap());
        let (sender, replies) = channel();
        thread::spawn(move || {
            for line in output.split(b'\n') {
                if sender.send(String::from_utf8(line.unwrap()).unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = engine.stdin.take();
        Self { engine, input, replies }
    }

    /// Starts a game on a board of this size, with these settings.
    fn started(size: &str, settings: &[&str]) -> Self {
        let mut manager = Self::new();
        assert_eq!(manager.ask(&format!("START {size}")), "OK");
        for setting in settings {
            manager.say(&format!("INFO {setting}"));
        }
        manager
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    fn hear(&mut self) -> String {
        self.replies.recv_timeout(TIMEOUT).expect("a reply")
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.hear()
    }

    /// Sends a line, and returns the move that answers it.
    fn move_after(&mut self, line: &str) -> Square {
        let reply = self.ask(line);
        square(&reply).unwrap_or_else(|| panic!("{line}: {reply}"))
    }

    /// Closes the input, checks that the program ends well, and returns the replies until then.
    fn hang_up(mut self) -> Vec<String> {
        self.input = None;
        let mut rest = Vec::new();
        while let Ok(line) = self.replies.recv_timeout(TIMEOUT) {
            rest.push(line);
        }
        let output = self.engine.wait_with_output().unwrap();
        assert_eq!(utf8(output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        rest
    }
}

/// Reads a reply of exactly `x,y`.
fn square(reply: &str) -> Option<Square> {
    let (x, y) = reply.split_once(',')?;
    let col = x.parse().ok()?;
    let row = y.parse().ok()?;
    (reply == format!("{col},{row}")).then_some(Square { row, col })
}

/// Sends a whole script at once, and returns all the replies.
fn replies_to(script: &[u8]) -> String {
    let mut manager = Manager::new();
    manager.input.as_mut().unwrap().write_all(script).unwrap();
    let replies = manager.hang_up();
    replies.iter().map(|line| line.clone() + "\n").collect()
}

/// Settings with which only the manager ends a search.
const FOR_EVER: &[&str] = &["timeout_turn 2000000000", "timeout_match 0"];

/// A swap2 opening, of which the program is to choose a side.
const SWAP2: &str = "SWAP2BOARD\n7,7\n7,8\n8,8\nDONE";

#[test]
fn every_script_has_the_expected_replies_whatever_ends_its_lines() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gomocup");
    let mut scripts = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let script = entry.unwrap().path();
        if script.extension().is_none_or(|kind| kind != "in") {
            continue;
        }
        let input = fs::read_to_string(&script).unwrap();
        let replies = replies_to(input.as_bytes());
        let expected = script.with_extension("out");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, &replies).unwrap();
        }
        let name = script.display();
        assert_eq!(replies, fs::read_to_string(expected).unwrap(), "{name}");
        assert_eq!(replies_to(input.replace('\n', "\r\n").as_bytes()), replies, "{name}");
        assert_eq!(replies_to(input.trim_end().as_bytes()), replies, "{name}");
        scripts += 1;
    }
    assert_eq!(scripts, 3);
}

/// Plays a game between the program and `opponent`, checks that its moves are legal, and returns
/// whether it won: `None` for a draw.
fn play(side: u64, settings: &[&str], is_first: bool, opponent: &mut dyn Player) -> Option<bool> {
    let mut manager = Manager::started(&side.to_string(), settings);
    let shape = Shape::new(side, side, 5).unwrap();
    let is_exact = settings.contains(&"rule 1");
    let mut game = Game::new(shape.with_exact(is_exact));
    let own = if is_first { Mark::X } else { Mark::O };
    let mut request = String::from("BEGIN");
    let winner = loop {
        let mark = game.turn().unwrap();
        let square = if mark == own {
            manager.move_after(&request)
        } else {
            let choice = opponent.choose(&game, &mut Budget::nodes(0)).unwrap();
            request = format!("TURN {},{}", choice.square.col, choice.square.row);
            choice.square
        };
        match game.play(square).unwrap() {
            Verdict::Ongoing => {}
            Verdict::Draw => break None,
            Verdict::Win(_) => break Some(mark),
        }
    };
    manager.say("END");
    assert_eq!(manager.hang_up(), [""; 0]);
    winner.map(|mark| mark == own)
}

#[test]
fn whole_games_are_played_and_won() {
    let few = &["max_node 300"];
    for is_first in [true, false] {
        let mut random = Random::new(7);
        assert_eq!(play(15, few, is_first, &mut random), Some(true));
        assert_eq!(play(15, few, is_first, &mut Rules), Some(true));
        let at_once = &["timeout_turn 0", "rule 1"];
        assert_eq!(play(20, at_once, is_first, &mut random), Some(true));
    }
}

#[test]
fn a_full_board_has_no_move() {
    let mut manager = Manager::started("5", &["timeout_turn 0"]);
    let rows = ["11221", "22112", "11221", "22112", "1122"];
    let mut lines = vec![String::from("BOARD")];
    for (y, row) in rows.into_iter().enumerate() {
        let marks = row.chars().enumerate();
        lines.extend(marks.map(|(x, whose)| format!("{x},{y},{whose}")));
    }
    lines.push(String::from("DONE"));
    assert_eq!(manager.ask(&lines.join("\n")), "4,4");
    assert_eq!(manager.ask("BEGIN"), "ERROR the board is full");
    assert_eq!(manager.ask("TAKEBACK 0,0"), "OK");
    assert_eq!(manager.ask("BEGIN"), "0,0");
}

#[test]
fn a_search_ends_with_a_move_as_soon_as_no_time_is_left() {
    // On 11 x 11 the solver runs too.
    for (size, setting) in [
        ("15", "timeout_turn 0"),
        ("15", "TIMEOUT_TURN 0"),
        ("11", "timeout_turn 0"),
        ("11", "time_left -5"),
    ] {
        let mut manager = Manager::started(size, &FOR_EVER[..1]);
        for request in ["TURN 7,7", "SUGGEST", "BOARD\n3,3,2\n10,10,1\nDONE", SWAP2] {
            manager.say("INFO timeout_turn 2000000000");
            manager.say("INFO time_left 2147483647");
            manager.say(request);
            manager.say(&format!("INFO {setting}"));
            let reply = manager.hear();
            let reply = reply.strip_prefix("SUGGEST ").unwrap_or(&reply);
            let is_answer = square(reply).is_some() || reply == "SWAP";
            assert!(is_answer, "{setting}, {request}: {reply}");
        }
        // Each request had one reply: the next line answers the next request.
        assert!(manager.ask("ABOUT").starts_with("name=\"noughts\", version="));
    }
}

#[cfg(unix)]
#[test]
fn input_that_cannot_be_read_is_an_error() {
    let directory = fs::File::open(env!("CARGO_MANIFEST_DIR")).unwrap();
    let output = process().arg("gomocup").stdin(directory).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(utf8(output.stdout), "");
    let errors = utf8(output.stderr);
    assert!(errors.starts_with("noughts: standard input: "), "{errors}");
}

#[test]
fn what_comes_during_a_search_is_answered_after_it() {
    let mut manager = Manager::started("15", FOR_EVER);
    for line in ["TURN 7,7", "INFO rule 4", "ABOUT", "FLY", "INFO timeout_turn 0"] {
        manager.say(line);
    }
    assert!(square(&manager.hear()).is_some());
    assert!(manager.hear().starts_with("ERROR rule \"4\""));
    assert!(manager.hear().starts_with("name="));
    assert!(manager.hear().starts_with("UNKNOWN "));
    assert_eq!(manager.hang_up(), [""; 0]);
}

#[test]
fn end_or_the_end_of_the_input_ends_a_search_at_once() {
    for last in ["END\n", "end\r\n", "END", ""] {
        for (size, request) in [("15", "TURN 7,7"), ("15", SWAP2), ("11", SWAP2), ("11", "SUGGEST")]
        {
            let mut manager = Manager::started(size, FOR_EVER);
            manager.move_after("BOARD\n3,3,2\nINFO timeout_turn 0\nDONE");
            manager.say("INFO timeout_turn 2000000000");
            manager.say(request);
            manager.input.as_mut().unwrap().write_all(last.as_bytes()).unwrap();
            // The request before the end is answered.
            let replies = manager.hang_up();
            assert_eq!(replies.len(), 1, "{request}: {replies:?}");
        }
    }
    // Lines after END are not read.
    assert_eq!(replies_to(b"END\nABOUT\nSTART 15\n"), "");
    assert_eq!(replies_to(b""), "");
}

#[test]
fn the_program_ends_with_its_manager() {
    let mut command = process();
    let mut engine = command
        .arg("gomocup")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    let script = "START 15\nINFO timeout_turn 2000000000\nTURN 7,7\nTURN 0,0\nBOARD\n1,1,1\n";
    input.write_all(script.as_bytes()).unwrap();
    drop(engine.stdout.take());
    drop(input);
    let output = engine.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(utf8(output.stderr), "");
}

#[test]
fn a_search_ends_when_nobody_reads_although_the_input_stays_open() {
    let mut engine = process()
        .arg("gomocup")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    let script = "START 15\nINFO timeout_turn 2000000000\nBEGIN\nTURN 0,0\n";
    input.write_all(script.as_bytes()).unwrap();
    let mut responses = BufReader::new(engine.stdout.take().unwrap()).lines();
    assert_eq!(responses.next().unwrap().unwrap(), "OK");
    assert_eq!(responses.next().unwrap().unwrap(), "7,7");
    drop(responses);
    assert_eq!(engine.wait().unwrap().code(), Some(0));
    drop(input);
}

#[test]
fn a_board_with_any_numbers_of_marks_gets_a_move() {
    let mut dice = Dice::new(1);
    for size in [5, 6, 11, 15] {
        let mut manager = Manager::started(&size.to_string(), &["timeout_turn 0"]);
        let shape = Shape::new(size, size, 5).unwrap();
        for _ in 0..20 {
            let parts = [1 + dice.below(3), 1 + dice.below(3), dice.below(2), 1 + dice.below(8)];
            let mut lines = vec![String::from("BOARD")];
            let mut taken = Vec::new();
            for square in shape.iter() {
                let mut draw = dice.below(parts.iter().sum());
                for (whose, part) in [1, 2, 3, 0].into_iter().zip(parts) {
                    if draw < part {
                        if whose > 0 {
                            taken.push(square);
                            lines.push(format!("{},{},{whose}", square.col, square.row));
                        }
                        break;
                    }
                    draw -= part;
                }
            }
            lines.push(String::from("DONE"));
            let reply = manager.ask(&lines.join("\n"));
            match square(&reply) {
                Some(square) => assert!(shape.contains(square) && !taken.contains(&square)),
                None => assert_eq!(reply, "ERROR the game is over"),
            }
        }
        assert_eq!(manager.hang_up(), [""; 0]);
    }
}

#[test]
fn an_opening_of_swap2_is_made_and_answered() {
    for (size, rule) in [("5", "0"), ("15", "1"), ("20", "0")] {
        let settings = [&format!("rule {rule}"), "max_node 2000"];
        let mut manager = Manager::started(size, &settings);
        let opening = manager.ask("SWAP2BOARD\nDONE");
        let marks: Vec<_> = opening.split(' ').map(|mark| square(mark).unwrap()).collect();
        assert_eq!(marks.len(), 3, "{opening}");
        let mut list = opening.replace(' ', "\n");
        for _ in [3, 5] {
            let reply = manager.ask(&format!("SWAP2BOARD\n{list}\nDONE"));
            let answer = square(&reply);
            assert!(reply == "SWAP" || answer.is_some(), "{reply}");
            assert!(answer.is_none_or(|answer| !marks.contains(&answer)));
            list += "\n0,4\n4,4";
        }
        // The board is still empty.
        assert_eq!(manager.ask("TAKEBACK 0,4"), "ERROR 0,4 is empty");
        assert_eq!(manager.hang_up(), [""; 0]);
    }
    // Three in a row against two marks far away: the side to take is clear.
    let mut manager = Manager::started("15", &["max_node 100000"]);
    let choice = manager.ask("SWAP2BOARD\n7,7\n0,0\n8,7\n14,0\n9,7\nDONE");
    assert_eq!(choice, "SWAP");
}

/// Counts the responses that a script is due: one for a request, one for a list with all its lines,
/// none for a setting unless it is refused.
fn responses_due(script: &str) -> usize {
    let mut due = 0;
    let mut in_list = false;
    for line in script.lines() {
        let word = line.split(' ').next().unwrap().to_uppercase();
        let is_listed = line.starts_with(|first: char| first.is_ascii_digit() || first == '\0');
        if in_list {
            if is_listed || word == "INFO" {
                continue;
            }
            in_list = false;
            due += 1;
            if word == "DONE" {
                continue;
            }
        }
        match word.as_str() {
            "BOARD" | "SWAP2BOARD" => in_list = true,
            "INFO" => due += usize::from(["INFO rule 2", "INFO rule 3"].contains(&line)),
            _ => due += 1,
        }
    }
    due + usize::from(in_list)
}

#[test]
fn any_conversation_is_answered_as_the_protocol_says() {
    let mut dice = Dice::new(5);
    for _ in 0..25 {
        let mut lines = vec![String::from("INFO timeout_turn 0\nSTART 6")];
        for _ in 0..40 {
            let (x, y, whose) = (dice.below(7), dice.below(6), dice.below(4));
            lines.push(match dice.below(18) {
                0 => format!("START {}", dice.below(9)),
                1 => format!("RECTSTART {},{}", 4 + x, 4 + y),
                2 => String::from("RESTART"),
                3..6 => format!("TURN {x},{y}"),
                6 => String::from("begin"),
                7 => String::from("BOARD"),
                8..11 => format!("{x},{y},{whose}"),
                11 => String::from("Done"),
                12 => format!("TAKEBACK {x},{y}"),
                13 => format!("PLAY {x},{y}"),
                14 => String::from("SWAP2BOARD"),
                15 => format!("INFO rule {whose}"),
                16 => format!("INFO max_memory {}", dice.below(3) << 20),
                _ => String::from("\u{0}\u{fffd}\t\r"),
            });
        }
        let script = lines.join("\n");
        let mut out = Vec::new();
        gomocup(Cursor::new(script.clone()), &mut out, || false, Instant::now()).unwrap();
        let replies = utf8(out);
        assert_eq!(replies.lines().count(), responses_due(&script), "{script}");
        for reply in replies.lines() {
            let is_answer = reply == "OK"
                || reply == "SWAP"
                || reply.split(' ').all(|word| square(word).is_some())
                || reply.starts_with("ERROR ")
                || reply.starts_with("UNKNOWN ");
            assert!(is_answer, "{script}\n{reply}");
        }
    }
}

#[test]
fn the_program_is_an_engine_where_its_name_starts_with_pbrain() {
    let name = format!("pbrain-noughts{}", std::env::consts::EXE_SUFFIX);
    let name = fresh(&name);
    // A copy cannot be run while a test beside this one starts a program: that one has it open, too.
    fs::hard_link(binary(), &name).unwrap();
    let mut manager = Manager::of(&name, &[]);
    assert_eq!(manager.ask("START 20"), "OK");
    assert_eq!(manager.ask("BEGIN"), "10,10");
    assert_eq!(manager.hang_up(), [""; 0]);
    let version = Command::new(&name).arg("--version").output().unwrap();
    assert!(version.stdout.starts_with(b"noughts "));
    fs::remove_file(&name).unwrap();
}
