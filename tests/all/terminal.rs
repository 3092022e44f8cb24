//! The prompt under bytes, signals and files that other programs stumble over, in a bare terminal.
#![cfg(unix)]

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use nix::pty::{Winsize, openpty};
use nix::sys::termios::{LocalFlags, tcgetattr};
use noughts::command::Letters;

use crate::oracle::Dice;
use crate::support::{binary, fresh, noughts, process, utf8};

/// The longest wait for a text, far more than any machine needs.
const PATIENCE: Duration = Duration::from_mins(1);

/// Ends bracketed paste, at the end of each line that is edited.
const END_OF_PASTE: &str = "\u{1b}[?2004l";

/// The program in a terminal whose keys are bytes.
struct Terminal {
    child: Child,
    /// The side of the person.
    keys: File,
    /// The side of the program, which has the mode.
    side: OwnedFd,
    screen: Receiver<Vec<u8>>,
    /// The bytes that were shown and not yet expected.
    shown: Vec<u8>,
}

impl Terminal {
    fn open(arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        Self::start(process(), arguments, variables)
    }

    /// Starts `command`, which is the program or runs it, with these arguments.
    fn start(command: Command, arguments: &[&str], variables: &[(&str, &Path)]) -> Self {
        Self::start_as("xterm", command, arguments, variables)
    }

    /// Starts `command` in a terminal of this kind.
    fn start_as(
        kind: &str,
        mut command: Command,
        arguments: &[&str],
        variables: &[(&str, &Path)],
    ) -> Self {
        let window = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(&window, None).unwrap();
        let side = || Stdio::from(pty.slave.try_clone().unwrap());
        command.args(["--color", "never"]).args(arguments).env("TERM", kind);
        command.envs(variables.iter().copied());
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
        let keys = File::from(pty.master);
        let mut screen = keys.try_clone().unwrap();
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut block) {
                if sender.send(block[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, side: pty.slave, screen: receiver, shown: Vec::new() }
    }

    /// A prompt without history.
    fn plain() -> Self {
        let mut terminal = Self::open(&["--no-history"], &[]);
        terminal.expect("X> ");
        terminal
    }

    fn resize(&self, rows: usize, cols: usize) {
        let window = ["rows", &rows.to_string(), "cols", &cols.to_string()].map(str::to_owned);
        let side = Stdio::from(self.side.try_clone().unwrap());
        assert!(Command::new("stty").args(window).stdin(side).status().unwrap().success());
    }

    /// A prompt without history in an empty folder of this name, with these arguments.
    fn in_folder(name: &str, arguments: &[&str]) -> (Self, PathBuf) {
        let folder = fresh(&format!("terminal/{name}"));
        fs::create_dir_all(&folder).unwrap();
        let mut command = process();
        command.current_dir(&folder);
        let mut terminal = Self::start(command, &[&["--no-history"], arguments].concat(), &[]);
        terminal.expect("> ");
        // Wide enough for every message.
        terminal.resize(24, 200);
        (terminal, folder)
    }

    /// Types a line, and returns all that is shown up to the next prompt, after the line itself.
    fn answer(&mut self, line: &str) -> String {
        self.press(line.as_bytes());
        self.press(b"\r");
        self.expect("\r\n");
        let shown = self.expect("> ");
        let (shown, _sign) = shown.rsplit_once('\n').unwrap();
        shown.replace('\r', "").replace(END_OF_PASTE, "") + "\n"
    }

    /// Types bytes in one write.
    fn press(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
    }

    /// Waits until `text` is shown, and returns all before it.
    fn expect(&mut self, text: &str) -> String {
        loop {
            let shown = String::from_utf8_lossy(&self.shown).into_owned();
            if let Some((before, after)) = shown.split_once(text) {
                self.shown = after.as_bytes().to_vec();
                return before.to_owned();
            }
            match self.screen.recv_timeout(PATIENCE) {
                Ok(block) => self.shown.extend(block),
                Err(error) => panic!("{error}: {text:?} was not shown, only {shown:?}"),
            }
        }
    }

    /// Waits for so long at most until `text` is shown, and tells whether it was.
    fn shows(&mut self, text: &str, patience: Duration) -> bool {
        loop {
            if String::from_utf8_lossy(&self.shown).contains(text) {
                self.shown.clear();
                return true;
            }
            match self.screen.recv_timeout(patience) {
                Ok(block) => self.shown.extend(block),
                Err(_) => return false,
            }
        }
    }

    /// Sends a signal to the program: the terminal is not the one that controls it.
    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits until a search has a best move, and presses Ctrl-C. Returns the line of its progress.
    fn interrupt(&mut self) -> String {
        let line = self.expect(" so far, depth ");
        self.signal("INT");
        self.expect("\r\x1b[K");
        line
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.side).unwrap().local_flags.contains(LocalFlags::ICANON)
    }

    fn leave(mut self) -> ExitStatus {
        self.press(b"\x04");
        self.child.wait().unwrap()
    }
}

impl Drop for Terminal {
    /// Ends a program that a failure has left behind, or that searches for ever.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_byte_that_is_not_utf_8_spoils_its_line_alone() {
    // Typed, in the middle of a character, as a meta key, after Escape, as an old mouse report, in
    // a search of the history, in a name.
    for keys in [
        &[&b"0 \xff"[..], b"0\r"][..],
        &[b"\xc3(", b"0 0\r"],
        &[b"0 0\xff", b"\r"],
        &[b"\xb1", b"0 0\r"],
        &[b"\x1b\xff", b"0 0\r"],
        &[b"\x1b[M\xa0", b"\xff", b"\xff", b"\r"],
        &[b"\x120\xff", b"\r"],
        &[b"game \xff", b"\r"],
    ] {
        let mut terminal = Terminal::plain();
        for (nth, part) in keys.iter().enumerate() {
            if nth > 0 {
                terminal.expect(&"\u{fffd}".repeat(nth));
            }
            terminal.press(part);
        }
        terminal.expect("is not UTF-8: a line is UTF-8 text\r\n");
        terminal.expect("X> ");
        terminal.press(b"status\r");
        terminal.expect("OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0\r\n");
        terminal.expect("X> ");
        assert!(terminal.leave().success(), "{keys:?}");
    }
}

#[test]
fn what_follows_ctrl_c_in_one_write_is_not_lost() {
    let mut terminal = Terminal::plain();
    terminal.press(b"play 1\x03play 0 0\rstatus\r");
    terminal.expect("OK: X at 0 0, O to move\r\n");
    terminal.expect("OK: O to move, 3 x 3, 3 in a row, 1 move, version 1\r\n");
    terminal.expect("O> ");
    terminal.press(b"\x03");
    terminal.expect("\"quit\" or Ctrl-D leaves\r\n");
    terminal.expect("O> ");
    assert!(terminal.leave().success());
}

#[test]
fn a_signal_gives_the_terminal_back_and_is_the_status() {
    for (name, number) in [("TERM", 15), ("HUP", 1), ("QUIT", 3)] {
        // Between two lines, and while a search runs.
        for searches in [false, true] {
            let arguments = ["--no-history", "--size", "15", "--nodes", "1000000000000"];
            let mut terminal = Terminal::open(&arguments, &[]);
            terminal.expect("X> ");
            if searches {
                terminal.press(b"hint\r");
                terminal.expect("searching");
            } else {
                assert!(terminal.is_raw());
            }
            terminal.signal(name);
            let status = terminal.child.wait().unwrap();
            assert_eq!(status.signal(), Some(number), "{status}");
            assert!(!terminal.is_raw(), "{name}");
            terminal.expect("\u{1b}[?2004l");
        }
    }
}

#[test]
fn a_hang_up_that_is_ignored_ends_nothing_but_a_search_ends_with_its_terminal() {
    let pty = openpty(None, None).unwrap();
    // A copy is closed in the child, the original would not be.
    let mut terminal = File::from(pty.master.try_clone().unwrap());
    drop(pty.master);
    let side = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(binary());
    command.args(["--no-history", "--size", "15", "--nodes", "1000000000000"]).env("TERM", "xterm");
    let mut child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
    // The command holds this side too.
    drop(command);
    drop(pty.slave);
    let mut shown = String::new();
    let mut expect = |terminal: &mut File, text: &str| {
        let mut block = [0; 4096];
        while !shown.contains(text) {
            let read = terminal.read(&mut block).unwrap();
            shown.push_str(&String::from_utf8_lossy(&block[..read]));
        }
    };
    expect(&mut terminal, "X> ");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "HUP", &pid]).status().unwrap().success());
    terminal.write_all(b"hint\r").unwrap();
    expect(&mut terminal, "searching");
    drop(terminal);
    assert_eq!(child.wait().unwrap().signal(), None);
}

/// The flags of a search that does not end by itself.
const ENDLESS: [&str; 7] =
    ["--no-history", "--size", "15", "--win", "5", "--nodes", "1000000000000"];

#[test]
fn ctrl_c_plays_the_best_move_so_far() {
    let mut terminal = Terminal::open(&[&ENDLESS[..], &["--o", "best"]].concat(), &[]);
    terminal.expect("X> ");
    terminal.press(b"7 7\r");
    terminal.expect("OK: X at 7 7, O to move\r\n");
    terminal.interrupt();
    assert_eq!(terminal.expect("O at "), "OK: ");
    terminal.expect(", X to move (best)\r\n");
    for (asked, answer) in
        [("hint", "best would play X at "), ("hint 3", "the best moves for X and its chances, by ")]
    {
        terminal.expect("X> ");
        terminal.press(format!("{asked}\r").as_bytes());
        terminal.interrupt();
        assert_eq!(terminal.expect(answer), "OK: ", "{asked}");
        let rest = terminal.expect("\u{1b}");
        assert!(!rest.contains("game"), "{rest}");
    }
    // A part of these is no answer.
    for (asked, answer) in [
        ("analyze", "NO_ANSWER: stopped before there was an answer\r\n"),
        ("new 5 3\rperft 6", "NO_ANSWER: the count was stopped\r\n"),
    ] {
        terminal.expect("X> ");
        terminal.press(format!("{asked}\r").as_bytes());
        terminal.expect("(Ctrl-C stops)");
        terminal.signal("INT");
        terminal.expect(answer);
        assert_eq!(terminal.expect("the game is as it was\r\n"), "");
    }
    terminal.expect("X> ");
    assert!(terminal.leave().success());
}

#[test]
fn a_game_of_two_computers_is_drawn_as_it_comes() {
    let players = ["--no-history", "--size", "2", "--x", "rules", "--o", "rules"];
    let mut terminal = Terminal::open(&players, &[]);
    terminal.expect("leaves\r\n");
    let shown = terminal.expect("> ");
    let expected = "    0 1
  0 . .
  1 . .
OK: X at 0 0, O to move (rules)
    0 1
  0[X].
  1 . .
OK: O at 0 1, X to move (rules)
    0 1
  0 X[O]
  1 . .
WIN: X at 1 0 completes 0 0, 1 0 (rules)
    0 1
  0[X]O
  1[X].
\"undo\" takes it back, \"new\" starts again
";
    // The line editor begins its line with an escape.
    let (shown, _) = shown.split_once('\u{1b}').unwrap();
    assert_eq!(shown.replace("\r\n", "\n"), expected);
    assert!(terminal.leave().success());
}

#[test]
fn ctrl_c_interrupts_a_game_of_two_computers_and_go_goes_on_with_it() {
    let mut terminal =
        Terminal::open(&[&ENDLESS[..], &["--x", "best", "--o", "best"]].concat(), &[]);
    terminal.expect("  14  .");
    terminal.interrupt();
    assert_eq!(terminal.expect("X at "), "OK: ");
    let rest = terminal.expect("(best)\r\n");
    assert!(rest.ends_with(", O to move "), "{rest}");
    assert_eq!(terminal.expect("\"go\" goes on with the game\r\n"), "");
    // Neither a blank line nor Ctrl-C at the prompt goes on.
    for keys in ["\r", "\x03", "status\r"] {
        terminal.expect("O> ");
        terminal.press(keys.as_bytes());
    }
    terminal.expect("OK: O to move, 15 x 15, 5 in a row, 1 move, version 1, ");
    terminal.expect("O> ");
    terminal.press(b"go rules\r");
    terminal.expect(", X to move (rules)\r\n");
    assert!(terminal.expect("  14  .").contains("[O]"));
    terminal.interrupt();
    assert_eq!(terminal.expect("X at "), "OK: ");
    terminal.expect("O to move (best)\r\n\"go\" goes on with the game\r\n");
    terminal.expect("O> ");
    terminal.press(b"seat O level3\r");
    terminal.expect("(level3)\r\n");
    terminal.interrupt();
    terminal.expect("O to move (best)\r\n\"go\" goes on with the game\r\n");
    terminal.expect("O> ");
    assert!(terminal.leave().success());
}

#[test]
fn the_farewell_tells_the_score() {
    const X_WINS: &str = "replay 0 0 1 1 0 1 2 2\r0 2\r";
    const O_WINS: &str = "replay 0 0 1 1 0 1 1 0 2 2\r1 2\r";
    const DRAW: &str = "replay 1 1 0 0 0 1 2 1 1 2 1 0 2 0 0 2\r2 2\r";
    let open = ["--no-history"];
    for (players, typed, score) in [
        (&[][..], "0 0\rhelp go\r".to_owned(), ""),
        (&[], format!("{X_WINS}undo\r0 2\rundo\rredo\rnew\rundo\r"), "1 game: X won 1\r\n"),
        (&[], format!("{X_WINS}undo\r"), ""),
        (&[], format!("{X_WINS}{O_WINS}{DRAW}{O_WINS}"), "4 games: O won 2, X won 1, 1 drawn\r\n"),
        (
            &[],
            format!("{DRAW}game b\r{X_WINS}game main\r{DRAW}drop b\r"),
            "3 games: X won 1, 2 drawn\r\n",
        ),
        // The players are told apart, wherever they sit.
        (
            &["--o", "rules"],
            format!("{X_WINS}seat swap\r{O_WINS}{X_WINS}"),
            "3 games: you won 2, rules won 1\r\n",
        ),
    ] {
        let mut terminal = Terminal::open(&[&open[..], players].concat(), &[]);
        terminal.expect("X> ");
        terminal.press(format!("{typed}status\rquit\r").as_bytes());
        let shown = terminal.expect("OK: bye\r\n");
        // It stands below the status too.
        let (_, status) = shown.rsplit_once(", version ").unwrap();
        let told = status.split_once("\r\n").unwrap().1;
        assert!(told.contains(score), "{typed:?}: {told:?}");
        assert!(!score.is_empty() || !told.contains("game"), "{typed:?}: {told:?}");
        assert!(terminal.child.wait().unwrap().success());
        let mut rest = String::new();
        while let Ok(block) = terminal.screen.recv_timeout(Duration::from_millis(200)) {
            rest.push_str(&String::from_utf8_lossy(&block));
        }
        rest.insert_str(0, &String::from_utf8_lossy(&terminal.shown));
        assert_eq!(rest, score, "{typed:?}");
    }
}

#[test]
fn the_greeting_names_a_square_as_the_board_does() {
    for (coords, example) in
        [("letters", "a square to move, such as \"a1\"\r\n"), ("numbers", "\"0 2\"\r\n")]
    {
        let mut terminal = Terminal::open(&["--no-history", "--coords", coords], &[]);
        terminal.expect(example);
        terminal.expect("X> ");
        assert!(terminal.leave().success());
    }
}

#[test]
fn letters_name_squares_on_the_board_and_in_the_progress_at_once() {
    let mut terminal = Terminal::open(&ENDLESS, &[]);
    // The second time the board looks the same.
    for is_drawn in [true, false] {
        terminal.expect("X> ");
        terminal.press(b"coords letters\r");
        terminal.expect("a1 at the bottom left\r\n");
        let board = terminal.expect("\u{1b}");
        assert_eq!(board.ends_with(" m n o\r\n"), is_drawn, "{board:?}");
    }
    for (coords, has_letters) in [("letters", true), ("numbers", false)] {
        terminal.expect("X> ");
        terminal.press(format!("coords {coords}\rhint\r").as_bytes());
        let line = terminal.interrupt();
        let (_, name) = line.rsplit_once(": ").unwrap();
        assert_eq!(name.parse::<Letters>().is_ok(), has_letters, "{line:?}");
    }
    terminal.expect("X> ");
    assert!(terminal.leave().success());
}

#[test]
fn whoever_leaves_a_plain_prompt_by_the_end_of_input_leaves_its_line() {
    let mut terminal = Terminal::open(&["--size", "1"], &[("TERM", Path::new("dumb"))]);
    terminal.expect("X> ");
    terminal.press(b"0 0\n");
    terminal.expect("WIN: X at 0 0 completes 0 0\r\n> ");
    terminal.press(b"\x04");
    assert_eq!(terminal.expect("1 game: X won 1\r\n"), "\r\n");
    assert!(terminal.child.wait().unwrap().success());
}

#[test]
fn a_history_that_is_no_plain_file_is_left_alone() {
    let state = fresh("terminal/history");
    let folder = state.join("noughts");
    fs::create_dir_all(&folder).unwrap();
    let history = folder.join("history");
    assert!(Command::new("mkfifo").arg(&history).status().unwrap().success());
    let mut terminal = Terminal::open(&[], &[("XDG_STATE_HOME", &state)]);
    terminal.expect("X> ");
    terminal.press(b"0 0\r");
    terminal.expect("O> ");
    assert!(terminal.leave().success());
}

#[test]
fn no_terminal_makes_a_very_wide_line_a_panic() {
    for program in ["iTerm.app", "WezTerm", "Apple_Terminal", "kitty", "xterm"] {
        let mut terminal =
            Terminal::open(&["--no-history"], &[("TERM_PROGRAM", Path::new(program))]);
        terminal.expect("X> ");
        let wide = "7 ".repeat(33_000);
        terminal.press(format!("\x1b[200~replay {wide}\x1b[201~").as_bytes());
        terminal.press(b"\r");
        terminal.expect("INVALID_MOVE: move 1: 7 7 is off the board");
        terminal.expect("X> ");
        terminal.press(b"\x1b[A\r");
        terminal.expect("X> ");
        assert!(terminal.leave().success(), "{program}");
    }
}

#[test]
fn streams_that_do_not_block_are_waited_for() {
    for (arguments, line, count) in
        [(&[][..], "play 1 1\nundo\n", 20_000), (&["gomocup"], "ABOUT\n", 3_000)]
    {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        let stdio = || Stdio::from(theirs.as_fd().try_clone_to_owned().unwrap());
        let mut child = process().args(arguments).stdin(stdio()).stdout(stdio()).spawn().unwrap();
        drop(theirs);
        // Once the first reply is there, the program reads again, and finds nothing.
        ours.write_all(line.as_bytes()).unwrap();
        let mut replies = String::new();
        let mut reader = BufReader::new(ours.try_clone().unwrap());
        for _ in line.lines() {
            reader.read_line(&mut replies).unwrap();
        }
        let lines = line.lines().count() * count;
        let rest = line.repeat(count - 1);
        let writing = thread::spawn(move || {
            ours.write_all(rest.as_bytes()).unwrap();
            ours.shutdown(Shutdown::Write).unwrap();
        });
        reader.read_to_string(&mut replies).unwrap();
        writing.join().unwrap();
        assert_eq!(replies.lines().count(), lines, "{arguments:?}");
        assert!(child.wait().unwrap().success(), "{arguments:?}");
    }
}

#[test]
fn a_terminal_that_becomes_narrow_during_a_search_keeps_one_line_of_progress() {
    let arguments = ["--no-history", "--size", "15", "--nodes", "1000000000000"];
    let mut terminal = Terminal::open(&arguments, &[]);
    terminal.expect("X> ");
    terminal.press(b"hint\r");
    terminal.expect("searching");
    let side = Stdio::from(terminal.side.try_clone().unwrap());
    assert!(Command::new("stty").args(["cols", "30"]).stdin(side).status().unwrap().success());
    // The line that was being written may have had the old width.
    for nth in 0..6 {
        let line = terminal.expect("\r\u{1b}[K");
        assert!(nth < 2 || line.len() <= 27, "{line:?}");
    }
}

/// Lists the names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_game_is_saved_and_loaded_in_three_formats() {
    let (mut terminal, folder) = Terminal::in_folder("saved", &["--o", "rules"]);
    let won = "    0 1 2\n  0[X X X]\n  1 O O .\n  2 . . .\n\
        \"undo\" takes it back, \"new\" starts again\n";
    terminal.answer("replay 0 0 1 0 0 1 1 1 0 2");
    let replay = "new 3x3 3\nreplay 0 0 1 0 0 1 1 1 0 2\n";
    let psq = "Piskvorky 3x3, 11:11, 0\n1,1,0\n1,2,0\n2,1,0\n2,2,0\n3,1,0\n-1\n";
    let sgf = "(;GM[4]FF[4]CA[UTF-8]SZ[3]RU[3 in a row]RE[B+]\n\
        ;B[aa];W[ab];B[ba];W[bb];B[ca])\n";
    for (name, content) in [("my game.noughts", replay), ("b.PSQ", psq), ("c,1.sgf", sgf)] {
        terminal.answer("replay 0 0 1 0 0 1 1 1 0 2");
        let saved = terminal.answer(&format!("save {name} # here"));
        assert_eq!(saved, format!("OK: saved 5 moves in {name}\n"));
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), content, "{name}");
        let again = "it is there already: take another name, or remove it first";
        assert_eq!(
            terminal.answer(&format!("save {name}")),
            format!("BAD_COMMAND: {name}: {again}\n")
        );
        terminal.answer("new 4x5 3");
        let loaded = terminal.answer(&format!("load {name}"));
        assert_eq!(loaded, format!("OK: loaded 5 moves from {name}, X has won\n{won}"));
        let undone = terminal.answer("undo");
        let board = "    0 1 2\n  0 X X .\n  1 O[O].\n  2 . . .\n";
        assert_eq!(undone, format!("OK: took back 0 2, X to move\n{board}"));
        // No computer moves after it, as after `replay`.
        assert_eq!(terminal.answer("undo 1"), terminal_turn());
        terminal.answer("save d.sgf");
        let loaded = terminal.answer("load d.sgf");
        let waits = "OK: loaded 3 moves from d.sgf, O to move; \"go\" lets rules move\n";
        assert!(loaded.starts_with(waits), "{loaded}");
        fs::remove_file(folder.join("d.sgf")).unwrap();
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), content, "{name}");
    }
    assert_eq!(names(&folder), ["b.PSQ", "c,1.sgf", "my game.noughts"]);
    assert!(terminal.leave().success());
}

fn terminal_turn() -> String {
    "OK: took back 1 1, O to move; \"go\" lets rules move\n    \
     0 1 2\n  0 X[X].\n  1 O . .\n  2 . . .\n"
        .to_owned()
}

#[test]
fn a_game_without_moves_is_loaded_as_a_new_one() {
    let (mut terminal, folder) = Terminal::in_folder("fresh_game", &["--x", "rules"]);
    terminal.answer("new 2x3 2");
    terminal.answer("undo 1");
    assert_eq!(terminal.answer("save a.noughts"), "OK: saved 0 moves in a.noughts\n");
    assert_eq!(fs::read_to_string(folder.join("a.noughts")).unwrap(), "new 2x3 2\n");
    terminal.answer("new 3");
    let loaded = "OK: loaded 0 moves from a.noughts, X to move\n\
        OK: X at 0 1, O to move (rules)\n    0 1 2\n  0 .[X].\n  1 . . .\n";
    assert_eq!(terminal.answer("load a.noughts"), loaded);
    assert!(terminal.leave().success());
}

#[test]
fn what_a_format_cannot_say_is_not_saved() {
    let exact = ["--exact", "--size", "15", "--win", "5"];
    let (mut terminal, folder) = Terminal::in_folder("unsaid", &exact);
    let cases = [
        ("", "a.noughts", "a .noughts file does not say that a line is exactly 5: .sgf says it"),
        ("", "a.psq", "a .psq file does not say that a line is exactly 5: .sgf says it"),
        (
            "new 15 4",
            "a.psq",
            "a .psq file does not say that 4 in a row win, and 5 are assumed: .sgf says it",
        ),
        ("new 53 5", "a.sgf", "sgf has boards of at most 52 x 52: found 53 x 53"),
        (
            "position X../.../... 3",
            "a.sgf",
            "a game that began with \"position\" has no first moves, which a record needs",
        ),
        (
            "",
            "a.txt",
            "the ending says the format, and none is known here: expected .noughts, .psq or .sgf",
        ),
        (
            "",
            ".sgf",
            "the ending says the format, and none is known here: expected .noughts, .psq or .sgf",
        ),
        ("new 3", "none/a.sgf", "No such file or directory (os error 2)"),
        ("", "a\u{202e}.SGF/b.sgf", "No such file or directory (os error 2)"),
    ];
    for (before, name, why) in cases {
        if !before.is_empty() {
            terminal.answer(before);
        }
        let shown = name.replace('\u{202e}', "\\u{202e}");
        let refused = format!("BAD_COMMAND: {shown}: {why}\n");
        assert_eq!(terminal.answer(&format!("save {name}")), refused);
        assert_eq!(names(&folder), [""; 0]);
    }
    assert!(terminal.answer("save a.sgf").starts_with("OK: saved 0 moves in a.sgf"));
    assert!(terminal.leave().success());
}

#[test]
fn what_cannot_be_read_whole_is_not_loaded() {
    let (mut terminal, folder) = Terminal::in_folder("not_loaded", &[]);
    terminal.answer("1 1");
    for (name, content, why) in [
        ("a.noughts", "new 3\nreplay 0 0 0 0\n", ":2: move 2: 0 0 is taken by X"),
        ("a.noughts", "0 0\nudno\n", ":2: unknown command \"udno\": did you mean \"undo\"?"),
        ("a.noughts", "replay 0 0\nreplay 1 1\n", ":2: found a second game, expected one"),
        (
            "a.noughts",
            "replay 0 0\nreplay 9\n",
            ":2: \"9\" has no column: \"replay\" takes rows and columns in pairs",
        ),
        (
            "a.noughts",
            "0 0\nload b.sgf\n",
            ":2: found \"load\", expected new, replay, play or undo, of one game after the other",
        ),
        ("a.noughts", "# none\n", ": found no game, expected one"),
        ("a.psq", "", ": found no game, expected one"),
        (
            "a.psq",
            "Piskvorky 15x15, 11:11, 0\n1,1,0\n2;2;0\n3,3,0\n",
            ":4: found \"3,3,0\", expected the names of the players and a code, which follow the moves",
        ),
        ("a.sgf", "(;GM[4]SZ[3];B[aa]", ": game 1: the ) at the end of the game is missing"),
        ("a.sgf", "(;GM[4];B[aa])(;GM[4];B[aa])", ": game 2: found a second game, expected one"),
        (
            "a.sgf",
            "(;GM[4]SZ[9]RU[exactly 5 in a row];B[aa])",
            ": game 1: its lines are exactly 5 long: a session with --exact loads it",
        ),
        ("a.sgf/b.sgf", "", ": Not a directory (os error 20)"),
        ("b.sgf", "", ": No such file or directory (os error 2)"),
        ("folder.sgf", "", ": a directory, pipe or device holds no game"),
        ("pipe.sgf", "", ": a directory, pipe or device holds no game"),
    ] {
        if ["a.noughts", "a.psq", "a.sgf"].contains(&name) {
            fs::write(folder.join(name), content).unwrap();
        }
        let _ = fs::create_dir(folder.join("folder.sgf"));
        let _ = Command::new("mkfifo").arg(folder.join("pipe.sgf")).output();
        assert_eq!(terminal.answer(&format!("load {name}")), format!("BAD_COMMAND: {name}{why}\n"));
        let status = "OK: O to move, 3 x 3, 3 in a row, 1 move, version 1\n";
        assert_eq!(terminal.answer("status"), status);
    }
    assert!(terminal.leave().success());
}

#[test]
fn what_a_loaded_record_says_otherwise_is_told() {
    let (mut terminal, folder) = Terminal::in_folder("notes", &["--format", "json"]);
    let sgf = "(;GM[1]SZ[3]RU[3 in a row]RE[W+R];B[aa](;W[bb])(;W[cc]))";
    fs::write(folder.join("a.sgf"), sgf).unwrap();
    fs::write(folder.join("b.noughts"), "new 2\nreplay 0 0 0 1 1 1 1 0\n").unwrap();
    let end = "\"turn\":\"X\",\"winner\":null,\"over\":false}\n";
    let loaded = "{\"line\":1,\"command\":\"load\",\"result\":\"OK\",\"message\":\"loaded 2 moves from a.sgf, \
        X to move; a.sgf: game 1: GM[1] is go: it is read as k in a row; a.sgf: game 1: the \
        variations are left out: the main line is read; a.sgf: game 1: the record says that O has \
        won, but its moves do not end the game\",\"game\":\"main\",\"version\":1,";
    assert_eq!(terminal.answer("load a.sgf"), format!("{loaded}{end}"));
    let saved = "{\"line\":2,\"command\":\"save\",\"result\":\"OK\",\"message\":\"saved 2 moves in c.sgf\",\
        \"game\":\"main\",\"version\":1,";
    assert_eq!(terminal.answer("save c.sgf"), format!("{saved}{end}"));
    let refused = "{\"line\":3,\"command\":\"load\",\"result\":\"BAD_COMMAND\",\"message\":\"d.sgf: No such \
        file or directory (os error 2)\",\"game\":\"main\",\"version\":1,";
    assert_eq!(terminal.answer("load d.sgf"), format!("{refused}{end}"));
    assert!(terminal.leave().success());
    let mut command = process();
    command.current_dir(&folder);
    // A terminal without editing echoes the line itself.
    let mut terminal = Terminal::start_as("dumb", command, &[], &[]);
    terminal.expect("X> ");
    let loaded = "OK: loaded 3 moves from b.noughts, X has won\n\
        b.noughts:2: 1 move after the end is cut off: X has won\n";
    assert_eq!(terminal.answer("load b.noughts"), loaded);
    assert!(terminal.leave().success());
}

#[test]
fn a_disk_without_room_keeps_no_half_of_a_file() {
    let folder = fresh("terminal/full");
    fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("sh");
    command.current_dir(&folder);
    // The limit of a file's size is in blocks of 512 or 1024 bytes.
    command.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(binary());
    let mut terminal = Terminal::start(command, &["--no-history"], &[]);
    terminal.expect("> ");
    let squares = (0..380).map(|nth| format!(" {} {}", nth / 20, nth % 20));
    let script = format!("new 20\nreplay{}\n", squares.collect::<String>());
    fs::write(folder.join("long.noughts"), script).unwrap();
    let loaded = "OK: loaded 380 moves from long.noughts, X to move\n";
    assert!(terminal.answer("load long.noughts").starts_with(loaded));
    let refused = "BAD_COMMAND: a.noughts: File too large (os error 27)\n";
    assert_eq!(terminal.answer("save a.noughts"), refused);
    assert_eq!(names(&folder), ["long.noughts"]);
    assert!(terminal.leave().success());
}

#[test]
fn tab_completes_the_names_of_games_in_files_after_save_and_load_alone() {
    let (mut terminal, folder) = Terminal::in_folder("completed", &[]);
    fs::create_dir(folder.join("my games")).unwrap();
    for name in ["my games/first one.sgf", "my games/other.txt", "zebra.psq", ".hidden.sgf"] {
        fs::write(folder.join(name), "(;GM[4]SZ[3]RU[3 in a row];B[aa])").unwrap();
    }
    let loaded = terminal.answer("load m\tf\t");
    let first = "OK: loaded 1 move from my games/first one.sgf, O to move\n";
    assert!(loaded.starts_with(first), "{loaded}");
    let there =
        "BAD_COMMAND: zebra.psq: it is there already: take another name, or remove it first\n";
    assert_eq!(terminal.answer("save z\t"), there);
    assert_eq!(
        terminal.answer("load my games/o\t"),
        "BAD_COMMAND: my games/o: the ending says the format, and none is known here: expected \
         .noughts, .psq or .sgf\n"
    );
    let game = terminal.answer("game z\t");
    assert!(game.starts_with("OK: game z, 3 x 3, 3 in a row, X to move\n"), "{game}");
    assert!(terminal.leave().success());
}

#[test]
fn a_load_is_in_the_journal_as_one() {
    let arguments = ["--journal", "journal"];
    let (mut terminal, folder) = Terminal::in_folder("journal_of_load", &arguments);
    fs::write(folder.join("a.sgf"), "(;GM[4]SZ[4]RU[3 in a row];B[aa];W[bb])").unwrap();
    terminal.answer("1 1");
    terminal.answer("load a.sgf");
    terminal.answer("load a.sgf");
    // Nothing is said to it that it could still write.
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
    let journal = folder.join("journal");
    let kept = "# noughts journal 1 --size 3x3 --win 3\nplay X 1 1 @0\nnew 4x4 3 @1 # load\n\
        replay 0 0 1 1 @2\nreplay 0 0 1 1 @3\n";
    assert_eq!(fs::read_to_string(&journal).unwrap(), kept);
    let output = noughts().arg("--journal").arg(&journal).write_stdin("moves").output().unwrap();
    assert_eq!(utf8(output.stdout), "OK: 0 0 1 1\n");
}

/// Types any bytes into a window that changes size, for so many rounds. `NOUGHTS_KEYS=100000` types
/// more than usual.
#[test]
fn any_keys_in_any_window_leave_a_prompt_that_answers() {
    const KEYS: &[&[u8]] = &[
        b"play ",
        b"0 0",
        b"1 1\r",
        b"undo\r",
        b"redo\r",
        b"new 15 5\r",
        b"board\r",
        b"go rules\r",
        b"\t",
        b"\t\t",
        b"\r",
        b"\n",
        b" ",
        b"\x1b[A",
        b"\x1b[B",
        b"\x1b[C",
        b"\x1b[D",
        b"\x1b[3~",
        b"\x1b[200~",
        b"\x1b[201~",
        b"\x1b[M !!",
        b"\x1b[<0;1;1M",
        b"\x1b",
        b"\x12",
        b"\x07",
        b"\x01",
        b"\x05",
        b"\x0b",
        b"\x15",
        b"\x17",
        b"\x19",
        b"\x1f",
        b"\x14",
        b"\x03",
        b"\x0c",
        b"\x16",
        b"\x18\x15",
        b"\x08",
        b"\x7f",
        b"\x1bb",
        b"\x1bd",
        b"\x1b5",
        "\u{1f469}\u{200d}\u{1f680}".as_bytes(),
        "\u{5b57}".as_bytes(),
        "e\u{301}".as_bytes(),
        b"\xff",
        b"\xc3",
        b"\x80",
        b"\0",
        b"help\r",
        b"game \xc3\xa9\r",
        b"drop ",
        b"save a.sgf\r",
        b"save ",
        b"load a.sgf\r",
    ];
    let rounds = env::var("NOUGHTS_KEYS").map_or(40, |rounds| rounds.parse().unwrap());
    let mut dice = Dice::new(rounds);
    // Keys may save a file.
    let (mut terminal, _) = Terminal::in_folder("any_keys", &[]);
    for round in 0..rounds {
        let (rows, cols) = (1 + dice.below(40), 1 + dice.below(120));
        terminal.resize(rows, cols);
        let mut typed = Vec::new();
        for _ in 0..dice.below(30) {
            match dice.below(8) {
                // Ctrl-D, Ctrl-Z, Ctrl-\\ and "q" would end or suspend it, and Ctrl-S would stop the
                // terminal.
                0 => {
                    let byte = u8::try_from(dice.below(256)).unwrap();
                    typed.extend(Some(byte).filter(|byte| !b"\x04\x13\x1a\x1cqQ".contains(byte)));
                }
                _ => typed.extend(KEYS[dice.below(KEYS.len())]),
            }
        }
        terminal.press(&typed);
        // A paste, a search, an escape and a question about many completions may be open, and what
        // follows a byte that is not UTF-8 in one read is lost.
        // In the end a reply stands on one line.
        terminal.shows("what is never shown", Duration::from_millis(10));
        terminal.resize(24, 80);
        // A session holds a limited number of games.
        let name = round % 1000;
        let answer = format!("OK: game r{name}, ");
        let is_there = (0..50).any(|_| {
            terminal.press(b"\x1b[201~");
            terminal.press(b"n\x07\x03\r");
            terminal.press(format!("game r{name}\r").as_bytes());
            terminal.shows(&answer, Duration::from_millis(200))
        });
        let status = terminal.child.try_wait().unwrap();
        let shown = String::from_utf8_lossy(&terminal.shown);
        assert!(is_there, "round {round}: {status:?} after {typed:?}: {shown:?}");
    }
    // Between two lines the terminal itself may take Ctrl-D.
    let status = (0..50).find_map(|_| {
        terminal.press(b"n\x07\x03\r");
        terminal.press(b"\x04");
        terminal.shows("what is never shown", Duration::from_millis(200));
        terminal.child.try_wait().unwrap()
    });
    assert!(status.is_some_and(|status| status.success()), "{status:?}");
    assert!(!terminal.is_raw());
}
