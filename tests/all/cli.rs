//! The program from outside: files, flags, pipes and exit statuses.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{self, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use predicates::str::{contains, starts_with};

use crate::support::{driven, file, fresh, noughts, process, utf8};

#[test]
fn no_input_gets_no_output() {
    for input in ["", "\n", "\r\n\r\n", "# nothing\n   # here\n", "\u{feff}", "\u{feff}\n", " ,\t"]
    {
        noughts().write_stdin(input).assert().success().stdout("").stderr("");
    }
}

#[test]
fn the_end_of_the_input_ends_the_session() {
    let moves = "OK: X at 0 0, O to move\nOK: O at 1 0, X to move\n";
    for input in ["0 0\n1 0\n", "0 0\n1 0", "0 0\r\n1 0\r\n", "0 0\r\n1 0\r", "\u{feff}0 0\n1 0"] {
        noughts().write_stdin(input).assert().success().stdout(moves).stderr("");
    }
}

#[test]
fn the_exit_status_tells_whether_every_line_was_understood() {
    noughts().write_stdin("0 0\n0 0\nundo 5\n").assert().code(0).stderr("");
    noughts()
        .write_stdin("0 0\nudno\n1 1\n")
        .assert()
        .code(1)
        .stderr("")
        .stdout(contains("O at 1 1"));
}

#[test]
fn strict_stops_at_the_first_refusal() {
    let one = file("cli/strict_one", "0 0\n0 0\n1 1\n");
    let two = file("cli/strict_two", "0 0\n");
    let name = one.display();
    let expected = format!(
        "OK: X at 0 0, O to move\nINVALID_MOVE: {name}:2: 0 0 is taken by X; O to move\n\
         OK: X at 0 0, O to move\n"
    );
    noughts().arg("--strict").args([&one, &two]).assert().code(1).stdout(expected).stderr("");
    let win = "OK: X at 0 0, O to move\nOK: O at 1 0, X to move\nOK: X at 0 1, O to move\n\
               OK: O at 1 1, X to move\nWIN: X at 0 2 completes 0 0, 0 1, 0 2\n";
    noughts()
        .arg("--strict")
        .write_stdin("1\n4\n2\n5\n3\n")
        .assert()
        .code(0)
        .stdout(win)
        .stderr("");
}

#[test]
fn every_file_is_a_session_of_its_own() {
    let one = file("cli/session_one", "play 0 0\nquit\nplay 1 1");
    let two = file("cli/session_two", "play 0 0");
    let names = [one.to_str().unwrap(), two.to_str().unwrap()];
    let replies =
        "OK: X at 0 0, O to move\nOK: bye\nOK: X at 0 0, O to move\nOK: X at 2 2, O to move\n";
    noughts().args(names).arg("-").write_stdin("2 2").assert().success().stdout(replies).stderr("");
    let output =
        noughts().args(["-f", "json"]).args(names).arg("-").write_stdin("2 2").output().unwrap();
    let sources: Vec<String> = utf8(output.stdout)
        .lines()
        .map(|line| {
            assert!(line.starts_with("{\"source\":"), "{line}");
            let reply: serde_json::Value = serde_json::from_str(line).unwrap();
            reply["source"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(sources, [names[0], names[0], names[1], "-"]);
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_run() {
    let good = file("cli/good", "0 0\n");
    let missing = fresh("cli/missing");
    let folder = missing.parent().unwrap().to_owned();
    for bad in [&missing, &folder] {
        noughts()
            .args([bad, &good])
            .assert()
            .code(2)
            .stdout("OK: X at 0 0, O to move\n")
            .stderr(starts_with(format!("noughts: {}: ", bad.display())));
    }
}

#[test]
fn echo_writes_each_command_before_its_reply() {
    let script = "# comment\n\n  play 0,2 # corner\n1\nudno\u{1b}[1m\n";
    let replies = "> play 0,2\nOK: X at 0 2, O to move\n> 1\nOK: O at 0 0, X to move\n\
                   > udno\\u{1b}[1m\n\
                   BAD_COMMAND: line 5: unknown command \"udno\\u{1b}[1m\": \
                   \"help\" lists the commands\n";
    noughts().arg("--echo").write_stdin(script).assert().code(1).stdout(replies).stderr("");
}

#[test]
fn size_win_and_exact_shape_the_board() {
    for (flags, status) in [
        (&[][..], "3 x 3, 3 in a row"),
        (&["--size", "6x7"], "6 x 7, 6 in a row"),
        (&["-s", "15", "-k", "5"], "15 x 15, 5 in a row"),
        (&["--size=1x9", "--win=9", "--exact"], "1 x 9, exactly 9 in a row"),
        (&["--size", "1024"], "1024 x 1024, 1024 in a row"),
    ] {
        let reply = format!("OK: X to move, {status}, 0 moves, version 0\n");
        noughts().args(flags).write_stdin("status").assert().success().stdout(reply).stderr("");
    }
}

#[test]
fn wrong_usage_says_what_would_be_right() {
    for (flags, message) in [
        (&["--size", "0"][..], "cannot make a board of 0 x 0: sides must be 1 to 1024"),
        (&["--size", "1025"], "cannot make a board of 1025 x 1025: sides must be 1 to 1024"),
        (&["--win", "4"], "cannot line up 4 on a 3 x 3 board: k must be 1 to 3"),
        (&["--size", "three"], "found \"three\", expected a size such as 3 or 6x7"),
        (&["--format", "xml"], "[possible values: text, json]"),
        (&["--sizes", "3"], "--size"),
    ] {
        noughts()
            .args(flags)
            .write_stdin("0 0")
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    noughts().arg("--help").assert().success().stdout(contains("Usage: noughts")).stderr("");
    noughts().arg("--version").assert().success().stdout(starts_with("noughts 0.")).stderr("");
}

#[test]
fn a_driver_gets_each_reply_before_it_sends_the_next_command() {
    let mut child = driven([""; 0]);
    let mut commands = child.stdin.take().unwrap();
    let replies = BufReader::new(child.stdout.take().unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || replies.lines().try_for_each(|line| send.send(line.unwrap())));
    // The limit only turns a reply that never comes into a failure.
    let reply = || receive.recv_timeout(Duration::from_mins(1)).unwrap();
    commands.write_all(b"0 0\n").unwrap();
    assert_eq!(reply(), "OK: X at 0 0, O to move");
    commands.write_all(b"1 1\nundo\nstat").unwrap();
    assert_eq!(reply(), "OK: O at 1 1, X to move");
    assert_eq!(reply(), "OK: took back 1 1, O to move");
    commands.write_all(b"us\n").unwrap();
    assert_eq!(reply(), "OK: O to move, 3 x 3, 3 in a row, 1 move, version 3");
    commands.write_all(b"quit\n").unwrap();
    assert_eq!(reply(), "OK: bye");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let mut child = driven([""; 0]);
    let mut commands = child.stdin.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    drop(child.stdout.take());
    // Enough for many blocks; the program is free to stop reading at any point.
    let written = commands.write_all("play 0 0\nundo\n".repeat(100_000).as_bytes());
    drop((written, commands));
    assert!(child.wait().unwrap().success());
    let mut errors = String::new();
    stderr.read_to_string(&mut errors).unwrap();
    assert_eq!(errors, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_the_last_one() {
    let script = file("cli/to_a_full_disk", "0 0\n");
    let script = script.to_str().unwrap();
    for arguments in [&[script, "-"][..], &["bench"], &["--help"], &["--version"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = process().args(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = utf8(output.stderr);
        assert!(stderr.starts_with("noughts: standard output: No space left"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn a_failure_outweighs_a_line_that_was_not_understood() {
    let missing = fresh("cli/missing");
    let bad = file("cli/not_understood", "udno\n");
    let refused = file("cli/refused", "0 0\n0 0\n");
    noughts().args([&missing, &bad]).assert().code(2).stdout(contains("BAD_COMMAND"));
    noughts().args([&bad, &missing]).assert().code(2).stdout(contains("BAD_COMMAND"));
    noughts().arg("--strict").args([&missing, &refused]).assert().code(2);
}

#[test]
fn a_line_beyond_the_limit_is_skipped_and_costs_only_itself() {
    const MIB: usize = 1 << 20;
    let at_limit = format!("play 0 0 {}\n", " ".repeat(16 * MIB - "play 0 0 ".len()));
    let too_long = "BAD_COMMAND: line 1: the line is longer than 16777216 bytes: it was skipped\n";
    let after = "OK: X at 1 1, O to move\n";
    noughts().write_stdin(at_limit.clone()).assert().success().stdout("OK: X at 0 0, O to move\n");
    // Neither what is skipped nor what is stripped makes a long line shorter.
    let blanks = " ".repeat(16 * MIB);
    for long in [
        format!(" {at_limit}1 1"),
        format!("{}\n1 1\n", "9".repeat(40 * MIB)),
        format!("\u{feff}0 0{blanks}garbage\n1 1"),
        format!("\u{feff}{at_limit}1 1"),
        format!("0 0{}\rgarbage\n1 1", &blanks[3..]),
        format!("#{blanks}\n1 1"),
    ] {
        noughts()
            .write_stdin(long)
            .assert()
            .code(1)
            .stdout(format!("{too_long}{after}"))
            .stderr("");
    }
    let echoed = format!("> {}...\n{too_long}", "x".repeat(64));
    let endless = "x".repeat(17 * MIB);
    noughts().write_stdin(endless.clone()).assert().code(1).stdout(too_long).stderr("");
    noughts().arg("--echo").write_stdin(endless).assert().code(1).stdout(echoed).stderr("");
}

#[test]
fn limits_of_a_session_are_refused_and_change_nothing() {
    use std::fmt::Write as _;
    let mut script = String::new();
    for n in 0..10_000 {
        writeln!(script, "game g{n}").unwrap();
    }
    script.push_str("game\ngames\ndrop g0\ngame g9999\n");
    let output = noughts().write_stdin(script).output().unwrap();
    let replies = utf8(output.stdout);
    let replies: Vec<&str> = replies.lines().collect();
    assert!(replies[9_998].starts_with("OK: game g9998,"), "{}", replies[9_998]);
    let refused = "BAD_COMMAND: line 10000: a session holds 10000 games: \"drop\" one first";
    assert_eq!(replies[9_999], refused);
    assert!(replies[10_000].starts_with("OK: game g9998,"), "{}", replies[10_000]);
    assert!(replies[10_003].starts_with("OK: game g9999,"), "{}", replies[10_003]);

    let mut script = String::new();
    for n in 0..64 {
        writeln!(script, "game g{n}\nnew 1024 5").unwrap();
    }
    // One square in main, all the rest in the other games but for 1024 x 1024 less one.
    script.push_str("status\ndrop g0\nnew 1024 5\nstatus\ngame main\nnew 1\n");
    let output = noughts().write_stdin(script).output().unwrap();
    let replies = utf8(output.stdout);
    let replies: Vec<&str> = replies.lines().collect();
    let too_many =
        "that would make 67108873 squares in all games: at most 67108864, \"drop\" a game first";
    assert_eq!(replies[127], format!("BAD_COMMAND: line 128: {too_many}"));
    assert_eq!(replies[128], "OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0");
    assert_eq!(replies[129], "OK: dropped g0, now in g63");
    assert_eq!(replies[130], "OK: 1024 x 1024, 5 in a row, X to move");
    assert_eq!(replies[131], "OK: X to move, 1024 x 1024, 5 in a row, 0 moves, version 1");
}

#[test]
fn dropping_a_game_makes_room_and_never_too_much() {
    use std::fmt::Write as _;
    // Games of 1024 x 1024 and two small ones leave no room for one more large one.
    let mut script = String::from("game x\ndrop main\nnew 1\n");
    for n in 0..62 {
        writeln!(script, "game z{n}").unwrap();
    }
    script.push_str("game y\nnew 1\ngame z62\ngame x\ndrop x\ngame q\ngame z0\ndrop z0\ngame q\n");
    let output = noughts().args(["-s", "1024"]).write_stdin(script).output().unwrap();
    let replies = utf8(output.stdout);
    let replies: Vec<&str> = replies.lines().skip(65).collect();
    let too_many = |line: u32| {
        format!(
            "BAD_COMMAND: line {line}: that would make 67108865 squares in all games: \
             at most 67108864, \"drop\" a game first"
        )
    };
    assert_eq!(replies[2], "OK: game z62, 1024 x 1024, 1024 in a row, X to move");
    assert_eq!(replies[3], "OK: game x, 1 x 1, 1 in a row, X to move");
    // A fresh main would be too large.
    assert_eq!(replies[4], too_many(70));
    assert_eq!(replies[6], "OK: game z0, 1024 x 1024, 1024 in a row, X to move");
    assert_eq!(replies[7], "OK: dropped z0, now in main");
}

#[test]
fn the_first_game_starts_afresh_when_it_is_dropped() {
    noughts().write_stdin("0 0\ndrop main\nstatus\n").assert().success().stdout(
        "OK: X at 0 0, O to move\n\
             OK: dropped main, which starts afresh\n\
             OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0\n",
    );
}

#[test]
fn a_flag_that_is_wrong_is_told_what_would_be_right() {
    let whole = "expected a whole number from 0, of at most 64 bits";
    let players = "[possible values: human, random, rules, minimax, level1, level2, level3, level4, level5, \
                   level6, level7, level8, best]";
    for (flag, value, right) in [
        ("--win", "-1", whole),
        ("--nodes", "18446744073709551616", whole),
        ("--seed", "-1", whole),
        ("--time", "-1", "expected seconds, such as 0.5"),
        ("--size", "-3", "expected a size such as 3 or 6x7"),
        ("--x", "nobody", players),
        ("--o", "nobody", players),
    ] {
        let wrong = noughts().args([flag, value]).assert().code(2).stdout("");
        let said = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
        assert!(said.contains(flag) && said.contains(value) && said.contains(right), "{said}");
    }
    noughts().args(["--x", "RULES"]).assert().success();
}

#[cfg(unix)]
#[test]
fn a_search_ends_when_its_reader_goes_away() {
    for command in ["hint minimax", "hint best", "analyze", "go best"] {
        let mut child = process()
            .args(["--size", "3x4", "--win", "4", "--nodes", "1000000000000000"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut commands = child.stdin.take().unwrap();
        let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
        // Boards that take any search long.
        if command != "hint minimax" {
            commands.write_all(b"new 12 6\n").unwrap();
            replies.next().unwrap().unwrap();
        }
        commands.write_all(b"status\n").unwrap();
        replies.next().unwrap().unwrap();
        commands.write_all(command.as_bytes()).unwrap();
        commands.write_all(b"\n").unwrap();
        // The driver does not even close what it writes to.
        drop(replies);
        assert!(child.wait().unwrap().success(), "{command}");
    }
}

#[test]
fn no_time_at_all_is_enough_for_a_move_on_any_board() {
    for (size, win) in [("3", "3"), ("10", "5"), ("15", "5")] {
        for time in ["0", "0.0000000001", "0.001"] {
            let replies = noughts()
                .args(["--size", size, "--win", win, "--time", time])
                .write_stdin("play 1 1\nhint\ngo\n")
                .output()
                .unwrap();
            assert_eq!(replies.status.code(), Some(0), "{size}, {time}");
            let text = utf8(replies.stdout);
            assert!(text.lines().all(|line| line.starts_with("OK: ")), "{text}");
            assert_eq!(text.lines().count(), 3, "{text}");
        }
    }
}

#[test]
fn a_player_that_cannot_play_the_board_is_refused_at_the_start() {
    for (seat, size, free) in [("--x", "4", 16), ("--o", "15", 224)] {
        let error = format!(
            "noughts: minimax searches to the end, from at most 12 empty squares: {free} are empty\n"
        );
        let arguments = [seat, "minimax", "--size", size];
        noughts().args(arguments).write_stdin("0 0\n").assert().code(2).stdout("").stderr(error);
    }
    // Twelve squares are left when it is on turn.
    let arguments = ["--o", "minimax", "--size", "1x13", "--win", "1"];
    noughts().args(arguments).write_stdin("0 0\n").assert().code(0);
}

#[test]
fn a_computer_on_the_other_seat_moves_after_go_and_game_too() {
    let script = "seat O rules\ngo random\ngame other\nseat X rules\ngame main\nundo\n0 0\n";
    let output = noughts().write_stdin(script).output().unwrap();
    let said = utf8(output.stdout);
    let mut lines = said.lines();
    let mut next = || lines.next().unwrap_or_default();
    assert_eq!(next(), "OK: rules plays O");
    // `go` of X is answered by O, and X is a person.
    assert!(next().ends_with("O to move (random)"), "{said}");
    assert!(next().ends_with("X to move (rules)"), "{said}");
    assert_eq!(next(), "OK: game other, 3 x 3, 3 in a row, X to move");
}

#[test]
fn a_move_for_a_computer_and_a_computer_that_waits_are_told_of() {
    let script = "0 0\nseat O rules\nundo 2\nO 0 0\n0 1\nredo\nposition X../.../...\n0 1\n";
    let expected = "OK: X at 0 0, O to move\nOK: rules plays O\nOK: O at 1 1, X to move (rules)\n\
                    OK: took back 2 moves, X to move\n";
    let output = noughts().write_stdin(script).output().unwrap();
    let said = utf8(output.stdout);
    assert!(said.starts_with(expected), "{said}");
    assert!(said.contains("OK: 3 x 3, 3 in a row, O to move; \"go\" lets rules move\n"), "{said}");
    assert!(said.contains("OK: O at 0 1 for rules, X to move\n"), "{said}");
}

#[test]
fn completions_cover_every_flag() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = noughts().args(["completions", shell]).output().unwrap();
        let script = utf8(output.stdout);
        assert!(output.status.success(), "{shell}");
        for word in ["no-history", "strict", "completions", "bench", "minimax"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    noughts().args(["completions", "tcsh"]).assert().code(2);
}

/// Returns the text that the program writes, and checks that it succeeds.
fn text_of(args: &[&str]) -> String {
    let output = noughts().args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    utf8(output.stdout)
}

const TASKS: [&str; 9] =
    ["bench", "gomocup", "convert", "test", "match", "serve", "join", "completions", "man"];

#[test]
fn help_fits_the_terminal_and_never_takes_more_than_80_columns() {
    let tasks = TASKS.map(|task| [task, "--help"]);
    let asked = [&["-h"][..], &["--help"]].into_iter();
    for args in asked.chain(tasks.iter().map(<[_; 2]>::as_slice)) {
        for (columns, most) in [("40", 40), ("80", 80), ("200", 80)] {
            let output = noughts().env("COLUMNS", columns).args(args).output().unwrap();
            for line in utf8(output.stdout).lines() {
                assert!(line.chars().count() <= most, "{args:?}, {columns}: {line}");
            }
        }
    }
}

#[test]
fn the_manual_names_what_there_is() {
    let page = text_of(&["man"]);
    for word in [
        ".TH NOUGHTS 1 2",
        "\n[\\fB\\-f|\\-\\-format\\fR \\fItext|json\\fR]\n",
        "\n[\\fB\\-\\-color\\fR \\fIauto|always|never\\fR]\n\\fI[FILE]...\\fR\n",
        "no\\-history",
        "\n\\fBundo [N]\\fR\ntake back",
        "\nnoughts\\-gomocup(1)\n",
        "\n.SH EXAMPLES\n",
    ] {
        assert!(page.contains(word), "{word}: {page}");
    }
    for task in TASKS {
        let page = text_of(&["man", task]);
        let name = task.to_uppercase();
        assert!(page.contains(&format!(".TH NOUGHTS-{name} 1 2")), "{page}");
        assert!(page.contains(&format!("\n\\fBnoughts {task}\\fR\n")), "{page}");
    }
    noughts().args(["man", "nothing"]).assert().code(2).stderr(contains(
        "expected one of bench, gomocup, convert, test, match, serve, join, prove, completions, man",
    ));
}

#[test]
fn mandoc_has_nothing_to_say_on_the_manual() {
    let pages = TASKS.map(|task| vec!["man", task]);
    for args in [vec!["man"]].into_iter().chain(pages) {
        let path = file("cli/page.1", text_of(&args));
        let Ok(output) = process::Command::new("mandoc").args(["-T", "lint"]).arg(path).output()
        else {
            return;
        };
        assert_eq!(utf8(output.stdout), "", "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_completions_for_bash_are_a_script() {
    let output = noughts().args(["completions", "bash"]).output().unwrap();
    let Ok(mut bash) =
        process::Command::new("bash").args(["-n", "/dev/stdin"]).stdin(Stdio::piped()).spawn()
    else {
        return;
    };
    bash.stdin.take().unwrap().write_all(&output.stdout).unwrap();
    assert!(bash.wait().unwrap().success());
}

#[test]
fn a_file_name_in_a_message_is_printable() {
    let script = file("cli/a\u{1b}[31m\u{202e}\n.txt", "nonsense\n");
    let folder = script.parent().unwrap().display();
    let shown = format!("{folder}/a{}", r"\u{1b}[31m\u{202e}\n.txt");
    let output = noughts().arg(&script).output().unwrap();
    let start = format!("BAD_COMMAND: {shown}:1: unknown command \"nonsense\"");
    assert!(utf8(output.stdout).starts_with(&start), "{start}");
    for arguments in [&["--journal"][..], &[]] {
        let output = noughts().args(arguments).arg(script.join("x")).output().unwrap();
        let start = format!("noughts: {shown}/x: Not a directory");
        assert!(utf8(output.stderr).starts_with(&start), "{start}");
    }
}

#[test]
fn file_names_are_completed_where_a_file_belongs_and_nowhere_else() {
    let folder = fresh("cli/completion");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), "").unwrap();
    let script = folder.join("noughts.bash");
    fs::write(&script, noughts().args(["completions", "bash"]).output().unwrap().stdout).unwrap();
    for (flag, offers_files) in [
        ("--size", false),
        ("--win", false),
        ("--nodes", false),
        ("--time", false),
        ("--seed", false),
        ("--format", false),
        ("-f", false),
        ("--x", false),
        ("--journal", true),
    ] {
        let line = format!(
            "source {}; COMP_WORDS=(noughts {flag} ''); COMP_CWORD=2; \
             _noughts noughts '' {flag}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let bash = process::Command::new("bash").args(["-c", &line]).current_dir(&folder).output();
        let Ok(output) = bash else { return };
        let offered = utf8(output.stdout);
        assert_eq!(offered.lines().any(|word| word == "file"), offers_files, "{flag}: {offered}");
    }
    // The same in fish, where it is installed.
    let script = folder.join("noughts.fish");
    fs::write(&script, noughts().args(["completions", "fish"]).output().unwrap().stdout).unwrap();
    for (line, offered) in [
        ("--size ", ""),
        ("--win ", ""),
        ("--format ", "json text "),
        ("-f ", "json text "),
        (
            "--x ",
            "best human level1 level2 level3 level4 level5 level6 level7 level8 minimax random rules ",
        ),
        ("completions ", "bash elvish fish powershell zsh "),
    ] {
        let line = format!(
            "source {}; complete -C 'noughts {line}' | cut -f 1 | tr '\\n' ' '",
            script.display()
        );
        let fish = process::Command::new("fish").args(["-c", &line]).current_dir(&folder).output();
        let Ok(output) = fish else { return };
        assert_eq!(utf8(output.stdout), offered, "{line}");
    }
    // The same in zsh, where it is installed. A bell says that nothing is offered.
    let script = folder.join("_noughts");
    fs::write(&script, noughts().args(["completions", "zsh"]).output().unwrap().stdout).unwrap();
    for (line, offered) in [
        ("--size fi", "\u{7}"),
        ("--win fi", "\u{7}"),
        ("--format js", "json"),
        ("-f js", "json"),
        ("--x mini", "minimax"),
        ("--journal fi", "file"),
    ] {
        let keys = r#"
            zmodload zsh/zpty; zpty -b shell zsh -f
            zpty -w shell 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D'
            zpty -w shell 'bindkey "^I" complete-word; unset zle_bracketed_paste; echo rea""dy'
            until [[ $all == *ready* ]]; do zpty -r shell part; all+=$part; done
            zpty -n -w shell "noughts $0"$'\t'; all=
            until [[ $all == *(json|minimax|file|$'\a')* ]]; do zpty -r shell part; all+=$part; done
            print -r -- $all"#;
        let zsh =
            process::Command::new("zsh").args(["-fc", keys, line]).current_dir(&folder).output();
        let Ok(output) = zsh else { return };
        let shown = utf8(output.stdout);
        assert!(shown.contains(offered), "{line}: {shown:?}");
    }
}

#[test]
fn the_version_names_the_commit_where_there_is_one() {
    let output = noughts().arg("--version").output().unwrap();
    let version = utf8(output.stdout);
    let expected = concat!("noughts ", env!("CARGO_PKG_VERSION"));
    let commit = version.trim_end().strip_prefix(expected).unwrap();
    assert!(commit.is_empty() || commit.starts_with(" (") && commit.ends_with(')'), "{version}");
}
