//! Programs on seats: real processes, most of which misbehave.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::prompt::terminal;
use crate::support::{binary, driven, file, fresh, noughts, process, utf8};

/// A variable that all processes of a test inherit, by which those that are left are found.
const MARK: &str = "NOUGHTS_TEST_OF_PROGRAMS";

/// Lists the command lines of the processes that have the mark of a test. What has ended has none,
/// also where nobody has waited for it. Only Linux tells.
fn left(test: &str) -> Vec<String> {
    let mark = format!("{MARK}={test}");
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            left.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    left
}

/// Waits until the processes of a test are gone: one that was killed is there for a moment more.
fn assert_none_left(test: &str) {
    assert_left(test, 0);
}

/// Waits until so many processes of a test are left.
fn assert_left(test: &str, count: usize) {
    for _ in 0..1000 {
        if left(test).len() == count {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{test}: {:?}", left(test));
}

/// One kind of behaviour of a program that plays O.
struct Case {
    name: &'static str,
    flags: &'static [&'static str],
    /// Options of the entrant.
    options: &'static str,
    python: &'static str,
    shell: &'static str,
    input: &'static str,
    expected: &'static str,
}

impl Default for Case {
    fn default() -> Self {
        Self {
            name: "",
            flags: &[],
            options: "",
            python: "",
            shell: "",
            input: "0 0\n",
            expected: "",
        }
    }
}

/// Starts as every bot in Python does.
const PYTHON: &str = "import os, signal, sys, time\ndef say(text):\n    print(text, flush=True)\n";

fn has_python() -> bool {
    let version = Command::new("python3").arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

impl Case {
    /// Plays with the program in one language, and compares all that is written.
    fn check(&self, language: &str) {
        let (ending, start, source) = match language {
            "python3" => ("py", PYTHON, self.python),
            _ => ("sh", "", self.shell),
        };
        let test = format!("{}.{ending}", self.name);
        let bot = file(&format!("programs/{test}"), format!("{start}{source}\n"));
        let player = format!("name=bot,{}cmd:{language} '{}'", self.options, bot.display());
        let mut run = noughts();
        run.args(self.flags).args(["--o", &player]).env(MARK, &test).env_remove("PYTHONUNBUFFERED");
        let output = run.write_stdin(self.input).output().unwrap();
        assert_none_left(&test);
        assert_eq!(utf8(output.stderr), "", "{test}");
        assert_eq!(utf8(output.stdout), self.expected, "{test}");
        assert_eq!(output.status.code(), Some(0), "{test}");
    }
}

/// Checks the cases in all languages, some at a time.
fn check(cases: &[Case]) {
    const AT_ONCE: usize = 6;
    let languages = if has_python() { &["sh", "python3"][..] } else { &["sh"] };
    let runs: Vec<(&Case, &str)> =
        cases.iter().flat_map(|case| languages.iter().map(move |one| (case, *one))).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((case, language)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    case.check(language);
                }
            });
        }
    });
}

#[test]
fn a_program_plays_and_is_asked_on_its_turn() {
    check(&[Case {
        name: "first_free",
        python: "for line in sys.stdin:\n    board = line.split()[4].replace('/', '')\n    \
                 say('# thinking\\n')\n    say(board.index('.') + 1)",
        shell: "while read -r turn mark size k board moves; do\n\
                free=$(printf %s \"$board\" | tr -d / | sed 's/[.].*//' | wc -c)\n\
                echo '# thinking'; echo; echo $((free + 1)); done",
        input: "1 1\n0 2\nundo\nseat\nstatus\nseat swap\nseat X human\nseat\nundo 1\n2 2\n",
        expected: "OK: X at 1 1, O to move\n\
                   OK: O at 0 0, X to move (bot)\n\
                   OK: X at 0 2, O to move\n\
                   OK: O at 0 1, X to move (bot)\n\
                   OK: took back 2 moves, X to move\n\
                   OK: human plays X, bot plays O\n\
                   OK: X to move, 3 x 3, 3 in a row, 2 moves, version 5, human plays X, bot plays \
                   O\n\
                   OK: bot plays X, human plays O\n\
                   OK: X at 0 1, O to move (bot)\n\
                   OK: human plays X\n\
                   OK: human plays X, human plays O\n\
                   OK: took back 0 1, X to move\n\
                   OK: X at 2 2, O to move\n",
        ..Case::default()
    }]);
}

#[test]
fn a_program_is_told_everything_in_one_line() {
    let log = file("programs/told.log", "");
    let bot = format!(
        "cmd:sh -c 'while read -r l; do echo \"$l\" >&3; echo 2 2; done 3>>{}'",
        log.display()
    );
    let play = |flags: &[&str], input: &str| {
        let output = noughts().args(flags).args(["--o", &bot]).write_stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        fs::read_to_string(&log).unwrap()
    };
    assert_eq!(play(&[], "0 0\n"), "turn O 3x3 3 X../.../... 0 0\n");
    // The moves are those since the position; what is undone is forgotten.
    let input = "0 0\nundo\nposition XX.O/4/X2O/O3 4\n1 1\nposition X.O/.X./O.. 3\n0 1\n";
    let told = "turn O 3x3 3 X../.../... 0 0\nturn O 3x3 3 X../.../... 0 0\n\
                turn O 4x4 4 XX.O/.X../X..O/O... 1 1\nturn O 3x3 3 XXO/.X./O.. 0 1\n";
    assert_eq!(play(&[], input), told);
    fs::write(&log, "").unwrap();
    let told = "turn O 2x10 5 .........X/.......... 0 9 exact\n";
    assert_eq!(play(&["-s", "2x10", "-k", "5", "--exact"], "0 9\n"), told);
}

#[test]
fn an_answer_is_a_square_in_any_way_that_a_person_may_type_it() {
    for answer in ["2 0", "7", "a1", "play 2 0", "PLAY o A1 # sure", "(2,0)", "2,0\\r", "\\t2-0 "] {
        let player =
            format!("name=bot,time=1e18,cmd:sh -c 'read -r l; printf \"{answer}\\n\"; read -r l'");
        noughts()
            .args(["--o", &player])
            .write_stdin("0 0\n")
            .assert()
            .stdout("OK: X at 0 0, O to move\nOK: O at 2 0, X to move (bot)\n");
    }
    noughts()
        .args(["--rows", "top", "--o", "name=bot,cmd:sh -c 'read -r l; echo a1; read -r l'"])
        .write_stdin("1 1\n")
        .assert()
        .stdout("OK: X at 1 1, O to move\nOK: O at 0 0, X to move (bot)\n");
}

#[test]
fn a_program_that_does_not_answer_in_time_is_told_so() {
    check(&[
        Case {
            name: "silent",
            options: "time=0.2,",
            python: "time.sleep(60)",
            shell: "exec sleep 60",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 0.2 s: \
                       does it flush its output?; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "not_flushed",
            options: "time=1,",
            python: "for line in sys.stdin:\n    print('2 2')",
            shell: "read -r l; read -r l; echo 2 2",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 1 s, but \
                       \"2 2\" after its input was closed: it must flush its output after each \
                       line; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "half_a_line",
            options: "time=1,",
            python: "sys.stdin.readline()\nprint('2', end='', flush=True)\ntime.sleep(60)",
            shell: "read -r l; printf 2; exec sleep 60",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 1 s, only \
                       \"2\" without a line end; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "closes_its_input",
            options: "time=1,",
            python: "os.close(0)\ntime.sleep(60)",
            shell: "exec <&-; exec sleep 60",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 1 s: it \
                       has closed its input; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "comments_only",
            options: "time=0.2,",
            python: "while True:\n    say('# still thinking')",
            shell: "while :; do echo '# still thinking'; done",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 0.2 s: \
                       does it flush its output?; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "reads_nothing",
            flags: &["-s", "400", "-k", "5"],
            options: "time=0.2,",
            python: "time.sleep(60)",
            shell: "exec sleep 60",
            // The question is longer than a pipe holds.
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 0.2 s: \
                       does it flush its output?; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "ignores_term",
            options: "time=0.2,",
            python: "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
            shell: "trap '' TERM; exec sleep 60",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: no answer within 0.2 s: \
                       does it flush its output?; \"go\" asks again\n",
            ..Case::default()
        },
    ]);
}

#[test]
fn a_late_move_is_late_before_it_is_illegal() {
    let late = "sys.stdin.readline()\ntime.sleep(0.1)\nsay('0 0')";
    for (language, source) in [
        ("sh", ": >\"$1\"; read -r l; sleep 0.1; echo 0 0".to_owned()),
        ("python3", format!("{PYTHON}open(sys.argv[1], 'w').close()\n{late}")),
    ] {
        if language == "python3" && !has_python() {
            continue;
        }
        let (bot, ready) =
            (file(&format!("programs/late.{language}"), source), fresh("programs/on"));
        let words = format!("{language} '{}' '{}'", bot.display(), ready.display());
        let mut run = driven(["--o", &format!("name=bot,time=0.05,cmd:{words}")]);
        // Its start takes no time of its move.
        while !ready.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        run.stdin.take().unwrap().write_all(b"0 0\n").unwrap();
        let said = utf8(run.wait_with_output().unwrap().stdout);
        let (before, after) = said.split_once(" came after ").unwrap_or_default();
        let (seconds, after) = after.split_once(' ').unwrap();
        assert_eq!(before, "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: its move", "{said}");
        assert!(seconds.parse::<f64>().unwrap() >= 0.1, "{said}");
        assert_eq!(after, "s, later than 0.05 s; \"go\" asks again\n", "{said}");
    }
}

#[test]
fn a_program_that_ends_is_told_how() {
    check(&[
        Case {
            name: "exits_at_once",
            python: "",
            shell: "",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it ended with status 0 \
                       before it moved; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "fails",
            python: "sys.stderr.write('first\\nTraceback\\n  ValueError: \"x\"\\n\\n')\nsys.exit(3)",
            shell: "printf 'first\\nTraceback\\n  ValueError: \"x\"\\n\\n' >&2; exit 3",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it ended with status 3 \
                       before it moved; its standard error ends with \"ValueError: \\\"x\\\"\"; \
                       \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "dies_of_a_signal",
            python: "os.kill(os.getpid(), signal.SIGSEGV)",
            shell: "kill -SEGV $$",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it was ended by SIGSEGV \
                       before it moved; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "closes_its_output",
            python: "os.close(1)\ntime.sleep(60)",
            shell: "exec >&-; exec sleep 60",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it closed its output \
                       before it moved; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "half_a_line_at_the_end",
            python: "sys.stdin.readline()\nprint('2 2', end='')",
            shell: "read -r l; printf '2 2'",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it ended with status 0 \
                       after \"2 2\", which has no line end; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "exits_after_a_good_move",
            python: "sys.stdin.readline()\nsay('2 2')",
            shell: "read -r l; echo 2 2",
            input: "0 0\nundo\n0 0\ngo\n1 1\n",
            // The move counts, and it is started again when it is asked again.
            expected: "OK: X at 0 0, O to move\n\
                       OK: O at 2 2, X to move (bot)\n\
                       OK: took back 2 moves, X to move\n\
                       OK: X at 0 0, O to move\n\
                       NO_ANSWER: line 3: bot: it ended with status 0 before it moved; \"go\" \
                       asks again\n\
                       OK: O at 2 2, X to move (bot)\n\
                       OK: X at 1 1, O to move\n\
                       NO_ANSWER: line 5: bot: it ended with status 0 before it moved; \"go\" \
                       asks again\n",
            ..Case::default()
        },
        Case {
            name: "forks_a_child_that_holds_its_output",
            python: "if os.fork() == 0:\n    time.sleep(60)\nos._exit(4)",
            shell: "sleep 60 & exit 4",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: it ended with status 4 \
                       before it moved; \"go\" asks again\n",
            ..Case::default()
        },
    ]);
}

#[test]
fn a_program_that_answers_wrong_is_told_what_it_said() {
    check(&[
        Case {
            name: "taken",
            python: "sys.stdin.readline()\nsay('0 0')\nsys.stdin.readline()",
            shell: "read -r l; echo 0 0; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: its move \"0 0\": 0 0 is \
                       taken by X; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "off_the_board",
            python: "sys.stdin.readline()\nsay('3 0')\nsys.stdin.readline()",
            shell: "read -r l; echo 3 0; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: its move \"3 0\": 3 0 is \
                       off the board: rows and columns run from 0 to 2; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "no_move",
            python: "sys.stdin.readline()\nsay('I resign\\x1b')\nsys.stdin.readline()",
            shell: "read -r l; printf 'I resign\\033\\n'; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: \"I resign\\u{1b}\" is no \
                       move: expected a square such as 2 2; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "another_command",
            python: "sys.stdin.readline()\nsay('undo')\nsys.stdin.readline()",
            shell: "read -r l; echo undo; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: \"undo\" is no move: \
                       expected a square such as 2 2; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "for_the_other_side",
            python: "sys.stdin.readline()\nsay('play X 2 2')\nsys.stdin.readline()",
            shell: "read -r l; echo play X 2 2; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: \"play X 2 2\" moves for \
                       the other side: it is O's turn; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "not_utf_8",
            python: "sys.stdin.readline()\nos.write(1, b'\\xff' * 3 + b'\\n')\nsys.stdin.readline()",
            shell: "read -r l; printf '\\377\\377\\377\\n'; read -r l",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: \"\\xff\\xff\\xff\" is no \
                       move: expected a square such as 2 2; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "a_line_of_100_MB",
            python: "for _ in range(100):\n    os.write(1, b'2' * 1000000)\nsay('')",
            shell: "head -c 100000000 /dev/zero | tr '\\0' 2; echo",
            expected: "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: its answer is longer than \
                       65536 bytes; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "two_lines",
            python: "for line in sys.stdin:\n    say('2 2\\n2 1')",
            shell: "while read -r l; do printf '2 2\\n2 1\\n'; done",
            input: "0 0\n1 0\n",
            expected: "OK: X at 0 0, O to move\nOK: O at 2 2, X to move (bot)\n\
                       OK: X at 1 0, O to move\nNO_ANSWER: line 2: bot: \"2 1\" came before it was \
                       asked: expected one line a turn; \"go\" asks again\n",
            ..Case::default()
        },
        Case {
            name: "floods_standard_error",
            python: "sys.stdin.readline()\nfor _ in range(100):\n    os.write(2, b'flood\\n' * 20000)\n\
                     os.write(2, b'a' * 200)\nsay('0 0')",
            shell: "read -r l; yes flood | head -c 12000000 >&2\n\
                    head -c 200 /dev/zero | tr '\\0' a >&2; echo 0 0",
            expected: concat!(
                "OK: X at 0 0, O to move\nNO_ANSWER: line 1: bot: its move \"0 0\": 0 0 is taken \
                 by X; its standard error ends with \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"...; \"go\" asks again\n"
            ),
            ..Case::default()
        },
    ]);
}

#[test]
fn what_a_program_does_beside_its_moves_is_its_own_affair() {
    check(&[
        Case {
            name: "forks_a_child_that_stays",
            python: "if os.fork() == 0:\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    \
                     time.sleep(60)\nfor line in sys.stdin:\n    say('2 2')",
            shell: "(trap '' TERM; exec sleep 60) & while read -r l; do echo 2 2; done",
            expected: "OK: X at 0 0, O to move\nOK: O at 2 2, X to move (bot)\n",
            ..Case::default()
        },
        Case {
            name: "writes_after_the_end",
            python: "for line in sys.stdin:\n    say('2 2')\n    time.sleep(0.1)\n    say('2 1')",
            shell: "while read -r l; do echo 2 2; sleep 0.1; echo 2 1; done",
            flags: &["-k", "1"],
            input: "position 3/3/3 3\n0 0\nreplay 0 0\ngo rules\n",
            expected: "OK: 3 x 3, 3 in a row, X to move\n\
                       OK: X at 0 0, O to move\n\
                       OK: O at 2 2, X to move (bot)\n\
                       OK: X at 0 0, O to move; \"go\" lets bot move\n\
                       OK: O at 1 1, X to move (rules)\n",
            ..Case::default()
        },
        Case {
            name: "stays_after_its_input",
            python: "for line in sys.stdin:\n    say('2 2')\ntime.sleep(60)",
            shell: "while read -r l; do echo 2 2; done; exec sleep 60",
            expected: "OK: X at 0 0, O to move\nOK: O at 2 2, X to move (bot)\n",
            ..Case::default()
        },
    ]);
}

#[test]
fn a_program_that_cannot_be_started_is_an_error_of_usage() {
    let plain = file("programs/plain", "echo 2 2\n");
    let script = file("programs/script", "#!/nowhere/python3\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let (plain, script) = (plain.display(), script.display());
    for (command, message) in [
        ("./nothing here".to_owned(), "the program \"./nothing\" cannot be found".to_owned()),
        (
            "no-such-program".to_owned(),
            "the program \"no-such-program\" cannot be found".to_owned(),
        ),
        (
            format!("'{plain}'"),
            format!(
                "the program \"{plain}\" is not executable: \"chmod +x\" makes it so, or the \
                 command names its interpreter first"
            ),
        ),
        (
            format!("'{script}'"),
            format!(
                "the program that the first line of \"{script}\" names after \"#!\" cannot be found"
            ),
        ),
    ] {
        let message = shortened(&message);
        noughts()
            .args(["--x", &format!("name=a,time=1,cmd:{command}")])
            .write_stdin("0 0\n")
            .assert()
            .code(2)
            .stdout("")
            .stderr(format!("noughts: --x: {message}\n"));
    }
    for (player, found) in [
        (
            "cmd:",
            "found the command \"\", expected a program and its arguments, every quote closed",
        ),
        (
            "name=best,cmd:a",
            "found the name \"best\", expected up to 64 bytes of printable text, and none of the computer players' names",
        ),
        ("name=a,best", "a computer player on a seat takes no options"),
    ] {
        let message = format!(
            "error: invalid value '{player}' for '--x <PLAYER>': {found}\n\nFor more information, \
             try '--help'.\n"
        );
        noughts().args(["--x", player]).assert().code(2).stdout("").stderr(message);
    }
}

/// Cuts quoted paths to 64 bytes, as messages do.
fn shortened(message: &str) -> String {
    let cut = |(nth, part): (usize, &str)| match part.get(..64) {
        Some(start) if nth % 2 == 1 && part.len() > 64 => format!("{start}\"..."),
        _ if nth % 2 == 1 => format!("{part}\""),
        _ => part.to_owned(),
    };
    let parts: Vec<String> = message.split('"').enumerate().map(cut).collect();
    let mut text = String::new();
    for (nth, part) in parts.iter().enumerate() {
        text.push_str(part);
        text.push_str(if nth % 2 == 0 && nth + 1 < parts.len() { "\"" } else { "" });
    }
    text
}

#[test]
fn json_names_the_program_and_the_cause() {
    let bot = "name=a \"b\",cmd:sh -c 'read -r l; echo 2 2; read -r l; echo x; read -r l'";
    let expected = r#"{"line":1,"command":"play","result":"OK","mark":"X","row":0,"col":0,"game":"main","version":1,"turn":"O","winner":null,"over":false}
{"line":1,"command":"go","result":"OK","mark":"O","row":2,"col":2,"player":"a \"b\"","value":"unknown","plies":null,"nodes":0,"game":"main","version":2,"turn":"X","winner":null,"over":false}
{"line":2,"command":"play","result":"OK","mark":"X","row":0,"col":1,"game":"main","version":3,"turn":"O","winner":null,"over":false}
{"line":2,"command":"go","result":"NO_ANSWER","reason":"garbled","message":"a \"b\": \"x\" is no move: expected a square such as 2 2","game":"main","version":3,"turn":"O","winner":null,"over":false}
{"line":3,"command":"seat","result":"OK","x":"human","o":"a \"b\"","game":"main","version":3,"turn":"O","winner":null,"over":false}
"#;
    noughts()
        .args(["--format", "json", "--o", bot])
        .write_stdin("0 0\n0 1\nseat\n")
        .assert()
        .success()
        .stdout(expected)
        .stderr("");
}

#[test]
fn no_line_of_a_script_or_a_journal_starts_a_program() {
    for word in ["cmd:touch", "name=a,cmd:touch", "gomocup:touch"] {
        noughts().write_stdin(format!("seat X {word}\n")).assert().code(1).stdout(format!(
            "BAD_COMMAND: line 1: found \"{}\", expected human, random, rules, minimax, level1 to \
             level8 or best\n",
            word.split(',').next().unwrap()
        ));
    }
    let folder = fresh("programs/flags");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.noughts"), "# noughts --x name=a,cmd:touch\n0 0  #= OK\n").unwrap();
    noughts().arg("test").current_dir(&folder).assert().code(1).stdout(
        "FAIL a.noughts\na.noughts:1: a test starts no program: found \"a\", expected a computer \
         player\n0 passed, 1 failed\n",
    );
    // A journal has the moves of a program, and not its seat.
    let journal = fresh("programs/journal");
    let bot = "name=bot,cmd:sh -c 'read -r l; echo 2 2; read -r l'";
    let play = |input: &str, arguments: &[&str]| {
        let run =
            noughts().arg("--journal").arg(&journal).args(arguments).write_stdin(input).output();
        utf8(run.unwrap().stdout)
    };
    play("0 0\nseat swap\nseat swap\n", &["--o", bot]);
    let kept = "# noughts journal 1 --size 3x3 --win 3\nplay X 0 0 @0\nplay O 2 2 @1\n";
    assert!(fs::read_to_string(&journal).unwrap().starts_with(kept));
    assert_eq!(play("seat\n", &[]), "OK: human plays X, human plays O\n");
    assert_eq!(play("seat\n", &["--o", bot]), "OK: human plays X, bot plays O\n");
}

/// Waits until so many processes of a test are there, this program among them.
fn wait_for(test: &str, count: usize) {
    for _ in 0..6000 {
        if left(test).len() >= count {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{test}: only {:?}", left(test));
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_that_ends_the_program_ends_those_on_the_seats() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let test = format!("signal.{signal}");
        let mut command = process();
        // One is being asked, and the other one ignores what it can.
        command.args([
            "--x",
            "cmd:sleep 60",
            "--o",
            "cmd:sh -c 'trap \"\" TERM HUP INT; sleep 60'",
        ]);
        command.env(MARK, &test).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait_for(&test, 3);
        send(&child, signal);
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        assert_none_left(&test);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn programs_that_obey_end_with_a_program_that_is_killed() {
    let test = "killed";
    let mut command = process();
    command.args(["--x", "cmd:sort", "--o", "cmd:sort"]).env(MARK, test);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    wait_for(test, 3);
    send(&child, "KILL");
    child.wait().unwrap();
    assert_none_left(test);
}

#[test]
#[cfg(target_os = "linux")]
fn at_the_prompt_ctrl_c_gives_up_a_program_and_leaving_ends_it() {
    for leaves_by_signal in [false, true] {
        let test = format!("prompt.{leaves_by_signal}");
        let bot = "name=bot,cmd:sh -c 'read -r l; exec sleep 60'";
        let flags = ["--no-history", "--color", "never", "--o", bot];
        let mut prompt = terminal("rows 24 cols 80", &[(MARK, &test)], &flags);
        prompt.exp_string("X> ").unwrap();
        prompt.send_line("0 0").unwrap();
        // It is waited for as for a search.
        prompt.exp_string("searching (Ctrl-C stops)").unwrap();
        prompt.send_control('c').unwrap();
        prompt.exp_string("NO_ANSWER: stopped before there was an answer").unwrap();
        prompt.exp_string("the game is as it was; \"go\" goes on with the game").unwrap();
        prompt.exp_string("O> ").unwrap();
        assert_left(&test, 1);
        prompt.send_line("go").unwrap();
        prompt.exp_string("searching (Ctrl-C stops)").unwrap();
        if leaves_by_signal {
            prompt.process_mut().signal(Signal::SIGTERM).unwrap();
        } else {
            prompt.send_control('c').unwrap();
            prompt.exp_string("O> ").unwrap();
            prompt.send_line("quit").unwrap();
        }
        prompt.exp_eof().unwrap();
        assert_none_left(&test);
    }
}

#[test]
fn the_bots_of_the_page_play_whole_games() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bots.md");
    let page = fs::read_to_string(page).unwrap();
    for language in ["sh", "perl"] {
        if Command::new(language).args(["-e", ""]).stdin(Stdio::null()).output().is_err() {
            continue;
        }
        let block = page.split(&format!("```{language}\n")).nth(1).unwrap();
        let source = block.split("```").next().unwrap();
        let bot = file(&format!("programs/page.{language}"), source);
        let bot = format!("name=bot,cmd:{language} '{}'", bot.display());
        for seed in ["0", "1"] {
            let run = noughts().args(["--x", &bot, "--o", "random", "--seed", seed]).output();
            let said = utf8(run.unwrap().stdout);
            let end = said.lines().last().unwrap();
            assert!(end.starts_with("WIN: ") || end.starts_with("DRAW: "), "{language}: {said}");
        }
    }
}

/// An engine of the Gomocup protocol that notes what it is told, and answers by these lines of a
/// shell's `case`.
fn engine(name: &str, answers: &str) -> (String, PathBuf) {
    let log = file(&format!("programs/{name}.log"), "");
    let source = format!(
        "while read -r line; do echo \"$line\" >>'{}'\ncase \"$line\" in\n{answers}\nesac; done",
        log.display()
    );
    let path = file(&format!("programs/{name}.sh"), source);
    (format!("name=engine,gomocup:sh '{}'", path.display()), log)
}

#[test]
fn an_engine_is_told_what_it_does_not_know() {
    let (engine, log) = engine(
        "knows",
        "RECTSTART*) echo MESSAGE hello; echo OK;; BEGIN) echo 0,0;; \
         TURN*) echo DEBUG hm; echo 3,2;; DONE) echo ' 6 , 4 ';;",
    );
    let engine = format!("time=30,{engine}");
    let input = "1 1\nundo\n0 1\nnew\nposition O6/7/7/7/X6 5\ngo\nnew 5x7 4\n";
    noughts()
        .args(["-s", "5x7", "-k", "5", "--exact", "--x", &engine])
        .write_stdin(input)
        .assert()
        .success()
        .stderr("")
        .stdout(
            "OK: X at 0 0, O to move (engine)\n\
             OK: O at 1 1, X to move\n\
             OK: X at 2 3, O to move (engine)\n\
             OK: took back 2 moves, O to move\n\
             OK: O at 0 1, X to move\n\
             OK: X at 4 6, O to move (engine)\n\
             OK: 5 x 7, exactly 5 in a row, X to move\n\
             OK: X at 0 0, O to move (engine)\n\
             OK: 5 x 7, exactly 5 in a row, X to move; \"go\" lets engine move\n\
             OK: X at 4 6, O to move (engine)\n\
             OK: 5 x 7, exactly 4 in a row, X to move\n\
             NO_ANSWER: line 7: engine: the Gomocup protocol has 5 in a row alone: found k = 4\n",
        );
    let start = "INFO timeout_turn 30000\nINFO max_memory 0\nINFO rule 1\nRECTSTART 7,5\n";
    let games = [
        "BEGIN\nTURN 1,1\n",
        "BOARD\n0,0,1\n1,0,2\nDONE\n",
        "BEGIN\n",
        "BOARD\n0,0,2\n0,4,1\nDONE\n",
    ];
    let expected: String = games.map(|game| format!("{start}{game}")).concat();
    assert_eq!(fs::read_to_string(log).unwrap(), expected + "END\n");
}

#[test]
fn an_engine_that_does_not_play_a_board_has_not_lost_a_game() {
    let why = "it does not play on this board: \"START 15\" got";
    for (name, flags, answers, message) in [
        (
            "size",
            &["-k", "5"][..],
            "START*) echo 'ERROR only 20';;",
            format!("{why} \"ERROR only 20\""),
        ),
        (
            "unknown",
            &["-k", "5"],
            "START*) echo 'UNKNOWN command';;",
            format!("{why} \"UNKNOWN command\""),
        ),
        (
            "rule",
            &["-k", "5", "--exact"],
            "*rule*) echo 'ERROR rule';; START*) echo OK;;",
            format!("{why} \"ERROR rule\""),
        ),
        (
            "ends",
            &["-k", "5"],
            "START*) echo oops >&2; exit 7;;",
            "it ended with status 7 before it answered \"START 15\", expected OK; its standard \
             error ends with \"oops\""
                .to_owned(),
        ),
        (
            "four",
            &["-k", "4"],
            "START*) echo OK;;",
            "the Gomocup protocol has 5 in a row alone: found k = 4".to_owned(),
        ),
    ] {
        let (engine, _) = engine(name, answers);
        noughts()
            .args(["-s", "15", "--o", &engine])
            .args(flags)
            .write_stdin("7 7\n")
            .assert()
            .code(2)
            .stdout("")
            .stderr(format!("noughts: --o: engine: {message}\n"));
    }
    // A setting that does not matter may be unknown.
    let (engine, _) =
        engine("memory", "*memory*) echo UNKNOWN;; START*) echo OK;; TURN*) echo 7,7;;");
    noughts()
        .args(["-s", "15", "-k", "5", "--o", &engine])
        .write_stdin("7 7\n")
        .assert()
        .success()
        .stderr("")
        .stdout(
            "OK: X at 7 7, O to move\nNO_ANSWER: line 1: engine: its move \"7,7\": 7 7 is taken by \
             X; \"go\" asks again\n",
        );
}

#[test]
fn this_program_plays_itself_as_an_engine() {
    let engine = format!("name=self,gomocup:'{}' gomocup", binary().display());
    let run = noughts()
        .args(["-s", "9", "-k", "5", "--x", &format!("time=0.05,{engine}"), "--o", "level1"])
        .write_stdin("moves\n")
        .output()
        .unwrap();
    let said = utf8(run.stdout);
    // Whoever answers in time wins against a player that overlooks most squares.
    let end = said.lines().rev().nth(1).unwrap();
    assert!(end.starts_with("WIN: X at "), "{said}");
    assert!(end.ends_with(" (self)"), "{said}");
}
