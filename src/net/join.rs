//! The client: lines go to a server, its replies come back.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use thiserror::Error;

use super::Address;
use crate::command::{Action, Line, MAX_LINE};
use crate::shell::printable;
use crate::shell::repl::{BLOCK, Options, Status};

/// The error that ends a conversation with a server early.
#[derive(Debug, Error)]
pub enum JoinError {
    #[error("{0}: {1}")]
    Connect(Address, io::Error),
    /// The input could not be read on.
    #[error("standard input: {0}")]
    Read(io::Error),
    /// The replies could not be written.
    #[error("standard output: {0}")]
    Write(io::Error),
    #[error("the connection is lost: {0}")]
    Lost(io::Error),
}

/// Sends the lines of `first` and of `input` to the server at `address`, and writes its replies to
/// `out`, until every line is answered. Where `out` `is_terminal`, what the server sends is written
/// as printable text.
///
/// # Errors
///
/// [`JoinError`]: among others where the server closes the connection before that.
pub fn join(
    address: &Address,
    first: &[String],
    input: impl Read + Send + 'static,
    mut out: impl Write,
    is_terminal: bool,
    options: Options,
) -> Result<Status, JoinError> {
    let connected = Stream::connect(address);
    let mut stream = connected.map_err(|error| JoinError::Connect(address.clone(), error))?;
    let replies = stream.try_clone().map_err(JoinError::Lost)?;
    let sent = Arc::new(Mutex::new(Sent::default()));
    let lines: String = first.iter().flat_map(|line| [line, "\n"]).collect();
    let input = BufReader::with_capacity(BLOCK, io::Cursor::new(lines).chain(input));
    {
        let sent = Arc::clone(&sent);
        // It may wait for input when the server is gone, and ends with the program.
        thread::spawn(move || send(input, &mut stream, &sent));
    }
    let read = hear(replies, &mut out, is_terminal, options, &sent);
    out.flush().map_err(JoinError::Write)?;
    read
}

/// What was sent and is not answered yet.
#[derive(Default)]
struct Sent {
    /// The commands, as they are echoed, and whether they are `quit`.
    commands: VecDeque<(String, bool)>,
    /// True once no more comes.
    is_over: bool,
    /// The error of the input.
    error: Option<io::Error>,
}

fn lock(sent: &Mutex<Sent>) -> MutexGuard<'_, Sent> {
    sent.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends every line of the input. The connection is closed for writing once all are answered, since
/// the end of the input would end a `wait`.
fn send(mut input: impl BufRead, stream: &mut Stream, sent: &Mutex<Sent>) {
    let mut line = Vec::new();
    let mut is_first = true;
    let ended = loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break Ok(()),
            Err(error) => break Err(error),
            Ok(_) => {}
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let bytes = line.strip_suffix(b"\n").unwrap_or(&line);
        if let Some(line) = Line::new(bytes, is_first) {
            let quits = line.parse().is_ok_and(|command| command.action == Action::Quit);
            lock(sent).commands.push_back((line.to_string(), quits));
        }
        is_first = false;
        // The other thread sees that the connection is lost.
        if stream.write_all(&line).is_err() {
            return;
        }
    };
    let mut sent = lock(sent);
    sent.is_over = true;
    sent.error = ended.err();
    if sent.commands.is_empty() {
        let _ = stream.shutdown();
    }
}

/// Writes the replies, until every line is answered.
fn hear(
    stream: Stream,
    out: &mut impl Write,
    is_terminal: bool,
    options: Options,
    sent: &Mutex<Sent>,
) -> Result<Status, JoinError> {
    let mut input = BufReader::with_capacity(BLOCK, stream);
    let (mut status, mut line) = (Status::Clean, Vec::new());
    loop {
        if input.buffer().is_empty() {
            out.flush().map_err(JoinError::Write)?;
        }
        line.clear();
        let most = MAX_LINE as u64;
        let length = (&mut input).take(most).read_until(b'\n', &mut line);
        let is_lost = |sent: &Sent| !(sent.is_over && sent.commands.is_empty());
        match length {
            Ok(0) => {
                let mut sent = lock(sent);
                if let Some(error) = sent.error.take() {
                    return Err(JoinError::Read(error));
                }
                if is_lost(&sent) {
                    return Err(JoinError::Lost(io::ErrorKind::UnexpectedEof.into()));
                }
                return Ok(status);
            }
            Err(error) if is_lost(&lock(sent)) => return Err(JoinError::Lost(error)),
            Err(_) => return Ok(status),
            Ok(_) => {}
        }
        let result = result(&line);
        let mut has_quit = false;
        if let Some(result) = result.filter(|result| *result != "CLOSED") {
            let mut sent = lock(sent);
            if let Some((command, quits)) = sent.commands.pop_front() {
                has_quit = quits;
                if options.echo {
                    writeln!(out, "> {command}").map_err(JoinError::Write)?;
                }
            }
            if sent.is_over && sent.commands.is_empty() {
                let _ = input.get_ref().shutdown();
            }
            if result == "BAD_COMMAND" {
                status = Status::Misunderstood;
            }
        }
        if is_terminal {
            let text = String::from_utf8_lossy(&line);
            writeln!(out, "{}", printable(text.trim_end_matches(['\r', '\n'])))
        } else {
            out.write_all(&line)
        }
        .map_err(JoinError::Write)?;
        let is_refused = result.is_some_and(|result| !["OK", "WIN", "DRAW"].contains(&result));
        if options.strict && is_refused {
            return Ok(Status::Stopped);
        }
        if has_quit {
            return Ok(status);
        }
    }
}

/// The result of a reply, if the line begins one: a reply in text may have several lines.
fn result(line: &[u8]) -> Option<&str> {
    let line = str::from_utf8(line).ok()?;
    let (result, _) = match line.split_once("\"result\":\"") {
        Some((_, rest)) if line.starts_with('{') => rest.split_once('"')?,
        _ => line.split_once(": ")?,
    };
    let is_code = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    (!result.is_empty() && result.bytes().all(is_code)).then_some(result)
}

/// The socket of a client.
enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    fn connect(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => {
                let stream = TcpStream::connect(address.as_str())?;
                stream.set_nodelay(true)?;
                Ok(Self::Tcp(stream))
            }
            #[cfg(unix)]
            Address::Unix(path) => UnixStream::connect(path).map(Self::Unix),
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::Error::other("Unix sockets are for Unix: use HOST:PORT")),
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(stream) => stream.try_clone().map(Self::Tcp),
            #[cfg(unix)]
            Self::Unix(stream) => stream.try_clone().map(Self::Unix),
        }
    }

    /// Says that nothing more is sent.
    fn shutdown(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Write),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(Shutdown::Write),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            #[cfg(unix)]
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            #[cfg(unix)]
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
