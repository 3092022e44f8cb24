//! Rooms of `src` use only those below them: the paths in the sources are held against a table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The rooms of `src`, each a folder or a file, with the rooms that it may use.
const MAY_USE: [(&str, &[&str]); 21] = [
    ("game", &[]),
    ("search", &["game"]),
    ("player", &["game", "search"]),
    ("command", &["game", "player"]),
    ("reply", &["game", "search", "player", "command"]),
    ("limit", &["search", "player"]),
    ("session", &["game", "search", "player", "command", "reply", "limit"]),
    ("shell", &["game", "search", "player", "command", "reply", "limit", "session", "records"]),
    ("check", &["command", "reply", "session", "shell"]),
    ("hall", &["game", "player", "command", "reply", "session", "shell"]),
    ("net", &["game", "player", "command", "limit", "session", "shell", "hall"]),
    ("gomocup", &["game", "search", "player", "command", "limit"]),
    ("bench", &["game", "search", "player"]),
    ("contest", &["game", "search", "player", "command", "limit", "shell", "records"]),
    ("records", &["game", "command"]),
    ("prove", &["game", "search"]),
    // What the root of the library re-exports.
    ("lib", &[]),
    (
        "args",
        &[
            "lib", "game", "player", "command", "reply", "limit", "session", "shell", "records",
            "check", "contest", "online", "prove",
        ],
    ),
    ("online", &["command", "reply", "limit", "session", "shell", "hall", "net", "args"]),
    ("stdio", &[]),
    ("main", &ALL),
];

/// The rooms that `main` wires.
const ALL: [&str; 20] = [
    "args", "lib", "game", "search", "player", "command", "reply", "limit", "session", "shell",
    "check", "hall", "net", "gomocup", "bench", "records", "contest", "stdio", "online", "prove",
];

/// The rooms that know no input, output, clock, thread or format.
const CORE: [&str; 3] = ["game", "search", "player"];

/// The modules of `std` that the core must not use.
const IO: [&str; 6] = ["env", "fs", "io", "net", "process", "thread"];

/// The words that the core must not use.
const IO_WORDS: [&str; 8] =
    ["Instant", "SystemTime", "print", "println", "eprint", "eprintln", "serde", "clap"];

/// Splits a source without its comments into words and signs; `∷` stands for `::`.
fn tokens(source: &str) -> Vec<String> {
    let code = source.lines().filter_map(|line| line.split("//").next());
    let mut spaced = String::new();
    for char in code.collect::<Vec<_>>().join("\n").replace("::", "∷").chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => spaced.push(char),
            sign => spaced.extend([' ', sign, ' ']),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

/// Reads the path or the group of paths at `at`, in a module `depth` below the root of its crate,
/// and adds the names below the root that it begins with. Returns where it ends.
fn read(tokens: &[String], mut at: usize, mut depth: usize, names: &mut Vec<String>) -> usize {
    let token = |at: usize| tokens.get(at).map_or("", String::as_str);
    loop {
        match token(at) {
            "{" => {
                at += 1;
                while !["}", ""].contains(&token(at)) {
                    at = read(tokens, at, depth, names);
                    at += usize::from(token(at) == ",");
                }
            }
            "super" => depth = depth.saturating_sub(1),
            "self" => {}
            name => {
                names.extend((depth == 0).then(|| name.to_owned()));
                depth = usize::MAX;
            }
        }
        at += if token(at + 1) == "as" { 3 } else { 1 };
        if token(at) != "∷" {
            return at;
        }
        at += 1;
    }
}

/// Lists the rooms and the IO that a source uses, the modules of `std` as `std::fs`.
fn uses(path: &str, source: &str) -> BTreeSet<String> {
    let tokens = tokens(source);
    let mut depth = path.split('/').count() - usize::from(path.ends_with("/mod.rs"));
    let mut uses = BTreeSet::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let starts_path = tokens.get(at + 1).is_some_and(|next| next == "∷");
        let mut names = Vec::new();
        match token.as_str() {
            // An inline module, which is the last item of its file.
            "mod" if tokens.get(at + 2).is_some_and(|next| next == "{") => depth += 1,
            "crate" | "noughts" if starts_path => at = read(&tokens, at + 2, 0, &mut names) - 1,
            "self" | "super" if starts_path => at = read(&tokens, at, depth, &mut names) - 1,
            "std" if starts_path => {
                read(&tokens, at + 2, 0, &mut names);
                names.retain(|name| IO.contains(&name.as_str()));
                for name in &mut names {
                    name.insert_str(0, "std::");
                }
            }
            word if IO_WORDS.contains(&word) => {
                uses.insert(word.to_owned());
            }
            _ => {}
        }
        // A type of the root is one that `lib.rs` re-exports.
        let is_type = |name: &String| name.starts_with(char::is_uppercase);
        uses.extend(names.into_iter().map(|name| if is_type(&name) { "lib".into() } else { name }));
        at += 1;
    }
    uses
}

/// Lists all that is wrong with the arrows between these files, named by their paths in `src`.
fn faults(files: &[(String, String)]) -> Vec<String> {
    let room =
        |path: &str| path.split('/').next().unwrap_or(path).trim_end_matches(".rs").to_owned();
    let rooms: BTreeSet<String> = files.iter().map(|(path, _)| room(path)).collect();
    let missing = MAY_USE.iter().filter(|(name, _)| !rooms.contains(*name));
    let mut faults: Vec<String> = missing.map(|(name, _)| format!("{name} is missing")).collect();
    for (path, source) in files {
        let own = room(path);
        let Some((_, may_use)) = MAY_USE.iter().find(|(name, _)| *name == own) else {
            faults.push(format!("{path} is in no room of the table"));
            continue;
        };
        let is_core = CORE.contains(&own.as_str());
        for used in uses(path, source) {
            let is_io = used.starts_with("std::") || IO_WORDS.contains(&used.as_str());
            let is_known = used == own || may_use.contains(&used.as_str());
            let is_fine = if is_io { !is_core } else { is_known };
            faults.extend((!is_fine).then(|| format!("{path} uses {used}")));
        }
    }
    faults
}

/// Adds the source files below a folder, named by their paths from `src`.
fn sources(folder: &Path, files: &mut Vec<(String, String)>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let name = path.strip_prefix(&root).expect("a path below src");
            let name = name.to_str().expect("a name in UTF-8").replace('\\', "/");
            files.push((name, fs::read_to_string(&path).expect("a source file")));
        }
    }
}

#[test]
fn every_room_uses_those_below_it_alone() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert_eq!(faults(&files), [""; 0]);
}

/// Returns a tree of sources with a file in each room of the table, and this one.
fn planted(path: &str, source: &str) -> Vec<(String, String)> {
    let rooms = MAY_USE.iter().map(|(room, _)| (format!("{room}.rs"), String::new()));
    rooms.chain([(path.to_owned(), source.to_owned())]).collect()
}

#[test]
fn a_path_to_a_room_above_is_found_wherever_it_is_written() {
    for (path, source, used) in [
        ("game/board.rs", "use crate::search::Budget;", "search"),
        ("game/board.rs", "use crate::{\n    game::Mark,\n    reply::{self, text},\n};", "reply"),
        ("game/board.rs", "fn f() -> u8 { 1 + crate::session::COUNT }", "session"),
        ("game/board.rs", "fn f(all: &[noughts::command::Verb]) {}", "command"),
        ("game/board.rs", "use super::super::shell::repl;", "shell"),
        ("game/board.rs", "use super::{shape::Mark, super::{game::Run, limit::Limit}};", "limit"),
        ("game/board.rs", "mod tests {\n    use super::super::super::player;\n}", "player"),
        ("game/mod.rs", "use super::gomocup as brain;", "gomocup"),
        ("limit.rs", "use super::session::Session;", "session"),
        ("search/mod.rs", "use crate as noughts; use crate::*;", "*"),
        ("player/best.rs", "use crate::Board;", "lib"),
        ("command/mod.rs", "use crate::search::{Score as Value, Value as Score};", "search"),
        ("shell/repl.rs", "use crate::{session, gomocup};", "gomocup"),
        ("game/mod.rs", "use std::{fmt, fs::File};", "std::fs"),
        ("search/budget.rs", "use std::time::{Duration, Instant};", "Instant"),
        ("search/budget.rs", "let now = std::time::SystemTime::now();", "SystemTime"),
        ("player/best.rs", "std::thread::spawn(run);", "std::thread"),
        ("player/best.rs", "fn f() { println!(\"{}\", 1) }", "println"),
    ] {
        assert_eq!(faults(&planted(path, source)), [format!("{path} uses {used}")], "{source}");
    }
}

#[test]
fn paths_to_rooms_below_and_within_are_fine() {
    for (path, source) in [
        ("search/solver/mod.rs", "use crate::game::{Board, Mark};\nuse super::{Budget, Score};"),
        ("search/solver/mod.rs", "use crate::search::{Budget, perft::{self, walk}};"),
        ("search/alphabeta/vcf.rs", "use super::super::shell; use self::field::reply;"),
        ("game/mod.rs", "//! See `crate::session`.\nuse std::fmt; // not crate::reply"),
        ("game/mod.rs", "mod tests {\n    use super::session;\n    use super::*;\n}"),
        ("game/mod.rs", "pub(crate) fn f() { std::iter::once(1); }"),
        ("session.rs", "use crate::{game::Game, reply::Reply};\nuse std::{io, thread};"),
        ("main.rs", "use noughts::{Board, shell::repl, session::Session};"),
    ] {
        assert_eq!(faults(&planted(path, source)), [""; 0], "{path}: {source}");
    }
}

#[test]
fn the_verifier_of_proofs_shares_no_code() {
    let source = include_str!("../../src/prove/verify.rs");
    assert_eq!(uses("prove/verify.rs", source), BTreeSet::from(["std::io".to_owned()]));
}

#[test]
fn a_room_that_is_renamed_is_missing_and_in_no_room() {
    let mut files = planted("game/board.rs", "");
    files.retain(|(path, _)| path != "search.rs");
    files.push(("searching/mod.rs".to_owned(), String::new()));
    let expected = ["search is missing", "searching/mod.rs is in no room of the table"];
    assert_eq!(faults(&files), expected);
}
