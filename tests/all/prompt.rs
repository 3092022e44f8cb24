//! The prompt, in a terminal of its own.
#![cfg(unix)]

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use noughts::command::Command as Line;
use noughts::limit::Wish;
use noughts::reply::Code;
use noughts::search::Progress;
use noughts::session::{Session, Setup};
use rexpect::session::{PtySession, spawn_command};

use crate::support::{binary, fresh, noughts, utf8};

/// The longest wait for a text, in milliseconds, far more than any machine needs.
const TIMEOUT: Option<u64> = Some(60_000);

/// Makes a folder for the state of one test.
fn state(test: &str) -> PathBuf {
    let folder = fresh(&format!("prompt/{test}"));
    fs::create_dir(&folder).unwrap();
    folder
}

/// Starts the program in a terminal of this size, with these variables and arguments.
pub fn terminal(size: &str, variables: &[(&str, &str)], arguments: &[&str]) -> PtySession {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("stty {size} && exec \"$0\" \"$@\"")])
        .arg(binary())
        .args(arguments)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .envs(variables.iter().copied());
    spawn_command(command, TIMEOUT).unwrap()
}

/// Starts the program in a usual terminal, without colour and history.
fn plain(arguments: &[&str]) -> PtySession {
    let arguments = [&["--color", "never", "--no-history"], arguments].concat();
    terminal("cols 80 rows 24", &[], &arguments)
}

/// Types these keys, and no Enter after them.
fn press(session: &mut PtySession, keys: &str) {
    session.send(keys).unwrap();
    session.flush().unwrap();
}

/// Reads on until the program ends, and checks its status. Returns what it read.
fn end_with(status: i32, mut session: PtySession) -> String {
    let rest = session.exp_eof().unwrap();
    let ended = format!("{:?}", session.process().wait().unwrap());
    let status = format!(", {status})");
    assert!(ended.starts_with("Exited") && ended.ends_with(&status), "{ended}: {rest}");
    rest
}

/// Spells a text as the terminal's reader has it, which takes each byte for a character.
fn as_read(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

pub fn end(session: PtySession) -> String {
    end_with(0, session)
}

#[test]
fn it_greets_and_says_who_moves() {
    let mut session = plain(&[]);
    let greeting = session.exp_string("    0 1 2\r\n  0 . . .").unwrap();
    assert_eq!(greeting.trim_end().lines().count(), 2, "{greeting}");
    assert!(greeting.contains("\"help\"") && greeting.contains("\"quit\""), "{greeting}");
    session.exp_string("X> ").unwrap();
    session.send_line("1 1").unwrap();
    session.exp_string("OK: X at 1 1, O to move\r\n").unwrap();
    session.exp_string("    0 1 2\r\n  0 . . .\r\n  1 .[X].\r\n  2 . . .\r\n").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_line("1 1").unwrap();
    session.exp_string("INVALID_MOVE: 1 1 is taken by X; O to move\r\n").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_line("game second").unwrap();
    session.exp_string("second X> ").unwrap();
    session.send_line("quit").unwrap();
    session.exp_string("OK: bye\r\n").unwrap();
    end(session);
}

#[test]
fn the_session_of_the_page_is_what_a_terminal_shows() {
    /// The key Ctrl-U.
    const CLEAR: &str = "\u{15}";
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/prompt.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, shown) = page.split_once("```text\n$ noughts ").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let mut lines = shown.lines();
    let arguments: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let mut session = plain(&arguments);
    for line in lines {
        let Some((prompt, typed)) = line.split_once("> ") else {
            session.exp_string(&format!("{line}\r\n")).unwrap();
            continue;
        };
        session.exp_string(&format!("{prompt}> ")).unwrap();
        match typed.split_once("  # ") {
            Some((typed, hint)) => {
                press(&mut session, typed);
                session.exp_string(hint).unwrap();
                press(&mut session, CLEAR);
            }
            None => session.send_line(typed).map(|_| ()).unwrap(),
        }
    }
    session.send_line("quit").unwrap();
    session.exp_string("OK: bye\r\n").unwrap();
    end(session);
}

#[test]
fn lines_fold_at_blanks_where_the_terminal_is_narrow() {
    for cols in [1, 20, 40, 79] {
        let mut session = terminal(&format!("cols {cols} rows 12"), &[], &["--no-history"]);
        session.exp_string("\u{1b}[?2004h").unwrap();
        for line in ["help", "hint 2", "status", "play z"] {
            session.send_line(line).unwrap();
            session.exp_string("\u{1b}[?2004l").unwrap();
            let shown = session.exp_string("\u{1b}[?2004h").unwrap();
            let widest = shown.lines().map(|line| line.trim_start_matches('\r').len()).max();
            assert!(widest <= Some(cols), "{cols}: {shown}");
            let whole = noughts().write_stdin(format!("{line}\n")).assert();
            let whole = utf8(whole.get_output().stdout.clone()).replace(" line 1:", "");
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&shown), letters(&whole), "{cols}");
        }
        session.send_line("quit").unwrap();
        end(session);
    }
}

#[test]
fn after_the_end_the_lines_are_set_off_and_it_says_how_to_go_on() {
    let mut session = plain(&["--o", "rules"]);
    session.exp_string("X> ").unwrap();
    session.send_line("0 0").unwrap();
    session.exp_string("OK: X at 0 0, O to move\r\nOK: O at 1 1, X to move (rules)\r\n").unwrap();
    session.exp_string("    0 1 2\r\n  0 X . .\r\n  1 .[O].\r\n").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_line("replay 1 1 0 0 0 1 0 2 2 1").unwrap();
    session.exp_string("WIN: X at 2 1 completes 0 1, 1 1, 2 1\r\n").unwrap();
    session.exp_string("  0 O[X]O\r\n  1 .[X].\r\n  2 .[X].\r\n\"undo\" takes it back").unwrap();
    session.exp_string("> ").unwrap();
    session.send_line("replay 0 0 1 0 0 1 1 1 0 2").unwrap();
    session.exp_string("  0[X X X]\r\n  1 O O .").unwrap();
    session.send_line("new").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn the_up_arrow_brings_lines_back_in_the_next_run_too() {
    const UP: &str = "\x1b[A";
    let state = state("up");
    let variables = [("XDG_STATE_HOME", state.to_str().unwrap())];
    let mut session = terminal("cols 80", &variables, &["--color", "never"]);
    session.exp_string("X> ").unwrap();
    session.send_line("2 2").unwrap();
    session.exp_string("O> ").unwrap();
    press(&mut session, &format!("{UP}\r"));
    session.exp_string("INVALID_MOVE: 2 2 is taken").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_control('d').unwrap();
    end(session);

    let history = state.join("noughts/history");
    let mode = fs::metadata(&history).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let kept = fs::read(&history).unwrap();
    let mut session = terminal("cols 80", &variables, &["--color", "never"]);
    session.exp_string("X> ").unwrap();
    press(&mut session, &format!("{UP}\r"));
    session.exp_string("OK: X at 2 2").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_control('d').unwrap();
    end(session);

    let mut session = terminal("cols 80", &variables, &["--color", "never", "--no-history"]);
    session.exp_string("X> ").unwrap();
    session.send_line("status").unwrap();
    session.exp_string("OK: X to move").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
    assert_eq!(fs::read(&history).unwrap(), kept);
}

#[test]
fn tab_completes_commands_players_and_games() {
    let mut session = plain(&[]);
    for (typed, reply) in [
        ("se\to\tbe\t", "OK: best plays O"),
        ("game al\t", "OK: game al,"),
        ("game m\t", "OK: game main,"),
        ("game a\t", "OK: game al,"),
        ("help pe\t", "OK: perft DEPTH"),
        // There is nothing to complete in a move: a tab is a blank.
        ("pl\t2\t1", "OK: X at 2 1"),
        ("ana\t", "OK: X to move: +"),
    ] {
        session.exp_string("> ").unwrap();
        press(&mut session, &format!("{typed}\r"));
        session.exp_string(reply).unwrap();
    }
    session.exp_string("X> ").unwrap();
    press(&mut session, "re\t\t");
    session.exp_regex("redo .*replay").unwrap();
    press(&mut session, "\x15undo");
    session.exp_string("# [N] [@VERSION]").unwrap();
    press(&mut session, "\r");
    session.exp_string("OK: took back 2 moves").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn ctrl_c_clears_a_line_and_on_an_empty_one_says_how_to_leave() {
    let mut session = plain(&[]);
    session.exp_string("X> ").unwrap();
    press(&mut session, "0 0");
    session.exp_string("0 0").unwrap();
    session.send_control('c').unwrap();
    let cleared = session.exp_string("X> ").unwrap();
    assert!(!cleared.contains("quit"), "{cleared}");
    session.send_control('c').unwrap();
    session.exp_string("\"quit\" or Ctrl-D leaves").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_line("status").unwrap();
    session.exp_string("0 moves, version 0").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn ctrl_c_stops_a_search_and_keeps_the_game() {
    const ERASED: &str = "\r\u{1b}[K";
    // Nobody lines up four here, so the textbook search sees some hundred million boards.
    let game = ["--size", "3x4", "--win", "4", "--nodes", "1000000000000"];
    let mut session = plain(&game);
    for command in ["go minimax", "hint minimax", "seat X minimax"] {
        session.exp_string("X> ").unwrap();
        session.send_line(command).unwrap();
        session.exp_regex(r"searching \(Ctrl-C stops\): .*depth 12, [0-9]+ nodes").unwrap();
        session.send_control('c').unwrap();
        let stopped = "NO_ANSWER: stopped before there was an answer\r\n";
        let line = session.exp_string(stopped).unwrap();
        assert!(line.ends_with(ERASED), "{line:?}");
        // Only whoever waits for a seated computer is told how it goes on.
        let how = match command {
            "seat X minimax" => "the game is as it was; \"go\" goes on with the game\r\n",
            _ => "the game is as it was\r\n",
        };
        assert_eq!(session.exp_string(how).unwrap(), "");
        session.exp_string("X> ").unwrap();
        session.send_line("status").unwrap();
        session.exp_string("OK: X to move, 3 x 4, 4 in a row, 0 moves, version 0").unwrap();
    }
    session.exp_string("X> ").unwrap();
    session.send_line("go random").unwrap();
    session.exp_string("OK: X at").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn after_the_prompt_ctrl_c_ends_the_program_again() {
    let dir = state("after_the_prompt");
    let [short, endless] = [("short", "games"), ("endless", "hint minimax")].map(|(name, text)| {
        let path = dir.join(name).into_os_string().into_string().unwrap();
        fs::write(&path, text).unwrap();
        path
    });
    let game = ["--size", "3x4", "--win", "4", "--nodes", "1000000000000"];
    let mut session = plain(&[&game[..], &["-", &short, &endless]].concat());
    session.exp_string("X> ").unwrap();
    session.send_line("quit").unwrap();
    // The prompt is over where the next script has been answered.
    session.exp_string("OK: main").unwrap();
    session.send_control('c').unwrap();
    session.exp_eof().unwrap();
    let ended = format!("{:?}", session.process().wait().unwrap());
    assert!(ended.contains("SIGINT"), "{ended}");
}

#[test]
fn leaving_is_no_failure_whatever_was_typed() {
    for leave in ["\x04", "quit\r"] {
        let mut session = plain(&[]);
        session.exp_string("X> ").unwrap();
        session.send_line("nonsense").unwrap();
        session.exp_string("BAD_COMMAND: unknown command \"nonsense\"").unwrap();
        session.exp_string("X> ").unwrap();
        press(&mut session, leave);
        end(session);
    }
    let mut session = plain(&["--strict"]);
    session.exp_string("X> ").unwrap();
    session.send_line("nonsense").unwrap();
    end_with(1, session);
}

#[test]
fn a_pasted_script_is_answered_line_by_line() {
    let script = "0 0 # a corner\n1\t1\n\n0,1\r1 2\n";
    // A terminal may bracket what is pasted, and then waits for Enter, or not.
    for paste in [format!("\x1b[200~{script}0 2\x1b[201~\r"), format!("{script}0 2\n")] {
        let mut session = plain(&[]);
        session.exp_string("X> ").unwrap();
        press(&mut session, &paste);
        for reply in [
            "OK: X at 0 0",
            "OK: O at 1 1",
            "OK: X at 0 1",
            "OK: O at 1 2",
            "WIN: X at 0 2 completes 0 0, 0 1, 0 2",
            "\"new\" starts again",
        ] {
            session.exp_string(reply).unwrap();
        }
        session.exp_string("> ").unwrap();
        session.send_control('d').unwrap();
        end(session);
    }
}

#[test]
fn long_lines_and_any_bytes_are_answered() {
    let mut session = plain(&[]);
    session.exp_string("X> ").unwrap();
    press(&mut session, &format!("\x1b[200~{}\x1b[201~\r", "9".repeat(20_000)));
    session.exp_string("BAD_COMMAND: found\r\n  \"999").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_line("játék 五目並べ").unwrap();
    session.exp_string(&as_read("BAD_COMMAND: unknown command \"játék\"")).unwrap();
    session.exp_string("X> ").unwrap();
    session.send_line("game 五目並べ").unwrap();
    session.exp_string(&as_read("五目並べ X> ")).unwrap();
    session.send_control('d').unwrap();
    end(session);
}

/// Plays a game at a terminal, with these variables and flags. Returns all that is written.
fn whole_game(size: &str, variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let arguments = [&["--no-history"], arguments].concat();
    let mut session = terminal(size, variables, &arguments);
    press(&mut session, "1 1\r0 0\rquit\r");
    end(session)
}

#[test]
fn colour_follows_the_flag_and_no_color() {
    const STYLES: [&str; 3] = ["\x1b[1m", "\x1b[2m", "\x1b[35m"];
    for (no_color, color, is_styled) in [
        (false, "auto", true),
        (true, "auto", false),
        (false, "never", false),
        (false, "always", true),
        (true, "always", true),
    ] {
        let variables: &[_] = if no_color { &[("NO_COLOR", "1")] } else { &[] };
        let seen = whole_game("cols 80", variables, &["--color", color]);
        assert!(seen.contains("OK: O at 0 0"), "{seen}");
        for style in STYLES {
            let case = format!("{variables:?} {color}: {style:?} in {seen:?}");
            assert_eq!(seen.contains(style), is_styled, "{case}");
        }
    }
}

#[test]
fn a_narrow_terminal_shows_the_part_around_the_last_move() {
    let seen = whole_game("cols 20 rows 10", &[], &["--color=never", "--size=19", "--win=5"]);
    assert!(seen.contains("   1  . [X] .  .  .\r\n"), "{seen}");
    assert!(seen.contains("      0  1  2  3  4\r\n   0 [O] .  .  .  .\r\n"), "{seen}");
    assert!(!seen.contains("  5  6"), "{seen}");
    assert!(seen.contains(".\r\n\"board\" draws all\r\n"), "{seen}");
}

#[test]
fn a_board_that_just_fits_is_drawn_whole() {
    let seen = whole_game("cols 80 rows 24", &[], &["--color=never", "--size=20"]);
    assert!(seen.contains("\r\n   0  ."), "{seen}");
    assert!(seen.contains("\r\n  19  ."), "{seen}");
    assert!(!seen.contains("draws all"), "{seen}");
}

#[test]
fn going_on_from_a_journal_says_so() {
    let dir = state("journal");
    let journal = dir.join("journal");
    let arguments = ["--journal", journal.to_str().unwrap()];
    let mut session = plain(&arguments);
    session.exp_string("noughts, 3 in a row: type").unwrap();
    session.exp_string("X> ").unwrap();
    session.send_line("1 1").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
    let mut session = plain(&arguments);
    session.exp_string("noughts, 3 in a row, going on after 1 move: type").unwrap();
    session.exp_string("[X]").unwrap();
    session.exp_string("O> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn what_a_command_takes_is_shown_until_it_is_there() {
    let mut session = plain(&[]);
    session.exp_string("X> ").unwrap();
    press(&mut session, "seat O ");
    session.exp_string("seat O   # [MARK PLAYER|swap]").unwrap();
    press(&mut session, "best\r");
    let seen = session.exp_string("OK: best plays O\r\n").unwrap();
    assert!(!seen.contains('#'), "{seen}");
    session.exp_string("X> ").unwrap();
    session.send_control('d').unwrap();
    end(session);
}

#[test]
fn a_terminal_without_editing_has_a_plain_prompt() {
    for term in ["dumb", "Dumb", "emacs", "cons25"] {
        let seen = whole_game("cols 80", &[("TERM", term)], &["--color=always"]);
        assert!(seen.contains("\"quit\" or Ctrl-D leaves\r\n"), "{seen}");
        for reply in ["X at 1 1, O to move\r\nO> ", "O at 0 0, X to move\r\nX> "] {
            assert!(seen.contains(reply), "{seen}");
        }
        assert!(seen.ends_with("OK: bye\r\n") && !seen.contains('\x1b'), "{seen}");
    }
}

#[test]
fn json_at_the_prompt_has_no_pictures() {
    let seen = whole_game("cols 80", &[], &["--format=json", "--color=never"]);
    assert!(seen.contains("{\"line\":1,\"command\":\"play\""), "{seen}");
    assert!(!seen.contains("[X]"), "{seen}");
}

#[test]
fn whoever_waits_hears_how_far_a_search_is_and_can_give_up() {
    let heard = Rc::new(Cell::new(Progress::default()));
    let watch = Rc::clone(&heard);
    let mut session = Session::new(&Setup::default()).unwrap();
    for line in ["new 9 5", "4 4", "3 4"] {
        assert_eq!(session.run(&line.parse::<Line>().unwrap()).code(), Code::Ok);
    }
    session.watched_by(move |progress| {
        watch.set(progress);
        progress.depth >= 2
    });
    let version = session.game().version();
    for line in ["go best", "hint best"] {
        let reply = session.run(&line.parse::<Line>().unwrap());
        assert_eq!(reply.code(), Code::NoAnswer, "{line}: {reply:?}");
        assert!(heard.get().nodes > 0 && heard.get().best.is_some());
        assert_eq!(session.game().version(), version);
    }
}

#[test]
fn a_search_that_is_to_answer_now_gives_its_best_so_far() {
    for (board, has_answer) in [
        ("new 3", ["go", "hint", "hint 3"]),
        ("new 9 5", ["go", "hint", "hint 3"]),
        ("new 15 5", ["go", "hint level8", "hint 3"]),
    ] {
        for after in [0, 1000] {
            let mut session = Session::new(&Setup::default()).unwrap();
            session.watched_by(move |progress| match progress.nodes {
                nodes if nodes >= after => Wish::AnswerNow,
                _ => Wish::GoOn,
            });
            let mut code = |line: &str| session.run(&line.parse::<Line>().unwrap()).code();
            assert_eq!(code(board), Code::Ok);
            for line in has_answer {
                assert_eq!(code(line), Code::Ok, "{board}, {after}: {line}");
            }
        }
    }
    let mut session = Session::new(&Setup::default()).unwrap();
    session.watched_by(|_| Wish::AnswerNow);
    for line in ["go minimax", "analyze", "perft 9"] {
        let reply = session.run(&line.parse::<Line>().unwrap());
        assert_eq!(reply.code(), Code::NoAnswer, "{line}: {reply:?}");
    }
}

#[test]
fn every_search_says_what_it_is_at() {
    let nothing = Progress::default();
    // What is asked, on which board, and whether there is a depth and a best move.
    let cases = [
        ("hint best", "new 5 4", true),
        ("hint minimax", "new 3", true),
        ("analyze", "new 5 4", false),
        ("perft 6", "new 5 3", false),
    ];
    for (asked, board, has_best) in cases {
        let heard = Rc::new(Cell::new(nothing));
        let watch = Rc::clone(&heard);
        let mut session = Session::new(&Setup::default()).unwrap();
        let line = board.parse::<Line>().unwrap();
        assert_eq!(session.run(&line).code(), Code::Ok, "{board}");
        session.watched_by(move |progress| {
            watch.set(progress);
            progress.nodes >= 50_000
        });
        let reply = session.run(&asked.parse::<Line>().unwrap());
        assert_eq!(reply.code(), Code::NoAnswer, "{asked}: {reply:?}");
        let Progress { nodes, depth, best } = heard.get();
        assert_eq!(nodes, 50_048, "{asked}");
        assert_eq!(best.is_some(), has_best, "{asked}");
        assert_eq!(depth > 0, asked != "perft 6", "{asked}");
    }
}

#[test]
fn the_history_is_in_the_state_directory() {
    let file = |state: Option<&str>, home: Option<&str>| {
        let file =
            noughts::shell::prompt::history_file(state.map(Into::into), home.map(Into::into));
        file.map(|path| path.to_str().unwrap().to_owned())
    };
    let under_home = Some("/home/x/.local/state/noughts/history".to_owned());
    assert_eq!(file(Some("/s"), Some("/home/x")), Some("/s/noughts/history".to_owned()));
    // A relative directory does not count.
    for state in [None, Some(""), Some("s")] {
        assert_eq!(file(state, Some("/home/x")), under_home, "{state:?}");
    }
    assert_eq!(file(None, None), None);
}
