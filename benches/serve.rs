//! Round trips of a server, beside a bare echo on the same runtime, and memory of connections.
//!
//! `cargo bench --bench serve -- speed` asks `noughts serve` and the echo in turn, by the same
//! clients, over 1, 50 and 1,000 connections on the loopback address. `cargo bench --bench serve --
//! memory 10000` opens so many connections. Without arguments, as under `cargo test
//! --all-targets`, nothing is measured.
#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

use std::cell::Cell;
use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, spawn_local};

/// The time for which each server is asked at once.
const TIME: Duration = Duration::from_secs(2);
/// The number of times that each server is asked.
const TIMES: usize = 3;

/// The question: its answer is short and changes nothing.
const LINE: &[u8] = b"at 5\n";

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["echo"] => runtime()?.block_on(LocalSet::new().run_until(echo()))?,
        ["speed"] => speed()?,
        ["memory", count] => memory(count.parse()?)?,
        _ => {}
    }
    Ok(())
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_io().enable_time().build()
}

/// Sends back what comes, on a free port that is told on standard error as by `noughts serve`.
async fn echo() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stderr(), "listening on {}", listener.local_addr()?)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        spawn_local(async move {
            let mut bytes = vec![0; 8 << 10];
            while let Ok(count @ 1..) = read(&stream, &mut bytes).await {
                if write(&stream, &bytes[..count]).await.is_err() {
                    break;
                }
            }
        });
    }
}

async fn read(stream: &TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        stream.readable().await?;
        match stream.try_read(bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            done => return done,
        }
    }
}

async fn write(stream: &TcpStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A server beside the bench, which is killed at its end.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(command: &mut Command) -> io::Result<Self> {
        let mut process = command.stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stderr) = process.stderr.take() {
            BufReader::new(stderr).read_line(&mut line)?;
        }
        let address = line.trim_end().rsplit(' ').next().unwrap_or_default().to_owned();
        Ok(Self { process, address })
    }

    fn noughts(flags: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_noughts"));
        Self::start(command.arg("serve").args(flags).arg("127.0.0.1:0"))
    }

    /// The resident memory, in KiB.
    fn memory(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = resident.and_then(|kib| kib.trim().trim_end_matches(" kB").parse().ok());
        kib.ok_or_else(|| io::Error::other("no VmRSS"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Asks over so many connections, and returns the round trips a second, and how long 99 of 100 take
/// at most.
async fn ask(address: &str, connections: usize) -> io::Result<(f64, Duration)> {
    let end = Rc::new(Cell::new(None));
    let mut tasks = Vec::new();
    for _ in 0..connections {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let end = Rc::clone(&end);
        tasks.push(async move {
            let (mut bytes, mut times) = (vec![0; 1 << 10], Vec::new());
            while end.get().is_none_or(|end| Instant::now() < end) {
                let start = Instant::now();
                write(&stream, LINE).await?;
                let mut count = read(&stream, &mut bytes).await?;
                while bytes[count - 1] != b'\n' {
                    count = read(&stream, &mut bytes).await?;
                }
                times.push(start.elapsed());
            }
            Ok::<_, io::Error>(times)
        });
    }
    let start = Instant::now();
    end.set(Some(start + TIME));
    let tasks: Vec<_> = tasks.into_iter().map(spawn_local).collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.map_err(io::Error::other)??);
    }
    let seconds = start.elapsed().as_secs_f64();
    times.sort_unstable();
    let slow = times[times.len() * 99 / 100];
    Ok((times.len() as f64 / seconds, slow))
}

/// Compares the server with the echo. The better of several runs counts, in turn.
fn speed() -> Result<(), Box<dyn Error>> {
    let journal = std::env::temp_dir().join(format!("noughts-bench-{}", std::process::id()));
    let journal_name = journal.to_string_lossy().into_owned();
    let servers = [
        ("echo", Server::start(Command::new(std::env::current_exe()?).arg("echo"))?),
        ("noughts serve", Server::noughts(&["--connections", "2000"])?),
        (
            "with --journal",
            Server::noughts(&["--connections", "2000", "--journal", &journal_name])?,
        ),
    ];
    let runtime = runtime()?;
    let mut out = io::stdout().lock();
    writeln!(out, "connections  server          round trips/s  of echo  99 of 100 within")?;
    for connections in [1, 50, 1000] {
        let mut best = [(0.0_f64, Duration::MAX); 3];
        for _ in 0..TIMES {
            for ((_, server), best) in servers.iter().zip(&mut best) {
                let set = LocalSet::new();
                let asking = set.run_until(ask(&server.address, connections));
                let (rate, slow) = runtime.block_on(asking)?;
                *best = (best.0.max(rate), best.1.min(slow));
            }
        }
        for ((name, _), (rate, slow)) in servers.iter().zip(best) {
            let part = rate / best[0].0;
            writeln!(out, "{connections:>11}  {name:<14}  {rate:>13.0}  {part:>7.2}  {slow:?}")?;
        }
    }
    fs::remove_file(journal)?;
    Ok(())
}

/// Opens connections that have spoken once, and tells what each takes.
fn memory(count: usize) -> Result<(), Box<dyn Error>> {
    let server = Server::noughts(&["--connections", &(count + 10).to_string()])?;
    let runtime = runtime()?;
    let (before, after) = runtime.block_on(async {
        let (mut streams, mut before, mut bytes) = (Vec::new(), 0, vec![0; 1 << 10]);
        for nth in 0..=count {
            let stream = TcpStream::connect(&server.address).await?;
            write(&stream, LINE).await?;
            read(&stream, &mut bytes).await?;
            streams.push(stream);
            if nth == 0 {
                before = server.memory()?;
            }
        }
        Ok::<_, io::Error>((before, server.memory()?))
    })?;
    let each = (after - before) as f64 / count as f64;
    writeln!(io::stdout(), "{count} connections: {after} KiB, {each:.2} KiB each")?;
    Ok(())
}
