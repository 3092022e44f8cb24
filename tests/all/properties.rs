//! Properties that hold for any bytes: the fuzzer tries to break them, the tests for a second.

use std::fmt::Display;
use std::io::{self, Write};

use noughts::command::{Action, Command, Size};
use noughts::limit::Limit;
use noughts::records::{self, Defaults, Record, WriteError};
use noughts::reply::Format;
use noughts::session::{Session, Setup};
use noughts::shell::journal;
use noughts::shell::repl::{Options, Status, repl};
use serde_json::Value;

/// A line that is a command reads as it is written. Any other gets one line that says why, and
/// quotes no more than a piece of it.
pub fn line(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    match text.parse::<Command>() {
        Ok(command) => assert_eq!(command.to_string().parse(), Ok(command)),
        Err(error) => assert_is_short(&error),
    }
}

fn assert_is_short(error: &dyn Display) {
    let message = error.to_string();
    assert!(!message.contains(char::is_control), "{message:?}");
    // A quotation of 64 bytes, in escapes, and a sentence.
    assert!(message.len() < 900, "{message}");
}

/// Records of any bytes are games that survive every format, or one line says why not.
pub fn records(bytes: &[u8]) {
    for format in records::Format::ALL {
        for found in format.read(bytes, Defaults::default()) {
            let found = found.unwrap();
            found.notes.iter().for_each(|note| assert_is_short(note));
            match found.record {
                Ok(record) => {
                    survives(&record);
                    is_kept(*format, &record);
                }
                Err(error) => assert_is_short(&error),
            }
        }
    }
}

/// A game that is written is the same one when it is read, in every format that has room for it.
pub fn survives(record: &Record) {
    let defaults = defaults(record);
    for format in records::Format::ALL {
        let mut file = Vec::new();
        match format.write(record, &mut file) {
            Ok(()) => {}
            Err(WriteError::TooLarge { .. }) => continue,
            Err(error) => panic!("{error}"),
        }
        let found: Vec<_> = format.read(&file[..], defaults).map(|found| found.unwrap()).collect();
        if format.is_read() {
            let [found] = &found[..] else { panic!("{format:?}: {found:?}") };
            let read = found.record.as_ref().unwrap_or_else(|e| panic!("{format:?}: {e}"));
            assert_eq!(read.game(), record.game(), "{format:?}");
        }
    }
}

/// A game that is written in the format that it was read from says there all that it said before.
fn is_kept(format: records::Format, record: &Record) {
    let written = |record: &Record| {
        let mut file = Vec::new();
        format.write(record, &mut file).map(|()| file)
    };
    let Ok(file) = written(record) else { return };
    let found = format.read(&file[..], defaults(record)).next().unwrap().unwrap();
    assert!(found.notes.is_empty(), "{format:?}: {:?}", found.notes);
    let again = written(&found.record.unwrap()).unwrap();
    assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&file), "{format:?}");
}

/// Returns what a format need not say of a game.
fn defaults(record: &Record) -> Defaults {
    let shape = record.game().board().shape();
    let (size, k) = (Some(Size::from(shape)), Some(shape.k().into()));
    Defaults { size, k, exact: shape.is_exact(), ..Defaults::default() }
}

/// Every command of a conversation gets one reply, in order, with the same result in text and JSON.
pub fn session(bytes: &[u8]) {
    let input = without_long_work(bytes);
    let json = self::replies(&input, &hasty(), Format::Json);
    let replies: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |reply: &Value, name: &str| reply[name].as_str().map(str::to_owned);

    // A computer moves without being told: a `go` on the line of another reply.
    let mut answered = Vec::new();
    for reply in &replies {
        let line = reply["line"].as_u64().unwrap();
        if line > 0 && answered.last() != Some(&line) {
            answered.push(line);
        } else {
            assert_eq!(reply["command"], "go");
        }
    }
    let lines = input.split(|byte| *byte == b'\n').enumerate();
    let mut asked: Vec<u64> =
        lines.filter(|(n, line)| gets_a_reply(line, *n == 0)).map(|(n, _)| n as u64 + 1).collect();
    if replies.iter().any(|reply| reply["command"] == "quit") {
        asked.truncate(answered.len());
    }
    assert_eq!(answered, asked);

    for reply in &replies {
        let result = named(reply, "result").unwrap();
        let is_accepted = ["OK", "WIN", "DRAW"].contains(&result.as_str());
        assert_eq!(is_accepted, reply.get("message").is_none(), "{reply}");
        assert_eq!(reply["over"] == true, reply["turn"].is_null(), "{reply}");
    }

    let text = self::replies(&input, &hasty(), Format::Text);
    let results: Vec<&str> = text.lines().filter_map(result).collect();
    let expected: Vec<String> = replies.iter().filter_map(|r| named(r, "result")).collect();
    assert_eq!(results, expected);
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

/// A journal reads the same way without its torn end, and makes the same games as a script.
pub fn journal(bytes: &[u8]) {
    const FIRST: &[u8] = b"# noughts journal 1 --size 3x3 --win 3\n";
    read_back(bytes);
    let input = [FIRST, &without_long_work(bytes)].concat();
    let Some((whole, kept)) = read_back(&input) else {
        return;
    };
    let mut session = Session::new(&Setup::default()).unwrap();
    let status = run(whole, &mut session, Format::Text, true, io::sink());
    assert_eq!(status, Status::Clean, "{}", String::from_utf8_lossy(whole));
    assert_eq!(session.names(), kept.names());
    assert_eq!(session.name(), kept.name());
    assert_eq!(session.game(), kept.game());
}

/// Reads a journal, and again without its torn end. Returns its whole lines and their session.
fn read_back(input: &[u8]) -> Option<(&[u8], Session)> {
    let found = journal::read(input, &Setup::default()).ok()?;
    assert_eq!(found.whole + found.torn, input.len() as u64);
    let (whole, _) = input.split_at(usize::try_from(found.whole).unwrap());
    let again = journal::read(whole, &Setup::default()).unwrap();
    assert_eq!((again.whole, again.torn), (found.whole, 0));
    let debug = |session| format!("{session:?}");
    assert_eq!(debug(&again.session), debug(&found.session));
    Some((whole, found.session))
}

/// Returns the result that the first line of a reply in text starts with.
fn result(line: &str) -> Option<&str> {
    let (word, _) = line.split_once(": ")?;
    let is_code = |char: char| char.is_ascii_uppercase() || char == '_';
    (word.len() >= 2 && word.chars().all(is_code)).then_some(word)
}

/// Runs a session over `input` in this process, and writes its replies to `out`.
pub fn run(
    input: &[u8],
    session: &mut Session,
    format: Format,
    strict: bool,
    mut out: impl Write,
) -> Status {
    let options = Options { format, strict, echo: false };
    repl(input, &mut out, options, None, None, session).unwrap()
}

/// Returns the replies of a session over `input`.
pub fn replies(input: &[u8], setup: &Setup, format: Format) -> String {
    let mut out = Vec::new();
    run(input, &mut Session::new(setup).unwrap(), format, false, &mut out);
    String::from_utf8(out).unwrap()
}

/// Returns a set-up in which no search takes long.
fn hasty() -> Setup {
    Setup { limit: Limit::Nodes(100), ..Setup::default() }
}

/// Tells whether a line gets a reply: the contract's words, byte by byte.
fn gets_a_reply(line: &[u8], is_first: bool) -> bool {
    let mark = if is_first { &b"\xef\xbb\xbf"[..] } else { b"" };
    let line = line.strip_prefix(mark).unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b',' => {}
            b'#' if at == 0 || line[at - 1] != b',' => return false,
            _ => return true,
        }
    }
    false
}

/// Blanks the lines that take long for a good reason: boards of more than 16 rows or columns, and
/// counts of long sequences.
fn without_long_work(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let text = text.split(" #").next().unwrap_or_default();
        let command = text.trim_start_matches('\u{feff}').parse();
        let takes_long = match command.map(|command: Command| command.action) {
            Ok(Action::New { size, .. }) => size.is_some_and(|size| size.rows.max(size.cols) > 16),
            Ok(Action::Position { diagram, .. }) => {
                diagram.size().is_ok_and(|size| size.rows.max(size.cols) > 16)
            }
            Ok(Action::Perft(depth)) => depth > 3,
            _ => false,
        };
        if !takes_long {
            kept.extend_from_slice(line);
        }
        kept.push(b'\n');
    }
    kept.pop();
    kept
}
