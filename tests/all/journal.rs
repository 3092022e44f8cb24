//! Journals: they keep a session, through crashes, full disks and damage.
//!
//! `NOUGHTS_KILLS=500 cargo test --test all kill_9` kills more often than usual.

use std::cell::RefCell;
use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::rc::Rc;

use noughts::command::MAX_LINE;
use noughts::game::Shape;
use noughts::reply::Format;
use noughts::session::{Session, Setup};
use noughts::shell::journal::{Found, Journal, JournalError, read};
use noughts::shell::journal_file::open;
use noughts::shell::repl::{BLOCK, Options, ReplError, Status, repl};
use proptest::prelude::*;

use crate::oracle::Dice;
use crate::support::{self, binary, noughts, process, seeded, utf8};

const HEADER: &str = "# noughts journal 1 --size 3x3 --win 3\n";

/// Returns a path for one test, where nothing is.
fn fresh(name: &str) -> PathBuf {
    support::fresh(&format!("journal/{name}"))
}

/// Makes a file for one test, with this content.
fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    support::file(&format!("journal/{name}"), content)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Returns all that there is to know of a session.
fn state(session: &Session) -> String {
    format!("{session:?}")
}

/// Reads a journal that is kept in memory.
fn try_read(bytes: &[u8]) -> Result<Found, JournalError> {
    read(bytes, &Setup::default())
}

fn found(bytes: &[u8]) -> Found {
    try_read(bytes).unwrap()
}

/// Runs a session over `input`, in JSON, with its changes kept in `journal`.
fn run(
    input: impl BufRead,
    out: impl Write,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, ReplError> {
    let options = Options { format: Format::Json, strict: false, echo: false };
    repl(input, out, options, None, journal, session)
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

/// A disk with room for so many bytes, which its test can read.
#[derive(Clone)]
struct Disk {
    kept: Rc<RefCell<Vec<u8>>>,
    room: usize,
}

impl Disk {
    fn new(kept: &[u8]) -> Self {
        let kept = Rc::new(RefCell::new(kept.to_vec()));
        Self { kept, room: usize::MAX }
    }

    /// Begins a journal on the disk.
    fn journal(&self) -> Journal {
        Journal::begin(Shape::TIC_TAC_TOE, Box::new(self.clone()))
    }

    /// Continues the journal on the disk.
    fn continued(&self) -> Journal {
        Journal::new(Box::new(self.clone()))
    }

    fn lines(&self) -> usize {
        line_ends(&self.kept.borrow())
    }
}

impl Write for Disk {
    /// Takes what there is room for, as a full disk does.
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let mut kept = self.kept.borrow_mut();
        let part = lines.len().min(self.room - kept.len());
        kept.extend_from_slice(&lines[..part]);
        if part == 0 && !lines.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(part)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Tells whether a reply is to a change, which the journal has a line of. `game` is the name of
/// the game before the change.
fn is_change(reply: &serde_json::Value, game: &str) -> bool {
    let is_accepted = ["OK", "WIN", "DRAW"].contains(&reply["result"].as_str().unwrap());
    is_accepted
        && match reply["command"].as_str().unwrap() {
            "play" | "go" | "undo" | "redo" | "new" | "replay" | "position" | "seat" | "drop" => {
                true
            }
            "game" => reply["game"] != game,
            _ => false,
        }
}

/// A writer of replies that checks that each change is on the disk before its reply.
struct Watcher {
    disk: Disk,
    game: String,
    /// The changes that replies have told of.
    changes: usize,
    replies: Vec<u8>,
}

impl Watcher {
    fn new(disk: &Disk) -> Self {
        let (disk, game) = (disk.clone(), "main".to_owned());
        Self { disk, game, changes: 0, replies: Vec::new() }
    }
}

impl Write for Watcher {
    fn write(&mut self, replies: &[u8]) -> io::Result<usize> {
        for line in replies.split_inclusive(|byte| *byte == b'\n') {
            let reply: serde_json::Value = serde_json::from_slice(line).unwrap();
            self.changes += usize::from(is_change(&reply, &self.game));
            reply["game"].as_str().unwrap().clone_into(&mut self.game);
        }
        // One more line names the format.
        assert!(self.changes < self.disk.lines(), "a reply without its change");
        self.replies.extend_from_slice(replies);
        Ok(replies.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Generates commands of all kinds over a few games, mostly accepted.
fn any_script() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![Just("main"), Just("a"), Just("b#"), Just("\u{e9}")];
    let line = prop_oneof![
        12 => (0..3, 0..3).prop_map(|(row, col)| format!("play {row} {col}")),
        2 => (1..12).prop_map(|number| format!(" {number} # by number")),
        1 => (0..3, 0..12).prop_map(|(col, seen)| format!("X 1 {col} @{seen}")),
        2 => Just("UNDO".to_owned()),
        2 => (0..5).prop_map(|count| format!("undo {count}")),
        2 => Just("redo".to_owned()),
        1 => (0..4).prop_map(|count| format!("redo,{count}")),
        1 => Just("reset".to_owned()),
        1 => (1..4, 1..5, 1..5).prop_map(|(rows, cols, k)| format!("new {rows}x{cols} {k}")),
        1 => prop::collection::vec((0..3, 0..3), 1..4)
            .prop_map(|moves| moves.iter().fold("replay".to_owned(), |line, (row, col)| {
                format!("{line} {row} {col}")
            })),
        1 => prop_oneof![
            Just("position XX./.O./O.."),
            Just("position xo1/-X_/2O 2"),
            Just("position 1/1 1"),
            Just("position XX/.."),
        ].prop_map(str::to_owned),
        4 => name.clone().prop_map(|name| format!("game {name}")),
        1 => name.prop_map(|name| format!("drop {name}")),
        1 => Just("seat X human".to_owned()),
        1 => prop_oneof![Just("rules"), Just("human")].prop_map(|who| format!("seat O {who}")),
        1 => Just("go rules".to_owned()),
        3 => prop_oneof![
            Just("board"), Just("status"), Just("hint rules"), Just("game"), Just("udno"), Just(""),
        ].prop_map(str::to_owned),
    ];
    prop::collection::vec(line, 0..60)
}

fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(HEADER.to_owned()),
        Just("# noughts journal 1 --size 2x4 --win 2 --exact\n".to_owned()),
        Just("# seat O rules\n".to_owned()),
        (0..3, 0..3, 0..3).prop_map(|(row, col, seen)| format!("play X {row} {col} @{seen}\n")),
        Just("undo 1 @1\n".to_owned()),
        Just("game a\n".to_owned()),
        "\\PC{0,9}\n?",
    ];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(seeded(300))]

    #[test]
    fn a_session_is_kept_before_it_is_answered_and_found_as_it_was(
        script in any_script(), block in 1..200_usize,
    ) {
        let disk = Disk::new(b"");
        let mut journal = disk.journal();
        let script = script.join("\n");
        let mut session = Session::new(&Setup::default()).unwrap();
        let mut out = Watcher::new(&disk);
        let input = BufReader::with_capacity(block, script.as_bytes());
        run(input, &mut out, Some(&mut journal), &mut session).unwrap();
        prop_assert_eq!(out.changes + 1, disk.lines());

        let kept = disk.kept.borrow();
        let mut found = found(&kept);
        prop_assert_eq!(state(&found.session), state(&session));
        prop_assert_eq!((found.whole, found.torn), (kept.len() as u64, 0));
        // Of what is not in it, the last reply tells whether a computer moves on.
        if let Some(line) = out.replies.rsplit(|byte| *byte == b'\n').nth(1) {
            let last: serde_json::Value = serde_json::from_slice(line).unwrap();
            let verb = last["command"].as_str().unwrap_or_default();
            let is_move = ["play", "new", "seat"].contains(&verb);
            if is_move && last["result"] == "OK" {
                let goes_on = session.move_by_computer().is_some();
                prop_assert_eq!(found.session.move_by_computer().is_some(), goes_on);
            }
        }

        // As a script it makes the same games.
        let mut again = Session::new(&Setup::default()).unwrap();
        let status = run(kept.as_slice(), io::sink(), None, &mut again).unwrap();
        prop_assert_eq!(status, Status::Clean);
        let games = |state: &str| state.split_once(" name: ").unwrap().1.to_owned();
        let session = self::found(&kept).session;
        prop_assert_eq!(games(&state(&again)), games(&state(&session)));
    }

    #[test]
    fn a_session_that_was_broken_off_goes_on_as_if_it_had_not_been(
        mut script in any_script(), at in any::<prop::sample::Index>(),
    ) {
        // After `go` a computer whose turn it is waits, but not at the start of a session.
        script.retain(|line| line != "go rules");
        let run = |lines: &[String], journal: &mut Journal, session: &mut Session| {
            run(lines.join("\n").as_bytes(), io::sink(), Some(journal), session).unwrap();
        };
        let whole = Disk::new(b"");
        let mut session = Session::new(&Setup::default()).unwrap();
        run(&script, &mut whole.journal(), &mut session);

        let (before, after) = script.split_at(at.index(script.len() + 1));
        let broken = Disk::new(b"");
        run(before, &mut broken.journal(), &mut Session::new(&Setup::default()).unwrap());
        let mut resumed = found(&broken.kept.borrow()).session;
        run(after, &mut broken.continued(), &mut resumed);
        prop_assert_eq!(state(&resumed), state(&session));
        prop_assert_eq!(&*broken.kept.borrow(), &*whole.kept.borrow());
    }

    #[test]
    fn a_file_is_read_or_refused_whatever_is_in_it(bytes in any_file()) {
        if let Ok(found) = try_read(&bytes) {
            prop_assert_eq!(found.whole + found.torn, bytes.len() as u64);
            let whole = &bytes[..usize::try_from(found.whole).unwrap()];
            prop_assert!(whole.is_empty() || whole.ends_with(b"\n"));
        }
    }
}

#[test]
fn a_journal_is_the_changes_as_commands_with_nothing_left_open() {
    let path = fresh("whole");
    let script = "0 0\n5 # the centre\nboard\nundo 2\nredo\n0 0\nudno\nseat O rules\n0 1\n\
                  game second\n\
                  game\nnew 15 5\n7 7\nreplay 0,0 1,1\nposition XX-/1O1/O2\nundo\ngo rules\nundo\n\
                  game main\ndrop second\nquit\n1 1\n";
    let journal = "# noughts journal 1 --size 3x3 --win 3\nplay X 0 0 @0\nplay O 1 1 @1\n\
                   undo 2 @2\n\
                   redo 1 @3\n# seat O rules\nplay O 1 1 @4\nplay X 0 1 @5\nplay O 0 2 @6\n\
                   game second\nnew 15x15 5 @0\nplay X 7 7 @1\nplay O 6 7 @2\n\
                   replay 0 0 1 1 @3\nposition XX./.O./O.. 3 @4\nplay X 0 2 @5\nundo 1 @6\n\
                   game main\ndrop second\n";
    let without = noughts().write_stdin(script).output().unwrap();
    let with = noughts().arg("--journal").arg(&path).write_stdin(script).output().unwrap();
    assert_eq!(with, without);
    assert_eq!(text(&path), journal);
    // It goes on, and keeps nothing where nothing changes.
    noughts()
        .arg("--journal")
        .arg(&path)
        .write_stdin("status\nmoves\ngames\n0 0\nundo 9\nhint rules\n")
        .assert()
        .success()
        .stdout(
            "OK: X to move, 3 x 3, 3 in a row, 4 moves, version 7, human plays X, rules plays O\n\
             OK: 0 0 1 1 0 1 0 2\nOK: main\n\
             INVALID_MOVE: line 4: 0 0 is taken by X; X to move\n\
             NOTHING_TO_UNDO: line 5: cannot take back 9 moves: only 4 moves made\n\
             OK: rules would play X at 2 0\n",
        )
        .stderr("");
    assert_eq!(text(&path), journal);
    // As a script it is understood, and accepted whole.
    noughts()
        .args(["--strict", "--size", "3x3", "--win", "3"])
        .write_stdin(journal)
        .assert()
        .success();
}

#[test]
fn a_new_or_an_empty_file_becomes_a_journal_of_the_shape_asked_for() {
    for (flags, header) in [
        (&[][..], "--size 3x3 --win 3"),
        (&["-s", "6x7"], "--size 6x7 --win 6"),
        (&["-k", "2", "--exact"], "--size 3x3 --win 2 --exact"),
        (&["-s", "1024", "-k", "5"], "--size 1024x1024 --win 5"),
    ] {
        for path in [fresh("becomes"), file("becomes", "")] {
            for sync in [&[][..], &["--sync"]] {
                noughts()
                    .arg("--journal")
                    .arg(&path)
                    .args(flags)
                    .args(sync)
                    .assert()
                    .success()
                    .stdout("")
                    .stderr("");
                assert_eq!(text(&path), format!("# noughts journal 1 {header}\n"));
            }
            // Later the flags may be left out.
            let shape =
                noughts().arg("--journal").arg(&path).write_stdin("status").output().unwrap();
            let asked = noughts().args(flags).write_stdin("status").output().unwrap();
            assert_eq!(shape, asked);
        }
    }
}

#[test]
fn flags_that_contradict_a_journal_are_refused_and_seats_are_taken() {
    let content =
        "# noughts journal 1 --size 15x15 --win 5\n# seat O rules\nplay X 7 7 @0\nplay O 6 7 @1\n";
    let path = file("flags", content);
    for (flags, asked) in [
        (&["--size", "3"][..], "--size 3x3"),
        (&["--size", "15", "--win", "4"], "--size 15x15 --win 4"),
        (&["--size", "15", "--win", "5", "--exact"], "--size 15x15 --win 5 --exact"),
        (&["--exact"], "--exact"),
        (&["--win", "15"], "--win 15"),
    ] {
        let message = format!(
            "noughts: {}: line 1: the journal has --size 15x15 --win 5, \
             the flags say {asked}: leave them out\n",
            path.display()
        );
        noughts()
            .arg("--journal")
            .arg(&path)
            .args(flags)
            .write_stdin("1 1")
            .assert()
            .code(2)
            .stdout("")
            .stderr(message);
        assert_eq!(text(&path), content);
    }
    for flags in [
        &["--size", "15", "--win", "5", "--o", "rules", "--x", "human"][..],
        // What is not said is as in the journal.
        &["--win", "5"],
        &["--size", "15"],
    ] {
        noughts().arg("--journal").arg(&path).args(flags).write_stdin("").assert().success();
        assert_eq!(text(&path), content);
    }
    noughts()
        .arg("--journal")
        .arg(&path)
        .args(["--x", "rules", "--o", "human"])
        .write_stdin("")
        .assert()
        .success()
        .stdout("OK: X at 7 6, O to move (rules)\n");
    let moved = "# seat X rules\n# seat O human\nplay X 7 6 @2\n";
    assert_eq!(text(&path), format!("{content}{moved}"));
}

#[test]
fn a_computer_moves_after_a_crash_exactly_where_it_would_have() {
    let seated = format!("{HEADER}# seat O rules\n");
    for (journal, reply, goes_on) in [
        // Its answer was not kept.
        ("play X 0 0 @0\n", "OK: O at 1 1, X to move (rules)\n", "play O 1 1 @1\n"),
        ("play X 0 0 @0\n# seat X rules\nplay O 1 1 @1\nplay X 0 2 @2\n", "", ""),
        ("play X 0 0 @0\nplay O 1 1 @1\n", "", ""),
        // Taking back never made it move.
        ("play X 0 0 @0\nplay O 1 1 @1\nundo 1 @2\n", "", ""),
        ("replay 0 0 @0\n", "", ""),
    ] {
        let journal = format!("{seated}{journal}");
        // With two computers the rest of the game follows: one turn is enough here.
        if journal.contains("X rules") {
            let mut session = found(journal.as_bytes()).session;
            assert!(session.move_by_computer().is_some());
            continue;
        }
        let path = file("seats", &journal);
        noughts()
            .arg("--journal")
            .arg(&path)
            .write_stdin("")
            .assert()
            .success()
            .stdout(reply)
            .stderr("");
        assert_eq!(text(&path), format!("{journal}{goes_on}"));
    }
}

/// A journal with every kind of line.
const EVERY_KIND: &str = "# noughts journal 1 --size 3x3 --win 3\nplay X 0 0 @0\n# seat X human\n\
    play O 1 1 @1\nundo 2 @2\nredo 1 @3\ngame b\nplay X 2 2 @0\ngame main\ndrop b\n\
    position XX./.O./O.. 3 @4\nplay X 0 2 @5\nreplay 2 2 0 1 @6\nnew 2x3 2 @7\nplay X 1 2 @8\n";

#[test]
fn a_journal_that_is_cut_off_anywhere_goes_on_from_the_last_whole_line() {
    let path = fresh("cut");
    for length in 0..=EVERY_KIND.len() {
        let cut = &EVERY_KIND[..length];
        let whole = &cut[..cut.rfind('\n').map_or(0, |end| end + 1)];
        let Found { session, torn, .. } = found(cut.as_bytes());
        assert_eq!(torn, (cut.len() - whole.len()) as u64, "{cut}");
        let as_whole = found(whole.as_bytes()).session;
        assert_eq!(state(&session), state(&as_whole), "{cut}");

        fs::write(&path, cut).unwrap();
        let mut on = noughts();
        on.args(["--strict", "--journal"]).arg(&path);
        let said = on.write_stdin("").output().unwrap();
        assert_eq!(said.stderr.is_empty(), torn == 0, "{cut}");
        let kept = if whole.is_empty() { HEADER } else { whole };
        assert_eq!(text(&path), kept);
        // From there the session can be made to go as it went.
        let rest: String = EVERY_KIND[whole.len()..].replace("# seat", "seat");
        let went = on.write_stdin(rest).output().unwrap();
        assert!(went.status.success() && went.stderr.is_empty(), "{went:?}");
        assert_eq!(text(&path), EVERY_KIND);
    }
}

#[test]
fn a_load_that_is_cut_off_between_its_two_lines_has_not_been() {
    let [before, load] =
        [format!("{HEADER}play X 1 1 @0\n"), "new 4x5 3 @1 # load\nreplay 0 0 1 1 @2\n".to_owned()];
    let whole = format!("{before}{load}undo 1 @3\n");
    let end = before.len() + load.len();
    for cut in before.len()..end {
        let found = found(&whole.as_bytes()[..cut]);
        let length = |bytes: usize| u64::try_from(bytes).unwrap();
        let torn = length(cut - before.len());
        assert_eq!((found.whole, found.torn), (length(before.len()), torn));
        assert_eq!(state(&found.session), state(&self::found(before.as_bytes()).session));
    }
    let found = found(whole.as_bytes());
    assert_eq!((found.session.game().version(), found.torn), (4, 0));
    assert_eq!(found.session.game().undone().len(), 1);
    for (lines, fault) in [
        ("new 4x5 3 @1 # load\nundo 1 @2\n", "line 4: found \"undo 1 @2\": "),
        ("play O 0 0 @1 # load\nreplay 0 0 @2\n", "line 4: found \"replay 0 0 @2\": "),
        (
            "new 4x5 3 @7 # load\nreplay 0 0 @2\n",
            "line 4: found \"replay 0 0 @2\": the line before it: ",
        ),
        ("new 4x5 3 @1 # load\nreplay 9 9 @2\n", "line 4: found \"replay 9 9 @2\": move 1: "),
    ] {
        let error = try_read(format!("{before}{lines}").as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(fault), "{error}");
    }
}

#[test]
fn a_torn_line_is_told_of_on_standard_error() {
    let path = file("torn", format!("{HEADER}play X 0 0 @0\nplay O 1"));
    let note = format!(
        "noughts: {}: dropped the last line: its end is missing, only 8 bytes were written\n",
        path.display()
    );
    noughts()
        .arg("--journal")
        .arg(&path)
        .write_stdin("moves\n1 1\n")
        .assert()
        .success()
        .stdout("OK: 0 0\nOK: O at 1 1, X to move\n")
        .stderr(note);
    assert_eq!(text(&path), format!("{HEADER}play X 0 0 @0\nplay O 1 1 @1\n"));
    // A file system may leave zeros where something was to be.
    let zeros = [HEADER.as_bytes(), &[0; 5000]].concat();
    assert_eq!(found(&zeros).torn, 5000);
}

/// A damaged journal is refused, or is the journal of another game: it holds a change that might
/// have been made there. The marks, versions and counts in each line leave few of these.
#[test]
fn damage_of_any_byte_is_refused_or_makes_another_valid_line() {
    let bytes = EVERY_KIND.as_bytes();
    // The last line end is not in the middle: without it the line is torn.
    let middle = bytes.len() - 1;
    let mut passed = Vec::new();
    for at in 0..middle {
        let flips = (0..8).map(|bit| bytes[at] ^ (1 << bit));
        for byte in flips.chain(*b"\n #@0X\0\xff").filter(|byte| *byte != bytes[at]) {
            let mut damaged = bytes.to_vec();
            damaged[at] = byte;
            match try_read(&damaged) {
                Ok(found) => {
                    assert_eq!(found.torn, 0);
                    let (old, new) = (char::from(bytes[at]), char::from(byte));
                    passed.push((line_of(bytes, at), old, new));
                }
                Err(JournalError::NotAJournal(_) | JournalError::OtherFormat(_)) => {
                    assert!(at < HEADER.len());
                }
                Err(JournalError::Damaged { line, .. }) => assert!(line >= line_of(bytes, at)),
                Err(error) => panic!("{error}"),
            }
        }
    }
    // A square or a count that nothing later depends on, or the shape.
    for (line, old, new) in &passed {
        assert!(old.is_ascii_digit() && new.is_ascii_digit(), "line {line}: {old} as {new}");
    }
    assert!(passed.len() < middle / 2, "{passed:?}");
}

/// Returns the number, from 1, of the line that byte `at` is in.
fn line_of(bytes: &[u8], at: usize) -> u64 {
    1 + line_ends(&bytes[..at]) as u64
}

#[test]
fn what_is_not_a_journal_is_refused_and_left_as_it_is() {
    let long = "9".repeat((16 << 20) + 1);
    let (h, not) = (HEADER, "this is not a journal, it is left as it is");
    let other = format!("expected \"{}\" or another shape: {not}", h.trim_end());
    let damaged = |why: &str| {
        let line = why.strip_prefix("line ").and_then(|rest| rest.split_once(':')).unwrap().0;
        let good = line.parse::<u64>().unwrap() - 1;
        let s = if good == 1 { "" } else { "s" };
        format!(
            "{why}: the journal is damaged, it is left as it is; \
             {good} line{s} before it can be gone on from"
        )
    };
    for (content, message) in [
        ("hello".to_owned(), format!("line 1: found \"hello\", {other}")),
        ("\n".to_owned(), format!("line 1: found \"\", {other}")),
        ("play X 0 0 @0\n".to_owned(), format!("line 1: found \"play X 0 0 @0\", {other}")),
        (
            "\u{feff}# noughts journal 1 --size 3x3 --win 3\n".to_owned(),
            format!("line 1: found \"\\u{{feff}}# noughts journal 1 --size 3x3 --win 3\", {other}"),
        ),
        (
            "# noughts journal 1 --size 3x3 --win 4\n".to_owned(),
            format!("line 1: found \"# noughts journal 1 --size 3x3 --win 4\", {other}"),
        ),
        (
            "# noughts journal 2 --side 3\nwhatever\n".to_owned(),
            "line 1: found \"# noughts journal 2 --side 3\", expected format 1: it is left as it is"
                .to_owned(),
        ),
        (
            format!("{h}0 0\n"),
            damaged("line 2: found \"0 0\": expected \"play X 0 0 @0\""),
        ),
        (
            format!("{h}play X 0 0 @0\r\n"),
            damaged(
                "line 2: found \"play X 0 0 @0\\r\": found \"@0\\r\", \
                 expected a version such as @0",
            ),
        ),
        (
            format!("{h}play X 0 0 @0\nplay O 0 0 @1\nplay X 1 1 @2\nplay"),
            damaged("line 3: found \"play O 0 0 @1\": 0 0 is taken by X; O to move"),
        ),
        (
            format!("{h}play X 0 0 @0\nplay O 1 1 @1\nundo 1 @1\n"),
            damaged("line 4: found \"undo 1 @1\": the game is at version 2, not 1"),
        ),
        (
            format!("{h}play X 0 0 @0\nundo 1\n"),
            damaged("line 3: found \"undo 1\": expected \"undo 1 @1\""),
        ),
        (format!("{h}board\n"), damaged("line 2: found \"board\": no journal has that")),
        (format!("{h}go best\n"), damaged("line 2: found \"go best\": no journal has that")),
        (
            format!("{h}seat O best\n"),
            damaged("line 2: found \"seat O best\": no journal has that"),
        ),
        (
            format!("{h}# play X 0 0 @0\n"),
            damaged("line 2: found \"# play X 0 0 @0\": no journal has that"),
        ),
        (format!("{h}game\n"), damaged("line 2: found \"game\": that changes nothing")),
        (
            format!("{h}\n"),
            damaged("line 2: found \"\": no journal has an empty line"),
        ),
        (
            format!("{h}{long}\n"),
            damaged(&format!(
                "line 2: found \"{}\"...: it is longer than 16777216 bytes",
                "9".repeat(64)
            )),
        ),
    ] {
        let path = file("refused", &content);
        assert_refused(&path, &message);
        assert!(text(&path) == content, "{message}");
    }
}

/// Checks that the program answers nothing, and says this of the file.
fn assert_refused(path: &Path, message: &str) {
    noughts()
        .arg("--journal")
        .arg(path)
        .write_stdin("0 0\n")
        .assert()
        .code(2)
        .stdout("")
        .stderr(format!("noughts: {}: {message}\n", path.display()));
}

#[test]
fn what_cannot_be_a_journal_is_said_to_be_none() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let nowhere = dir.join("nowhere/journal");
    let below = file("below", "").join("journal");
    let none = "a directory, pipe or device cannot be a journal";
    let mut cases = vec![
        (dir.to_owned(), none),
        (nowhere, "No such file or directory (os error 2)"),
        (below, "Not a directory (os error 20)"),
    ];
    if cfg!(unix) {
        let pipe = fresh("pipe");
        let made = process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        cases.extend([(pipe, none), ("/dev/null".into(), none)]);
    }
    for (path, message) in cases {
        assert_refused(&path, message);
    }
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_the_journal() {
    let (path, link) = (fresh("linked"), fresh("link"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for (line, reply) in
        [("0 0", "OK: X at 0 0, O to move\n"), ("1 1", "OK: O at 1 1, X to move\n")]
    {
        noughts()
            .args(["--sync", "--journal"])
            .arg(&link)
            .write_stdin(line)
            .assert()
            .success()
            .stdout(reply);
    }
    assert_eq!(text(&path), format!("{HEADER}play X 0 0 @0\nplay O 1 1 @1\n"));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn wrong_usage_of_a_journal_is_said() {
    let path = fresh("usage");
    let name = path.display();
    noughts().arg("--journal").arg(&path).args(["one", "two"]).assert().code(2).stdout("").stderr(
        format!(
            "noughts: {name}: a journal keeps one session: found 2 scripts, expected one at most\n"
        ),
    );
    noughts().arg("--sync").assert().code(2).stdout("");
    assert!(!path.exists());
    // A script that cannot be read begins no journal, were it to have its name.
    for script in [&path, &fresh("usage_missing")] {
        noughts().arg("--journal").arg(&path).arg(script).assert().code(2).stdout("").stderr(
            format!("noughts: {}: No such file or directory (os error 2)\n", script.display()),
        );
        assert!(!path.exists());
    }
    // One script is a session.
    let script = file("usage_script", "0 0\n");
    noughts().arg("--journal").arg(&path).arg(&script).assert().success();
    assert_eq!(text(&path), format!("{HEADER}play X 0 0 @0\n"));
}

#[cfg(unix)]
#[test]
fn a_session_does_not_read_its_journal_or_write_replies_there() {
    let content = format!("{HEADER}game a\ngame main\n");
    let path = file("itself", &content);
    let error = |used| {
        let name = path.display();
        format!("noughts: {name}: the journal cannot be what is {used} as well\n")
    };
    let open = || fs::OpenOptions::new().read(true).append(true).open(&path).unwrap();
    let mut by_name = process();
    by_name.arg("--journal").arg(&path).arg(&path).stdin(Stdio::null());
    let mut read = process();
    read.arg("--journal").arg(&path).stdin(open());
    let mut written = process();
    written.arg("--journal").arg(&path).stdin(Stdio::null()).stdout(open());
    let mut told = process();
    told.arg("--journal").arg(&path).stdin(Stdio::null()).stderr(open());
    // The message goes where it does no damage.
    let output = told.stdout(Stdio::piped()).output().unwrap();
    assert_eq!((output.status.code(), utf8(output.stdout)), (Some(2), error("written")));
    assert_eq!(text(&path), content);
    for (mut command, used) in [(by_name, "read"), (read, "read"), (written, "written")] {
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(support::utf8(output.stderr), error(used));
        assert_eq!(text(&path), content);
    }
}

/// Starts the program with a journal and pipes.
fn driven(path: &Path, arguments: &[&str]) -> process::Child {
    let journal = ["--journal".as_ref(), path.as_os_str()];
    support::driven(journal.into_iter().chain(arguments.iter().map(AsRef::as_ref)))
}

#[test]
fn two_processes_cannot_hold_the_same_journal() {
    let path = fresh("held");
    let mut holder = driven(&path, &[]);
    let mut replies = BufReader::new(holder.stdout.take().unwrap()).lines();
    let mut commands = holder.stdin.take().unwrap();
    commands.write_all(b"0 0\n").unwrap();
    assert_eq!(replies.next().unwrap().unwrap(), "OK: X at 0 0, O to move");
    let error = format!("noughts: {}: another process has it as its journal\n", path.display());
    noughts()
        .arg("--journal")
        .arg(&path)
        .write_stdin("1 1\n")
        .assert()
        .code(2)
        .stdout("")
        .stderr(error);
    commands.write_all(b"2 2\n").unwrap();
    assert_eq!(replies.next().unwrap().unwrap(), "OK: O at 2 2, X to move");
    drop(commands);
    assert!(holder.wait().unwrap().success());
    noughts()
        .arg("--journal")
        .arg(&path)
        .write_stdin("moves\n")
        .assert()
        .success()
        .stdout("OK: 0 0 2 2\n");
    // Nor can one process twice.
    let _first = open(&path, &Setup::default(), false).unwrap();
    let second = open(&path, &Setup::default(), false);
    assert!(matches!(second, Err(JournalError::Held)));
}

#[test]
fn each_reply_finds_its_change_in_the_file() {
    let path = fresh("waiting");
    for sync in [&[][..], &["--sync"]] {
        fs::write(&path, "").unwrap();
        let mut child = driven(&path, sync);
        let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut commands = child.stdin.take().unwrap();
        let mut expected = HEADER.to_owned();
        for (line, count, kept) in [
            ("0 0\n", 1, "play X 0 0 @0\n"),
            ("status\n", 1, ""),
            ("1 1 @1\n", 1, "play O 1 1 @1\n"),
            ("seat X rules\n", 2, "# seat X rules\nplay X 0 2 @2\n"),
            ("game a\n", 2, "game a\nplay X 1 1 @0\n"),
        ] {
            commands.write_all(line.as_bytes()).unwrap();
            for _ in 0..count {
                replies.next().unwrap().unwrap();
            }
            expected.push_str(kept);
            assert_eq!(text(&path), expected);
        }
        drop(commands);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_answered() {
    let script = EVERY_KIND.replace("# seat", "seat");
    let whole = EVERY_KIND.len();
    for room in 0..=whole {
        for block in [8, 64, 4096] {
            let mut disk = Disk::new(b"");
            disk.room = room;
            let mut journal = disk.journal();
            let mut out = Watcher::new(&disk);
            let input = BufReader::with_capacity(block, script.as_bytes());
            let mut session = Session::new(&Setup::default()).unwrap();
            let done = run(input, &mut out, Some(&mut journal), &mut session);
            match done {
                Ok(Status::Clean) => assert_eq!(room, whole),
                Err(ReplError::Keep(error)) => {
                    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                    assert!(room < whole);
                }
                other => panic!("{other:?}"),
            }
            let kept = disk.kept.borrow();
            assert_eq!(*kept, EVERY_KIND.as_bytes()[..room]);
            let lines = found(&kept).whole;
            assert_eq!(lines == 0, disk.lines() == 0);
            assert!(out.changes < disk.lines().max(1));
        }
    }
}

/// A limit on the size of files stands for a full disk: a write beyond it fails.
#[cfg(unix)]
#[test]
fn a_write_that_fails_ends_the_session_and_is_not_answered() {
    let path = fresh("limited");
    let lines = "new 3\n".repeat(200);
    let shell = "ulimit -f 1; exec \"$0\" --journal \"$1\"";
    let mut child = process::Command::new("sh")
        .args(["-c", shell])
        .arg(binary())
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut commands = child.stdin.take().unwrap();
    let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut answered = 0;
    for line in lines.lines() {
        if writeln!(commands, "{line}").is_err() {
            break;
        }
        let Some(reply) = replies.next() else { break };
        assert!(reply.unwrap().starts_with("OK: "));
        answered += 1;
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = support::utf8(output.stderr);
    let start = format!("noughts: {}: File too large", path.display());
    assert!(errors.starts_with(&start), "{errors}");
    assert!(errors.ends_with("changes that got no reply may be lost\n"), "{errors}");
    let kept = fs::read(&path).unwrap();
    assert!(answered > 10);
    assert_eq!(line_ends(&kept), answered + 1);
    // Nothing of what was not answered is left.
    assert!(kept.ends_with(b"\n"));
    assert_eq!(found(&kept).session.game().version(), answered as u64);
}

/// A writer that remembers the size of each write.
struct Sizes(Rc<RefCell<Vec<usize>>>);

impl Write for Sizes {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().push(lines.len());
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_change_is_kept_before_the_next_is_noted() {
    let moves = (0..91).fold(String::new(), |moves, n| format!("{moves} {} {}", n / 10, n % 10));
    let script = format!("new 10 10\n{}", format!("replay{moves}\n").repeat(2000));
    let writes = Rc::new(RefCell::new(Vec::new()));
    let sizes = Box::new(Sizes(Rc::clone(&writes)));
    let mut journal = Journal::begin(Shape::TIC_TAC_TOE, sizes);
    let mut session = Session::new(&Setup::default()).unwrap();
    run(script.as_bytes(), io::sink(), Some(&mut journal), &mut session).unwrap();
    let writes = writes.borrow();
    let longest = "replay @2000\n".len() + moves.len();
    assert!(writes.iter().all(|length| *length < BLOCK + longest), "{writes:?}");
    let total: usize = writes.iter().sum();
    assert!(total > 2000 * moves.len());
    assert!(total / BLOCK + 2 >= writes.len(), "{writes:?}");
}

#[test]
fn the_longest_change_is_a_line_that_can_be_read() {
    let most = usize::from(Shape::MAX_SIDE).pow(2);
    let longest = "replay @18446744073709551615".len() + most * " 1023 1023".len();
    assert!(longest <= MAX_LINE);
}

/// Returns a command of a game that a computer may play in.
fn any_change(dice: &mut Dice) -> String {
    match dice.below(20) {
        0 => "undo".to_owned(),
        1 => "undo 2".to_owned(),
        2 => "redo".to_owned(),
        3 => "new 3".to_owned(),
        4 => "position XX./.O./O..".to_owned(),
        5 => "replay 0 0 1 1 2 2".to_owned(),
        6 | 7 => format!("game {}", ["main", "a", "b"][dice.below(3)]),
        8 => format!("drop {}", ["main", "a", "b"][dice.below(3)]),
        9 => "status".to_owned(),
        10 => format!("seat O {}", ["rules", "human"][dice.below(2)]),
        11 => "go rules".to_owned(),
        _ => format!("{} {}", dice.below(3), dice.below(3)),
    }
}

/// Returns the states that a session goes through, after each line and each move of a computer,
/// each with the number of replies until then.
fn states(session: &mut Session, lines: &[String]) -> Vec<(usize, String)> {
    let mut replies = 0;
    let mut states = vec![(0, state(session))];
    for line in iter::once(None).chain(lines.iter().map(Some)) {
        if let Some(line) = line {
            let _ = session.run(&line.parse().unwrap());
            replies += 1;
            states.push((replies, state(session)));
        }
        while session.move_by_computer().is_some() {
            replies += 1;
            states.push((replies, state(session)));
        }
    }
    states
}

#[test]
fn kill_9_at_any_moment_loses_nothing_that_was_answered() {
    let kills = env::var("NOUGHTS_KILLS").map_or(40, |kills| kills.parse().unwrap());
    let mut dice = Dice::new(9);
    let path = fresh("killed");
    for kill in 0..kills {
        if kill % 10 == 0 {
            fs::write(&path, "").unwrap();
        }
        let before = fs::read(&path).unwrap();
        let mut session = found(&before).session;
        let count = 1 + dice.below(30);
        let lines: Vec<String> = (0..count).map(|_| any_change(&mut dice)).collect();
        let sync = if kill % 4 == 3 { &["--sync"][..] } else { &[] };
        let mut child = driven(&path, sync);
        let mut commands = child.stdin.take().unwrap();
        let mut replies = BufReader::new(child.stdout.take().unwrap());
        let mut answered = 0;
        let mut reply = Vec::new();
        // Half of the time each line waits for the reply before; else they are all sent.
        let waits = dice.below(2) == 0;
        let until = dice.below(count + 1);
        if !waits {
            commands.write_all(format!("{}\n", lines.join("\n")).as_bytes()).unwrap();
        }
        for line in lines.iter().take(until) {
            if waits {
                writeln!(commands, "{line}").unwrap();
            }
            reply.clear();
            replies.read_until(b'\n', &mut reply).unwrap();
            answered += usize::from(reply.ends_with(b"\n"));
        }
        // What was sent last may be on its way anywhere.
        if waits && let Some(line) = lines.get(until) {
            writeln!(commands, "{line}").unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        reply.clear();
        while replies.read_until(b'\n', &mut reply).unwrap() > 0 {
            answered += usize::from(reply.ends_with(b"\n"));
            reply.clear();
        }
        let after = fs::read(&path).unwrap();
        assert!(after.starts_with(&before));
        let states = states(&mut session, &lines);
        let now = state(&found(&after).session);
        let fits = states.iter().any(|(replies, state)| *replies >= answered && *state == now);
        assert!(
            fits,
            "kill {kill}: {answered} replies, {lines:?}, {}",
            String::from_utf8_lossy(&after)
        );
    }
}

#[test]
fn kill_9_amid_large_blocks_loses_nothing_that_was_answered() {
    let kills = env::var("NOUGHTS_KILLS").map_or(4, |kills| kills.parse().unwrap());
    let mut dice = Dice::new(10);
    let path = fresh("killed_in_bulk");
    let script = file("bulk", "play 1 1\nundo\n".repeat(50_000));
    for _ in 0..kills {
        fs::write(&path, "").unwrap();
        let mut child = process()
            .arg("--journal")
            .arg(&path)
            .stdin(fs::File::open(&script).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut replies = BufReader::new(child.stdout.take().unwrap());
        let mut answered = 0;
        let mut reply = Vec::new();
        for _ in 0..dice.below(100_000) {
            reply.clear();
            replies.read_until(b'\n', &mut reply).unwrap();
            answered += 1;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        reply.clear();
        replies.read_to_end(&mut reply).unwrap();
        answered += line_ends(&reply) as u64;
        let kept = found(&fs::read(&path).unwrap());
        assert!(kept.session.game().version() >= answered);
    }
}

#[cfg(unix)]
#[test]
fn at_the_prompt_a_change_is_kept_before_the_board_shows_it() {
    let path = fresh("prompt");
    let prompt = || {
        let mut command = process();
        command
            .args(["--no-history", "--color", "never", "--journal"])
            .arg(&path)
            .env("TERM", "xterm-256color");
        rexpect::session::spawn_command(command, Some(60_000)).unwrap()
    };
    let mut terminal = prompt();
    terminal.exp_string("X> ").unwrap();
    terminal.send_line("1 1").unwrap();
    terminal.exp_string("1 .[X].").unwrap();
    assert_eq!(text(&path), format!("{HEADER}play X 1 1 @0\n"));
    terminal.exp_string("O> ").unwrap();
    terminal.send_line("seat O rules").unwrap();
    terminal.exp_string("0[O]. .").unwrap();
    let kept = format!("{HEADER}play X 1 1 @0\n# seat O rules\nplay O 0 0 @1\n");
    assert_eq!(text(&path), kept);
    terminal.exp_string("X> ").unwrap();
    let signal = "SIGKILL".parse().unwrap();
    terminal.process_mut().kill(signal).unwrap();
    let mut terminal = prompt();
    terminal.exp_string("0[O]. .\r\n  1 . X .\r\n").unwrap();
    terminal.exp_string("X> ").unwrap();
    terminal.send_line("quit").unwrap();
    terminal.exp_eof().unwrap();
    assert_eq!(text(&path), kept);
}

/// Somebody else touches a journal under a session, and the session says so.
#[cfg(unix)]
#[test]
fn a_journal_that_somebody_else_touches_ends_the_session_before_the_next_reply() {
    type Deed = fn(&Path);
    let deeds: [(Deed, &str); 4] = [
        (|path| fs::remove_file(path).unwrap(), "somebody else has removed it"),
        (
            |path| {
                let other = path.with_extension("other");
                fs::copy(path, &other).unwrap();
                fs::rename(&other, path).unwrap();
            },
            "somebody else has put another file in its place",
        ),
        (
            |path| File::options().write(true).open(path).unwrap().set_len(40).unwrap(),
            "somebody else has cut it or written to it",
        ),
        (
            |path| {
                let mut file = File::options().append(true).open(path).unwrap();
                file.write_all(b"play O 2 2 @1\n").unwrap();
            },
            "somebody else has cut it or written to it",
        ),
    ];
    for (deed, why) in deeds {
        let path = fresh("touched");
        let mut child = driven(&path, &[]);
        let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut commands = child.stdin.take().unwrap();
        commands.write_all(b"0 0\n").unwrap();
        assert_eq!(replies.next().unwrap().unwrap(), "OK: X at 0 0, O to move");
        deed(&path);
        let left = fs::read(&path).ok();
        commands.write_all(b"status\n1 1\n2 2\n").unwrap();
        drop(commands);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{why}");
        let said = utf8(output.stderr);
        let expected =
            format!("noughts: {}: {why}: changes that got no reply may be lost\n", path.display());
        assert_eq!(said, expected);
        // Nothing of the block is answered, and nothing is written to what is there.
        assert_eq!(replies.count(), 0, "{why}");
        assert_eq!(fs::read(&path).ok(), left, "{why}");
    }
}

#[test]
fn a_journal_of_nothing_but_zero_bytes_counts_as_empty() {
    let path = file("zeros", [0; 4096]);
    let output = noughts().arg("--journal").arg(&path).write_stdin("0 0\n").output().unwrap();
    assert_eq!(utf8(output.stdout), "OK: X at 0 0, O to move\n");
    assert_eq!(text(&path), format!("{HEADER}play X 0 0 @0\n"));
}

#[test]
fn random_goes_on_after_a_resume_as_without_one() {
    let arguments = ["--o", "random", "--size", "9", "--seed", "7"];
    let all = noughts().args(arguments).write_stdin("1\n2\n3\nmoves\n").output().unwrap();
    let all = utf8(all.stdout);
    let path = fresh("random");
    let mut last = String::new();
    for script in ["1\n", "2\n", "3\nmoves\n"] {
        let mut program = noughts();
        let run = program.arg("--journal").arg(&path).args(["--seed", "7"]);
        let run = if path.exists() { run } else { run.args(["--o", "random", "--size", "9"]) };
        last = utf8(run.write_stdin(script).output().unwrap().stdout);
    }
    assert_eq!(last.lines().last(), all.lines().last());
}
