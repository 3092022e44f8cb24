//! Records of games: real traits of each format, and every format against every other.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use noughts::records::{Defaults, Format, Found, Place, Record};
use noughts::{Game, Mark, Outcome, Shape};
use proptest::prelude::*;
use serde_json::Value;

use crate::oracle::Dice;
use crate::properties;
use crate::support::{driven, file, fresh, noughts, seeded, utf8};

fn read(format: Format, text: &str) -> Vec<Found> {
    format.read(text.as_bytes(), Defaults::default()).map(|found| found.unwrap()).collect()
}

#[test]
fn the_traits_of_real_files_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/records");
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let mut tried = 0;
    for name in names.iter().map(Path::new) {
        // A script has its replies beside it as well.
        if ["out", "text", "json"].iter().any(|other| name.extension() == Some(OsStr::new(other))) {
            continue;
        }
        let output =
            noughts().current_dir(&folder).args(["convert", "--to", "jsonl"]).arg(name).output();
        let output = output.unwrap();
        let status = output.status.code().unwrap();
        let all = format!("{}{}status {status}\n", utf8(output.stdout), utf8(output.stderr));
        let expected = folder.join(format!("{}.out", name.display()));
        if env::var_os("BLESS").is_some() {
            fs::write(&expected, &all).unwrap();
        }
        assert_eq!(all, fs::read_to_string(&expected).unwrap(), "{}", name.display());
        tried += 1;
    }
    assert!(tried >= 10, "only {tried} files");
}

/// Generates games of all shapes, over or not, that may have other names and results than others.
fn any_record() -> impl Strategy<Value = Record> {
    let names = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "",
            "-1",
            "15",
            "8,8,0",
            "8,8",
            "Piskvorky 3x3, 0:0, 0",
            "a\\]b",
            "\"",
            "é",
            "x\r\ny",
        ])
        .prop_map(str::to_owned),
    ];
    let names = (names.clone(), names.clone(), names);
    (any::<u64>(), names).prop_map(|(seed, (name, x, o))| {
        let mut dice = Dice::new(seed);
        let sizes =
            [(1, 1, 1), (3, 3, 3), (2, 7, 3), (7, 2, 3), (15, 15, 5), (15, 20, 5), (30, 52, 4)];
        let shape =
            if dice.below(20) == 0 { Shape::new(60, 1024, 5).unwrap() } else { dice.shape(&sizes) };
        let mut game = Game::new(shape);
        for _ in 0..dice.below(60) {
            let index = dice.below(shape.squares());
            let _ = game.play(shape.square(index).unwrap());
        }
        let mut record = Record::of(&game).unwrap();
        if game.outcome().is_none() {
            let won = |mark| Some(Outcome::Won(mark));
            record.stated = [None, Some(Outcome::Drawn), won(Mark::X), won(Mark::O)][dice.below(4)];
            ["", "time", "resign", "forfeit"][dice.below(4)].clone_into(&mut record.reason);
        }
        (record.name, record.x, record.o) = (name, x, o);
        record
    })
}

proptest! {
    #![proptest_config(seeded(300))]

    #[test]
    fn a_game_survives_every_format(record in any_record()) {
        properties::survives(&record);
    }

    #[test]
    fn csv_and_json_lines_keep_all_that_is_known(record in any_record(), note in any::<String>()) {
        let mut record = record;
        record.name.push('7');
        record.others = vec![("note, \"quoted\"".to_owned(), Value::from(note))];
        for format in [Format::Csv, Format::Jsonl] {
            let mut text = Vec::new();
            format.write(&record, &mut text).unwrap();
            let found = format.read(&text[..], Defaults::default()).next().unwrap().unwrap();
            prop_assert!(found.notes.is_empty());
            let read = found.record.unwrap();
            prop_assert_eq!(format!("{read:?}"), format!("{record:?}"));
        }
    }

    #[test]
    fn damaged_records_are_told_so(pieces in prop::collection::vec(piece(), 0..30)) {
        properties::records(&pieces.concat());
    }
}

/// Generates pieces of records of every format, and bytes of none.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "Piskvorky 15x15, 11:11, 0\n",
        "8,8,0\n",
        "9,9\r\n",
        "-1\n",
        "15\n",
        "name\n",
        "\n",
        "\r",
        "(;",
        "(",
        ")",
        ";B[hh]",
        ";W[ii]",
        ";B[h8]",
        "AB[aa][bb]",
        "AW[cc]",
        "SZ[15]",
        "SZ[9:4]",
        "C[x",
        "]",
        "\\",
        "RE[B+R]",
        "RU[3 in a row]",
        "new 3\n",
        "new 9x4 3\n",
        "replay 0 0 1 1\n",
        "h8i9",
        "1. ",
        "a1 b2 c3\n",
        "0 0\n",
        "undo\n",
        "undo 2\n",
        "# x\n",
        "moves,x,rows,cols\n",
        "\"",
        ",",
        "0 0 1 1,",
        "{\"moves\":[[0,0],[1,1]]}\n",
        "{\"moves\":",
        "[[",
        "\u{feff}",
        "\0",
    ];
    prop_oneof![
        8 => prop::sample::select(pieces).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..8),
    ]
}

/// Damages real-looking records for so many rounds. `NOUGHTS_RECORDS=100000` damages more than
/// usual.
#[test]
fn what_is_left_of_damaged_records_survives() {
    const PIECES: &[&[u8]] = &[
        b"(",
        b"(;",
        b")",
        b"[",
        b"]",
        b"\\",
        b"\"",
        b",",
        b":",
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"-1",
        b"0",
        b"1024",
        b"65536",
        b"18446744073709551616",
        b"1e400",
        b"999999999999999999999999999999999999999999",
        b"\xc3\xa9",
        b"undo\n",
        b"new 1024x1024 1024\n",
        b"SZ[1024]",
        b"Piskvorky 1024x1024, 0:0, 1\n",
        b"{\"moves\":[[0,0],[1,1]],\"note\":1.7976931348623157e308}\n",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/records");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let rounds = env::var("NOUGHTS_RECORDS").map_or(200, |rounds| rounds.parse().unwrap());
    let mut dice = Dice::new(rounds);
    for _ in 0..rounds {
        let mut bytes = files[dice.below(files.len())].clone();
        for _ in 0..=dice.below(6) {
            let start = dice.below(bytes.len() + 1);
            let end = start + dice.below(bytes.len() - start + 1);
            let range = start..end;
            match dice.below(7) {
                0 if start < bytes.len() => bytes[start] ^= 1 << dice.below(8),
                1 => bytes.truncate(start),
                2 => drop(bytes.drain(range)),
                3 => drop(bytes.splice(start..start, bytes[range].to_vec())),
                4 => bytes.extend_from_slice(&files[dice.below(files.len())]),
                // A digit more or less, or another number altogether.
                5 => drop(bytes.splice(range, PIECES[dice.below(PIECES.len())].to_vec())),
                _ => {
                    let piece = PIECES[dice.below(PIECES.len())];
                    // A board costs its squares, however short its line is.
                    let times = if dice.below(20) == 0 { 100_000 / piece.len().pow(2) } else { 1 };
                    drop(bytes.splice(start..start, piece.repeat(times)));
                }
            }
        }
        let shown = String::from_utf8_lossy(bytes.get(..2000).unwrap_or(&bytes)).into_owned();
        let tried = std::panic::catch_unwind(|| properties::records(&bytes));
        assert!(tried.is_ok(), "{shown:?}");
    }
}

#[test]
fn a_position_that_was_set_up_is_no_record() {
    let mut board = Game::new(Shape::TIC_TAC_TOE).board().clone();
    board.place("1 1".parse().unwrap(), Mark::X).unwrap();
    assert!(Record::of(&Game::from_position(board).unwrap()).is_none());
}

#[test]
fn parentheses_nest_as_deep_as_they_want() {
    const DEEP: usize = 100_000;
    let text = format!("(;GM[4]{}B[hh];W[ii]{})", "(;C[x]".repeat(DEEP), ")".repeat(DEEP));
    let found = read(Format::Sgf, &text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].record.as_ref().unwrap().game().moves().len(), 2);
}

#[test]
fn what_is_too_long_is_skipped_and_the_next_game_is_read() {
    let long = "x".repeat(17 << 20);
    for (format, text, place) in [
        (Format::Moves, format!("replay 0 0\n{long}\nreplay 1 1\n"), Place::Line(2)),
        (Format::Letters, format!("a1\n{long}\nb2\n"), Place::Line(2)),
        (Format::Jsonl, format!("{{\"moves\":[]}}\n{long}\n{{\"moves\":[]}}\n"), Place::Line(2)),
        (Format::Csv, format!("moves\n0 0\n\"{long}\"\n1 1\n"), Place::Line(3)),
        (
            Format::Psq,
            format!("Piskvorky 9x9, 0\n1,1\nPiskvorky 9x9, 0\n{long}\nPiskvorky 9x9, 0\n2,2\n"),
            Place::Line(4),
        ),
        (Format::Sgf, format!("(;B[aa])(;PB[{long}]B[aa])(;B[bb])"), Place::Game(2)),
    ] {
        let found = read(format, &text);
        let [before, fault, after] = &found[..] else { panic!("{format:?}: {}", found.len()) };
        assert!(before.record.is_ok() && after.record.is_ok(), "{format:?}");
        let message = fault.record.as_ref().unwrap_err().to_string();
        assert!(message.contains("longer than 16777216 bytes"), "{format:?}: {message}");
        assert_eq!(fault.place, place, "{format:?}");
    }
}

#[test]
fn flags_say_what_a_record_does_not() {
    for (args, input, output) in [
        (&["--from", "letters", "--to", "moves"][..], "a1", "new 15x15 5\nreplay 14 0\n"),
        (
            &["--from", "letters", "--to", "moves", "--rows", "top", "--size", "4x6"],
            "a1",
            "new 4x6 4\nreplay 0 0\n",
        ),
        (
            &["--from", "psq", "--to", "csv", "-k", "3", "--exact"],
            "Piskvorky 9x8, 0:0, 0\n9,1,0\n-1\n",
            "game,rows,cols,k,exact,x,o,result,reason,length,moves\n1,8,9,3,true,,,,,1,0 8\n",
        ),
        (
            &["--from", "moves", "--to", "letters"],
            "new 3\nnew 3 3\n0 0\nnew 3\nreplay 0 0 1 1\nnew 3 2\n",
            "new 3x3 3\nnew 3x3 3\nreplay a3\nreplay a3 b2\nnew 3x3 2\n",
        ),
        (
            &["--from", "csv", "--to", "psq"],
            "moves,x,o,result,reason\n0 1,Ann,,X,time\n",
            "Piskvorky 15x15, 11:11, 0\n2,1,0\nAnn\n\n15\n",
        ),
        (
            &["--from", "jsonl", "--to", "sgf"],
            r#"{"rows":2,"cols":3,"k":2,"exact":true,"x":"a]b","moves":[[1,2]],"result":"O","reason":"time"}"#,
            "(;GM[4]FF[4]CA[UTF-8]SZ[3:2]RU[exactly 2 in a row]PB[a\\]b]RE[W+T]\n;B[cb])\n",
        ),
        (&["--from", "sgf", "--to", "csv"], "no game at all", ""),
    ] {
        let assert = noughts().arg("convert").args(args).write_stdin(input).assert();
        assert.success().stdout(output).stderr("");
    }
}

#[test]
fn a_rule_that_a_format_has_no_room_for_is_told_of_once() {
    let games = "rows,cols,k,exact,moves\n\
                 15,15,5,false,0 0\n3,3,3,false,0 0\n15,15,4,false,0 0\n9,9,4,false,1 1\n\
                 9,9,5,true,0 0\n9,9,5,true,1 1\n9,9,4,true,2 2\n";
    let exact = "line 6: FORMAT does not say exactly 5 in a row: read it with --exact\n\
                 line 8: FORMAT does not say exactly 4 in a row: read it with --exact\n";
    let psq = "line 4: psq does not say 4 in a row: read it with -k 4\n\
               line 6: psq does not say exactly 5 in a row: read it with --exact\n\
               line 8: psq does not say exactly 4 in a row: read it with -k 4 --exact\n";
    for (format, notes) in [
        ("psq", psq.to_owned()),
        ("moves", exact.replace("FORMAT", "moves")),
        ("letters", exact.replace("FORMAT", "letters")),
        ("sgf", String::new()),
        ("csv", String::new()),
    ] {
        let notes = notes.replace("line", "noughts: line");
        let args = ["convert", "--from", "csv", "--to", format];
        noughts().args(args).write_stdin(games).assert().success().stderr(notes);
    }
}

#[test]
fn a_game_is_written_before_the_next_one_is_waited_for() {
    for (format, start, game) in [
        ("csv", "moves\n", "0 0\n"),
        ("jsonl", "", "{\"moves\":[[0,0]]}\n"),
        ("sgf", "", "(;B[aa])"),
    ] {
        let mut child = driven(["convert", "--from", format, "--to", "letters"]);
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut written = BufReader::new(stdout).lines().map(|line| line.unwrap());
        stdin.write_all(start.as_bytes()).unwrap();
        for _ in 0..2 {
            stdin.write_all(game.as_bytes()).unwrap();
            assert_eq!(written.find(|line| !line.starts_with("new")).unwrap(), "replay a15");
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn what_goes_wrong_is_told_and_the_rest_is_written() {
    let good = file("records/good.letters", "new 3\na1 b2\n");
    let bad = file("records/bad.letters", "new 3\na1 b9\n\nzz\nb2\n");
    let missing = fresh("records/missing.letters");
    let [good, bad, missing] = [&good, &bad, &missing].map(|path| path.to_str().unwrap());
    let one = "new 3x3 3\nreplay 2 0 1 1\n";
    let two = "new 3x3 3\nreplay 2 0 1 1\nreplay 1 1\n";
    let faults = format!(
        "noughts: {bad}:2: \"b9\" is off the board of 3 x 3\nnoughts: {bad}:4: found \"zz\", \
         expected squares such as h8, with or without numbers of moves such as 1.\n"
    );
    let no_file = format!("noughts: {missing}: No such file or directory (os error 2)\n");
    for (files, stdout, stderr, code) in [
        (&[good][..], one, String::new(), 0),
        (&[good, bad], two, faults.clone(), 1),
        (&[missing, good], one, no_file.clone(), 2),
        (&[bad, missing], "new 3x3 3\nreplay 1 1\n", faults + &no_file, 2),
    ] {
        let assert = noughts().args(["convert", "--to", "moves"]).args(files).assert();
        assert.code(code).stdout(stdout).stderr(stderr);
    }
}

#[test]
fn a_format_that_nobody_names_is_wrong_usage() {
    let unknown = file("records/game.doc", "");
    let picture = file("records/game.svg", "");
    for path in [unknown.to_str().unwrap(), picture.to_str().unwrap(), "-"] {
        let name = if path == "-" { "standard input" } else { path };
        let message =
            format!("noughts: {name}: its ending names no format to read: use --from FMT\n");
        let assert = noughts().args(["convert", "--to", "csv", path]).write_stdin("").assert();
        assert.code(2).stdout("").stderr(message);
    }
    for args in [&["--to", "doc"][..], &["--from", "svg", "--to", "csv"], &["--from", "csv"]] {
        noughts().arg("convert").args(args).write_stdin("").assert().code(2).stdout("");
    }
}

#[test]
fn a_board_that_a_format_has_no_room_for_is_told_of() {
    let input = "new 53 5\nreplay 0 0\nnew 52 5\nreplay 0 0\n";
    let output = "(;GM[4]FF[4]CA[UTF-8]SZ[52]RU[5 in a row]\n;B[aa])\n";
    let message = "noughts: line 1: sgf has boards of at most 52 x 52: found 53 x 53\n";
    let message = message.replace("line 1", "line 2");
    let args = ["convert", "--from", "moves", "--to", "sgf"];
    noughts().args(args).write_stdin(input).assert().code(1).stdout(output).stderr(message);
}

#[test]
fn a_picture_shows_one_game_and_a_folder_takes_many() {
    let args = ["convert", "--from", "letters", "--to", "svg", "--size", "3"];
    let one = noughts().args(args).write_stdin("a1 b1 a2 b2 a3").assert().success().stderr("");
    let picture = utf8(one.get_output().stdout.clone());
    assert!(picture.starts_with("<svg "), "{picture}");
    assert!(picture.contains("<title>X (black) against O (white): X has won</title>"), "{picture}");
    assert!(picture.contains(" Winning line: a3 a2 a1.</desc>"), "{picture}");
    assert_eq!(picture.matches("<circle").count(), 5);
    assert_eq!(picture.matches("stroke=\"#aaa\"").count(), 1);

    let several = "noughts: svg is one picture a game, and there is more than one: --out DIR \
                   takes them all\n";
    noughts().args(args).write_stdin("a1\nb1\n").assert().code(2).stdout("").stderr(several);
    let folder = fresh("records/pictures");
    let out = ["--out", folder.to_str().unwrap()];
    let input = "a1 b1 a2 b2 a3\nzz\na1\n";
    noughts().args(args).args(out).write_stdin(input).assert().code(1).stdout("");
    let taken = format!(
        "noughts: {}: it is there already: --out DIR overwrites no file\n",
        folder.join("000001.svg").display()
    );
    noughts().args(args).args(out).write_stdin("c3").assert().code(2).stdout("").stderr(taken);
    assert_eq!(fs::read_to_string(folder.join("000001.svg")).unwrap(), picture);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn names_in_a_picture_are_text() {
    let mut record = Record::of(&Game::new(Shape::TIC_TAC_TOE)).unwrap();
    record.x = "<script>&\u{0}\"".to_owned();
    let mut picture = Vec::new();
    Format::Svg.write(&record, &mut picture).unwrap();
    let picture = utf8(picture);
    assert!(picture.contains("<title>&lt;script&gt;&amp; \" (X, black)"), "{picture}");
}

#[test]
fn columns_of_others_pass_through() {
    let csv = "game,elo,moves,note\n1,1500,0 0,\"a, b\"\n2,,1 1,\n";
    let args = ["convert", "--from", "csv", "--to", "csv", "--size", "3"];
    let expected = "game,rows,cols,k,exact,x,o,result,reason,length,moves,elo,note\n\
                    1,3,3,3,false,,,,,1,0 0,1500,\"a, b\"\n2,3,3,3,false,,,,,1,1 1,,\n";
    noughts().args(args).write_stdin(csv).assert().success().stdout(expected).stderr("");
    let lines = "{\"moves\":[],\"a\":1}\n{\"moves\":[],\"b\":1}\n";
    let expected = "game,rows,cols,k,exact,x,o,result,reason,length,moves,a\n\
                    1,15,15,5,false,,,,,0,,1\n2,15,15,5,false,,,,,0,,\n";
    let note = "noughts: line 2: columns that the first game has not are left out\n";
    let args = ["convert", "--from", "jsonl", "--to", "csv"];
    noughts().args(args).write_stdin(lines).assert().success().stdout(expected).stderr(note);
}

#[test]
fn a_reader_that_goes_away_ends_the_conversion_quietly() {
    let games = "0 0 1 1\n".repeat(100_000);
    let mut child = driven(["convert", "--from", "csv", "--to", "jsonl"]);
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let _ = stdin.write_all(format!("moves\n{games}").as_bytes());
    drop(stdin);
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!((child.wait().unwrap().code(), messages.as_str()), (Some(0), ""));
}
