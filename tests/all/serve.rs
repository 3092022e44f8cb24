//! `noughts serve` over real sockets.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{fresh, noughts, process, utf8};

/// A server that is killed where a test ends early.
pub struct Server {
    process: Child,
    stderr: BufReader<std::process::ChildStderr>,
    address: String,
}

impl Server {
    /// Starts a server on a free port, and waits until it listens.
    pub fn start(flags: &[&str]) -> Self {
        Self::at("127.0.0.1:0", flags)
    }

    fn at(address: &str, flags: &[&str]) -> Self {
        let mut command = process();
        command.arg("serve").args(flags).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("noughts: listening on ");
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { process, stderr, address }
    }

    pub fn client(&self) -> Client {
        if self.address.contains('/') {
            let stream = UnixStream::connect(&self.address).unwrap();
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            let input =
                BufReader::new(Box::new(stream.try_clone().unwrap()) as Box<dyn Read + Send>);
            return Client { input, output: Box::new(stream), close: None };
        }
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let input = BufReader::new(Box::new(stream.try_clone().unwrap()) as Box<dyn Read + Send>);
        let close = Some(stream.try_clone().unwrap());
        Client { input, output: Box::new(stream), close }
    }

    /// Ends the server by a signal, and returns its status and what it wrote.
    fn end(mut self, signal: Signal) -> (Option<i32>, String, String) {
        kill(Pid::from_raw(self.process.id().cast_signed()), signal).unwrap();
        let status = self.process.wait().unwrap().code();
        let (mut out, mut err) = (String::new(), String::new());
        self.process.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.stderr.read_to_string(&mut err).unwrap();
        (status, out, err)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A test fails rather than hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client that speaks lines.
pub struct Client {
    input: BufReader<Box<dyn Read + Send>>,
    output: Box<dyn Write + Send>,
    close: Option<TcpStream>,
}

impl Client {
    fn send(&mut self, lines: &str) {
        self.output.write_all(lines.as_bytes()).unwrap();
    }

    /// The next line of the replies, without its end: empty at the end of them.
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn say(&mut self, line: &str) -> String {
        self.send(&format!("{line}\n"));
        self.hear()
    }

    /// Ends the input, and returns all that still comes.
    fn finish(mut self) -> String {
        self.close.take().unwrap().shutdown(Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        self.input.read_to_end(&mut rest).unwrap();
        utf8(rest)
    }
}

#[test]
fn two_people_play_over_either_kind_of_socket() {
    let socket = fresh("serve/two.sock");
    for address in ["127.0.0.1:0", socket.to_str().unwrap()] {
        let server = Server::at(address, &["--size", "15", "--win", "5"]);
        let (mut one, mut two) = (server.client(), server.client());
        assert_eq!(one.say("sit"), "OK: you play X, X to move");
        assert_eq!(two.say("sit"), "OK: you play O, X to move");
        // What came before is told first.
        assert_eq!(one.say("wait @0"), "OK: X to move at version 0; X is yours, O is held");
        two.send("wait @0\nboard\n");
        assert_eq!(two.hear(), "OK: X to move at version 0; X is held, O is yours");
        for _ in 0..17 {
            two.hear();
        }
        two.send("wait @0\n");
        assert_eq!(one.say("h8 @0"), "OK: X at 7 7, O to move");
        let told = "OK: O to move at version 1; play X 7 7 @0; X is held, O is yours";
        assert_eq!(two.hear(), told);
        assert_eq!(two.say("play 7 7 @1"), "INVALID_MOVE: line 5: 7 7 is taken by X; O to move");
        assert_eq!(two.say("quit"), "OK: bye");
        assert_eq!(two.hear(), "");
    }
}

#[test]
fn a_socket_is_for_its_owner_and_for_one_server() {
    let path = fresh("serve/own.sock");
    let name = path.to_str().unwrap();
    // A dead one is replaced.
    drop(UnixListener::bind(&path).unwrap());
    let server = Server::at(name, &[]);
    let metadata = fs::metadata(&path).unwrap();
    assert!(metadata.file_type().is_socket());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    let second = noughts().args(["serve", name]).output().unwrap();
    let refused = format!("noughts: {name}: another server listens there\n");
    assert_eq!((second.status.code(), utf8(second.stderr)), (Some(2), refused));
    assert_eq!(
        server.client().say("status"),
        "OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0"
    );
    let (status, out, err) = server.end(Signal::SIGINT);
    assert_eq!((status, &*out, &*err), (Some(0), "", ""));
    assert!(!path.exists());
    // Another file stays.
    fs::write(&path, "mine").unwrap();
    let second = noughts().args(["serve", name]).output().unwrap();
    let refused =
        format!("noughts: {name}: something else is there, and no socket: it is left as it is\n");
    assert_eq!((second.status.code(), utf8(second.stderr)), (Some(2), refused));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn wrong_usage_is_told() {
    for (flags, message) in [
        (&["--size", "33", "127.0.0.1:0"][..], "found --size 33x33, expected sides to 32"),
        (&["--win", "4", "127.0.0.1:0"], "cannot line up 4 on a 3 x 3 board: k must be 1 to 3"),
        (
            &["--connections", "2000000000", "127.0.0.1:0"],
            "found --connections 2000000000, expected",
        ),
        (&["/no/such/folder/socket"], "/no/such/folder/socket: No such file or directory"),
        (&[], "XDG_RUNTIME_DIR is not set: expected HOST:PORT or the path of a Unix socket"),
    ] {
        let run =
            noughts().env_remove("XDG_RUNTIME_DIR").arg("serve").args(flags).output().unwrap();
        let stderr = utf8(run.stderr);
        assert_eq!((run.status.code(), utf8(run.stdout)), (Some(2), String::new()), "{stderr}");
        assert!(stderr.starts_with(&format!("noughts: {message}")), "{stderr}");
    }
    let run = noughts().args(["serve", "somewhere"]).output().unwrap();
    let stderr = utf8(run.stderr);
    assert!(stderr.contains("expected HOST:PORT, or the path of a Unix socket"), "{stderr}");
}

#[test]
fn the_end_of_a_server_answers_what_was_read() {
    let journal = fresh("serve/end.journal");
    let server = Server::start(&["--journal", journal.to_str().unwrap()]);
    let (mut one, mut two) = (server.client(), server.client());
    one.say("sit X the-token-of-number-one");
    one.say("format json");
    one.say("play 0 0 @0");
    one.send("wait @1\n");
    two.send("sit O\nwait @1\n");
    assert_eq!(two.hear(), "OK: you play O, O to move");
    let woken = r#"{"line":4,"command":"wait","result":"OK","changes":[],"seats":{"x":"yours","o":"held"},"game":"main","version":1,"turn":"O","winner":null,"over":false}"#;
    assert_eq!(one.hear(), woken);
    let (status, out, err) = server.end(Signal::SIGTERM);
    assert_eq!((status, &*out, &*err), (Some(0), "", ""));
    let closed = r#"{"line":0,"result":"CLOSED","reason":"shutdown","message":"the server ends","game":"main","version":1,"turn":"O","winner":null,"over":false}"#;
    assert_eq!([one.hear(), one.hear()], [closed, ""]);
    assert_eq!(two.hear(), "OK: O to move at version 1; X is held, O is yours");
    assert_eq!([two.hear(), two.hear()], ["CLOSED: shutdown: the server ends", ""]);
    let kept = "# noughts journal 1 --size 3x3 --win 3\nplay X 0 0 @0\n";
    assert_eq!(fs::read_to_string(&journal).unwrap(), kept);
    // The games go on.
    let server = Server::start(&["--journal", journal.to_str().unwrap()]);
    assert_eq!(server.client().say("moves"), "OK: 0 0");
}

/// The number of rounds of a long check, which an environment variable makes longer.
pub fn rounds(variable: &str, usual: usize) -> usize {
    std::env::var(variable).map_or(usual, |rounds| rounds.parse().unwrap())
}

/// Clients that hold a seat by one token make different moves at one version, in one write with
/// taking the seat: one is made, and that one alone is in when all send again.
#[test]
fn of_moves_at_one_version_one_is_made() {
    let journal = fresh("serve/races.journal");
    let server = Server::start(&["--journal", journal.to_str().unwrap()]);
    let rounds = rounds("NOUGHTS_RACES", 40);
    let mut accepted = Vec::new();
    for clients in [2, 8] {
        let barrier = Barrier::new(clients);
        let race = |own: usize| {
            let mut replies = Vec::new();
            for round in 0..rounds {
                let mut client = server.client();
                let game = format!("race-{clients}-{round}");
                let line = format!("sit X token-of-all-racers\nplay {} @0\n", own + 1);
                client.say(&format!("game {game}"));
                barrier.wait();
                client.send(&line);
                let first = (client.hear(), client.hear()).1;
                barrier.wait();
                client.send(&line);
                let second = (client.hear(), client.hear()).1;
                replies.push((game, own, first, second));
                barrier.wait();
            }
            replies
        };
        let mut all: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..clients).map(|own| scope.spawn(move || race(own))).collect();
            racers.into_iter().flat_map(|racer| racer.join().unwrap()).collect()
        });
        all.sort();
        for of_one_game in all.chunks(clients) {
            let (winners, others): (Vec<_>, Vec<_>) =
                of_one_game.iter().partition(|(_, _, first, _)| first.starts_with("OK: X at "));
            assert_eq!(winners.len(), 1, "{of_one_game:?}");
            for (_, _, first, second) in others {
                assert!(first.starts_with("STALE: "), "{of_one_game:?}");
                assert!(second.starts_with("STALE: "), "{of_one_game:?}");
            }
            let (game, own, _, second) = winners[0];
            assert_eq!(*second, format!("OK: again: play X {} {} @0 is in", own / 3, own % 3));
            accepted.push(format!("play X {} {} @0", own / 3, own % 3));
            assert_eq!(game, &of_one_game[0].0);
        }
    }
    let journal = fs::read_to_string(journal).unwrap();
    let mut kept: Vec<&str> = journal.lines().filter(|line| line.starts_with("play")).collect();
    kept.sort_unstable();
    accepted.sort();
    assert_eq!(kept, accepted);
    drop(server);
}

/// The same move, by the same seat at the same version: it is made once, and all hear so.
#[test]
fn the_same_move_is_made_once() {
    let server = Server::start(&[]);
    let (clients, rounds) = (8, rounds("NOUGHTS_RACES", 40));
    let barrier = Barrier::new(clients);
    let race = || {
        let mut replies = Vec::new();
        for round in 0..rounds {
            let mut client = server.client();
            client.say(&format!("game same-{round}"));
            barrier.wait();
            client.send("sit X token-of-all-racers\nplay 2 2 @0\n");
            replies.push((round, (client.hear(), client.hear()).1));
            barrier.wait();
        }
        replies
    };
    let mut all: Vec<_> = thread::scope(|scope| {
        let racers: Vec<_> = (0..clients).map(|_| scope.spawn(race)).collect();
        racers.into_iter().flat_map(|racer| racer.join().unwrap()).collect()
    });
    all.sort();
    for of_one_game in all.chunks(clients) {
        let replies: Vec<&str> = of_one_game.iter().map(|(_, reply)| &**reply).collect();
        let (again, made) = ("OK: again: play X 2 2 @0 is in", "OK: X at 2 2, O to move");
        assert_eq!(replies[0], made);
        assert_eq!(replies[1..], [again; 7]);
    }
}

/// Runs `join` with this input, and returns its status, its output and its messages.
fn join(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let run = noughts().arg("join").args(arguments).write_stdin(input).output().unwrap();
    (run.status.code(), utf8(run.stdout), utf8(run.stderr))
}

#[test]
fn join_passes_lines_through() {
    let server = Server::start(&[]);
    let address = &*server.address;
    let script = "sit X\nplay 0 0 @0\n\n# nothing\nboard\nudno\nwait @0\nstatus";
    let board = "OK: 3 x 3, 3 in a row, O to move\n    0 1 2\n  0 X . .\n  1 . . .\n  2 . . .\n";
    let expected = format!(
        "OK: you play X, X to move\nOK: X at 0 0, O to move\n{board}\
         BAD_COMMAND: line 6: unknown command \"udno\": did you mean \"undo\"?\n\
         OK: O to move at version 1; play X 0 0 @0; X is yours, O is free\n\
         OK: O to move, 3 x 3, 3 in a row, 1 move, version 1\n"
    );
    assert_eq!(join(&[address], script), (Some(1), expected, String::new()));
    let expected = format!(
        "> game side\nOK: game side, 3 x 3, 3 in a row, X to move\n> sit o\n\
         OK: you play O, X to move\n> board\n{}> play 0 0 @0\n\
         NOT_YOUR_TURN: line 4: it is not O's turn: X to move\n",
        board.replace("O to", "X to").replace("0 X", "0 .")
    );
    let arguments = ["--as", "o", "--echo", "--strict", address, "side"];
    let found = join(&arguments, "board\nplay 0 0 @0\nstatus\n");
    assert_eq!(found, (Some(1), expected, String::new()));
    let found = join(&["--format", "json", "--as", "any", address], "wait @1 1 # w\nquit\nboard\n");
    let standing = r#""game":"main","version":1,"turn":"O","winner":null,"over":false}"#;
    let expected = format!(
        "{{\"line\":1,\"command\":\"format\",\"result\":\"OK\",{standing}\n\
         {{\"line\":2,\"command\":\"sit\",\"result\":\"OK\",\"mark\":\"X\",{standing}\n\
         {{\"line\":3,\"command\":\"wait\",\"result\":\"OK\",\"comment\":\"w\",\"changes\":[],\
         \"seats\":{{\"x\":\"yours\",\"o\":\"free\"}},{standing}\n\
         {{\"line\":4,\"command\":\"quit\",\"result\":\"OK\",{standing}\n"
    );
    assert_eq!(found, (Some(0), expected, String::new()));
    // The end of the input ends no wait.
    let expected = "OK: O to move at version 1; X is free, O is free\n";
    assert_eq!(join(&[address], "wait @1 1"), (Some(0), expected.to_owned(), String::new()));
    assert_eq!(join(&[address], ""), (Some(0), String::new(), String::new()));
}

#[test]
fn join_says_that_the_connection_is_lost() {
    let server = Server::start(&[]);
    let address = server.address.clone();
    let mut joined = process()
        .args(["join", &address])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = joined.stdin.take().unwrap();
    stdin.write_all(b"sit\n").unwrap();
    let mut out = BufReader::new(joined.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "OK: you play X, X to move\n");
    server.end(Signal::SIGTERM);
    let run = joined.wait_with_output().unwrap();
    let lost = "noughts: the connection is lost: unexpected end of file\n";
    assert_eq!((run.status.code(), utf8(run.stderr)), (Some(2), lost.to_owned()));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "CLOSED: shutdown: the server ends\n");
    let refused = format!("noughts: {address}: Connection refused (os error 111)\n");
    assert_eq!(join(&[&address], "status\n"), (Some(2), String::new(), refused));
}

#[test]
fn one_connection_too_many_is_refused() {
    let server = Server::start(&["--connections", "2", "-v"]);
    let (mut one, mut two) = (server.client(), server.client());
    let standing = "OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0";
    assert_eq!([one.say("status"), two.say("status")], [standing, standing]);
    let full = "CLOSED: full: as many are connected as this server takes: try again later";
    let mut third = server.client();
    assert_eq!([third.hear(), third.hear()], [full, ""]);
    one.say("quit");
    assert_eq!(one.hear(), "");
    drop(one);
    // The place is free once the server has seen that the first has gone.
    while server.client().say("status") != standing {}
    let (status, _, err) = server.end(Signal::SIGTERM);
    assert_eq!(status, Some(0));
    assert!(err.starts_with("noughts: connection 1 from 127.0.0.1:"), "{err}");
    assert!(err.contains("noughts: a connection is refused"), "{err}");
}

#[test]
fn messages_are_few_and_hold_no_token() {
    let server = Server::start(&["-v"]);
    for _ in 0..40 {
        let mut client = server.client();
        client.send("sit X a-secret-token-of-mine\nsit a-secret-token-of-mine too\nquit\n");
        client.hear();
    }
    let (_, _, err) = server.end(Signal::SIGTERM);
    assert!(!err.contains("secret"), "{err}");
    // A second or two at most have passed.
    assert!(err.lines().count() < 80, "{err}");
}

/// What comes over a hostile wire, and what is answered before the connection ends.
#[test]
fn hostile_input_gets_an_answer_and_disturbs_nobody() {
    let server = Server::start(&[]);
    let mut player = server.client();
    assert_eq!(player.say("sit X"), "OK: you play X, X to move");
    let long = "x".repeat(8193);
    let most = format!("{}status\n", " ".repeat(8192 - 6));
    let too_long = "BAD_COMMAND: line 1: the line is longer than 8192 bytes: it was skipped\n";
    let standing = "OK: X to move, 3 x 3, 3 in a row, 0 moves, version 0\n";
    let hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\xaa\xbb";
    let http = "CLOSED: http: this is no web server: it takes lines such as \"sit X\"\n";
    let garbage: Vec<u8> = (0..1_u64 << 20)
        .map(|at| u8::try_from((at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & 0xff).unwrap())
        .collect();
    let not_utf8 =
        "BAD_COMMAND: line 1: byte 0xfc at column 9 is not UTF-8: a line is UTF-8 text\n";
    let cases: [(&[u8], Option<String>); 10] = [
        (b"", Some(String::new())),
        (b"status", Some(standing.to_owned())),
        (b"\xef\xbb\xbfstatus\r\n", Some(standing.to_owned())),
        (
            b"sta\0tus\n",
            Some(
                "BAD_COMMAND: line 1: unknown command \"sta\\0tus\": did you mean \"status\"?\n"
                    .to_owned(),
            ),
        ),
        (format!("{long}\nstatus\n").leak().as_bytes(), Some(format!("{too_long}{standing}"))),
        (long.as_bytes(), Some(too_long.to_owned())),
        (most.as_bytes(), Some(standing.to_owned())),
        (hello, Some(not_utf8.to_owned())),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", Some(http.to_owned())),
        (&garbage, None),
    ];
    for (bytes, expected) in cases {
        for is_split in [false, true] {
            let mut client = server.client();
            if is_split && bytes.len() < 100 {
                for byte in bytes {
                    client.output.write_all(&[*byte]).unwrap();
                }
            } else {
                let mut sender = client.close.as_ref().unwrap().try_clone().unwrap();
                // The replies to garbage are read meanwhile.
                let bytes = bytes.to_vec();
                let sending = thread::spawn(move || sender.write_all(&bytes));
                if expected.is_none() {
                    let mut input = client.input;
                    thread::spawn(move || std::io::copy(&mut input, &mut std::io::sink()));
                    sending.join().unwrap().unwrap();
                    break;
                }
                sending.join().unwrap().unwrap();
            }
            let found = client.finish();
            assert_eq!(Some(found), expected, "{:?}", bytes.get(..100));
        }
    }
    assert_eq!(player.say("play 0 0 @0"), "OK: X at 0 0, O to move");
}

/// Clients that send and never read are not read from for ever, and the server holds little of what
/// they do not read.
#[cfg(target_os = "linux")]
#[test]
fn clients_that_do_not_read_disturb_nobody() {
    let server = Server::start(&[]);
    let deaf: Vec<Client> = (0..20)
        .map(|_| {
            let mut client = server.client();
            let mut sender = client.close.take().unwrap();
            sender.set_nonblocking(true).unwrap();
            // Until the server reads no more.
            while sender.write_all("games\nboard\nhelp\n".repeat(500).as_bytes()).is_ok() {}
            client
        })
        .collect();
    let mut player = server.client();
    assert_eq!(player.say("sit X"), "OK: you play X, X to move");
    assert_eq!(player.say("play 0 0 @0"), "OK: X at 0 0, O to move");
    let status = fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 64 << 10, "{kib} KiB");
    drop(deaf);
    // Those that are gone while a reply waits for them are let go.
    let (status, ..) = server.end(Signal::SIGTERM);
    assert_eq!(status, Some(0));
}

/// Clients play while the server is killed: what was answered is there, and what was not is there
/// once or not at all.
#[test]
fn kill_9_loses_no_answered_change() {
    const CLIENTS: usize = 8;
    let journal = fresh("serve/killed.journal");
    let flags = ["--journal", journal.to_str().unwrap()];
    let mut versions = [0_u64; CLIENTS];
    for round in 0..rounds("NOUGHTS_KILLS", 4) {
        let server = Server::start(&flags);
        let (answered, most) = (AtomicUsize::new(0), 50 + 97 * round % 400);
        let played: Vec<(u64, u64)> = thread::scope(|scope| {
            let play = |own: usize, version: u64, mut client: Client| {
                let _ = client.output.write_all(format!("game g{own}\nsit X\nsit O\n").as_bytes());
                let (mut sent, mut heard) = (version, version);
                let mut seated = String::new();
                for _ in 0..3 {
                    seated.clear();
                    let _ = client.input.read_line(&mut seated);
                }
                while seated.starts_with("OK: you play O") {
                    // Nine moves that nobody wins, and a fresh game.
                    const MOVES: [&str; 10] =
                        ["0 0", "1 1", "2 2", "0 1", "2 1", "2 0", "0 2", "1 2", "1 0", ""];
                    let at = usize::try_from(heard % 10).unwrap();
                    let verb = if at < 9 { "play" } else { "new" };
                    let line = format!("{verb} {} @{heard}\n", MOVES[at]);
                    if client.output.write_all(line.as_bytes()).is_err() {
                        break;
                    }
                    sent = heard + 1;
                    let mut reply = String::new();
                    if client.input.read_line(&mut reply).is_err() || reply.is_empty() {
                        break;
                    }
                    assert!(reply.starts_with("OK: ") || reply.starts_with("DRAW: "), "{reply}");
                    heard = sent;
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                (sent, heard)
            };
            // All are there before the first is killed.
            let clients: Vec<Client> = versions.iter().map(|_| server.client()).collect();
            let games = clients.into_iter().zip(versions).enumerate();
            let players: Vec<_> = games
                .map(|(own, (client, version))| scope.spawn(move || play(own, version, client)))
                .collect();
            while answered.load(Ordering::Relaxed) < most {
                thread::yield_now();
            }
            kill(Pid::from_raw(server.process.id().cast_signed()), Signal::SIGKILL).unwrap();
            players.into_iter().map(|player| player.join().unwrap()).collect()
        });
        drop(server);
        let server = Server::start(&flags);
        for (own, (sent, heard)) in played.into_iter().enumerate() {
            let mut client = server.client();
            client.say("format json");
            let reply = client.say(&format!("game g{own}"));
            let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
            let version = reply["version"].as_u64().unwrap();
            assert!(version == sent || version == heard, "{version}, {sent}, {heard}");
            versions[own] = version;
        }
    }
}
