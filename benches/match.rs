//! A match between two programs, which tells by games the stronger one.
//!
//! `cargo bench --bench match -- GAMES FIRST SECOND [OPTION]...`, where FIRST and SECOND are
//! command lines of noughts, of any version that speaks JSON, with options of their own, and the
//! OPTIONs are given to both:
//!
//! ```sh
//! cargo bench --bench match -- 200 'target/release/noughts --nodes 20000' \
//!     'old/noughts --nodes 20000' --size 15 --win 5
//! ```
//!
//! Each opening of four random marks near the centre is played twice, with changed colours, so that
//! its value cancels out; the openings are the same in every match. Without arguments, as under
//! `cargo test --all-targets`, nothing is played.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use noughts::game::{Game, Mark, Outcome, Shape, Square};
use serde_json::Value;

/// The marks on the board before the programs move.
const OPENING: usize = 4;
/// Their greatest distance from the centre, small enough that they matter to each other.
const SPREAD: u16 = 3;
/// The games from one line with the score to the next.
const GAMES_A_LINE: u64 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [games, first, second, options @ ..] = &arguments[..] else {
        return Ok(());
    };
    let games: u64 = games.parse()?;
    let mut programs = [Program::start(first, options)?, Program::start(second, options)?];
    let shape = programs[0].shape()?;
    let mut score = Score::default();
    let mut out = io::stdout().lock();
    for at in 0..games {
        let opening = opening(shape, at / 2);
        // The program that has X changes within a pair of games.
        let x = usize::from(at % 2 == 1);
        let game = play(&mut programs, x, &opening)?;
        let mark = [Mark::X, Mark::O][x];
        let (count, result) = match game.outcome() {
            Some(Outcome::Won(winner)) if winner == mark => (&mut score.wins, "won"),
            Some(Outcome::Won(_)) => (&mut score.losses, "lost"),
            Some(Outcome::Drawn) | None => (&mut score.draws, "drew"),
        };
        *count += 1;
        write!(out, "{:>4} first {result} as {mark}: replay", at + 1)?;
        for Square { row, col } in game.moves() {
            write!(out, " {row} {col}")?;
        }
        writeln!(out)?;
        if (at + 1).is_multiple_of(GAMES_A_LINE) || at + 1 == games {
            writeln!(out, "{score}")?;
        }
    }
    for (program, name) in programs.iter().zip(["first", "second"]) {
        writeln!(
            out,
            "{name}: {} moves, {:.1?} a move, {:.1?} the longest",
            program.moves,
            program.time / program.moves.max(1),
            program.longest
        )?;
    }
    for program in programs {
        program.quit()?;
    }
    Ok(())
}

/// The results of the first program.
#[derive(Default)]
struct Score {
    wins: u32,
    draws: u32,
    losses: u32,
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let games = f64::from(self.wins + self.draws + self.losses);
        let points = f64::from(self.wins) + f64::from(self.draws) / 2.0;
        let share = points / games;
        // The standard error of the share, if games were independent.
        let squares = f64::from(self.wins) + f64::from(self.draws) / 4.0;
        let error = ((squares / games - share * share) / games).sqrt();
        write!(
            f,
            "first: {} won, {} drawn, {} lost: {points} of {games} points, {:.1} % ± {:.1}",
            self.wins,
            self.draws,
            self.losses,
            100.0 * share,
            100.0 * error
        )
    }
}

/// The opening of the n-th pair of games.
fn opening(shape: Shape, n: u64) -> Game {
    let mut state = n;
    let mut below = |most: u16| {
        // Splitmix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u16::try_from((mixed ^ (mixed >> 31)) % u64::from(most)).unwrap_or_default()
    };
    let mut near_centre = |side: u16| {
        let spread = SPREAD.min((side - 1) / 2);
        side / 2 - spread + below(2 * spread + 1)
    };
    let mut game = Game::new(shape);
    for _ in 0..OPENING {
        let (row, col) = (near_centre(shape.rows()), near_centre(shape.cols()));
        // A square that is taken leaves the opening a mark shorter, and a line is taken back.
        if game.play(Square { row, col }).is_ok() && game.outcome().is_some() {
            let _ = game.undo(1);
        }
    }
    game
}

/// Plays one game from an opening. The library referees it, whatever the programs believe.
fn play(programs: &mut [Program; 2], x: usize, opening: &Game) -> Result<Game, Box<dyn Error>> {
    let mut game = Game::new(opening.board().shape());
    for program in &mut *programs {
        program.ask("new")?;
    }
    let mut opening_moves = opening.moves().iter();
    while let Some(turn) = game.turn() {
        let at_turn = if turn == Mark::X { x } else { 1 - x };
        let given = opening_moves.next();
        let square = match given {
            Some(&square) => square,
            None => programs[at_turn].choose()?,
        };
        game.play(square).map_err(|refusal| format!("program {at_turn}: {refusal:?}"))?;
        let Square { row, col } = square;
        for (at, program) in programs.iter_mut().enumerate() {
            if given.is_some() || at != at_turn {
                program.ask(&format!("play {row} {col}"))?;
            }
        }
    }
    Ok(game)
}

/// A program at the other end of two pipes.
struct Program {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    moves: u32,
    time: Duration,
    longest: Duration,
}

impl Program {
    fn start(line: &str, options: &[String]) -> Result<Self, Box<dyn Error>> {
        let mut words = line.split_whitespace();
        let mut child = Command::new(words.next().ok_or("no program")?)
            .args(words)
            .args(["--format", "json"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{line}: {error}"))?;
        let (to, from) = child.stdin.take().zip(child.stdout.take()).ok_or("no pipe")?;
        Ok(Self {
            child,
            to,
            from: BufReader::new(from),
            moves: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
        })
    }

    /// Sends a command, which has to be accepted, and returns the reply.
    fn ask(&mut self, command: &str) -> Result<Value, Box<dyn Error>> {
        writeln!(self.to, "{command}")?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        let reply: Value = serde_json::from_str(&line)?;
        match reply["result"].as_str() {
            Some("OK" | "WIN" | "DRAW") => Ok(reply),
            _ => Err(format!("{command}: {line}").into()),
        }
    }

    fn shape(&mut self) -> Result<Shape, Box<dyn Error>> {
        let status = self.ask("status")?;
        let number = |name: &str| status[name].as_u64().ok_or("no shape");
        let shape = Shape::new(number("rows")?, number("cols")?, number("k")?)
            .map_err(|error| error.to_string())?;
        Ok(if status["exact"] == true { shape.with_exact(true) } else { shape })
    }

    fn choose(&mut self) -> Result<Square, Box<dyn Error>> {
        let start = Instant::now();
        let reply = self.ask("go best")?;
        let time = start.elapsed();
        self.moves += 1;
        self.time += time;
        self.longest = self.longest.max(time);
        let number = |name: &str| reply[name].as_u64().ok_or("no square");
        Ok(Square { row: number("row")?.try_into()?, col: number("col")?.try_into()? })
    }

    fn quit(mut self) -> Result<(), Box<dyn Error>> {
        self.ask("quit")?;
        self.child.wait()?;
        Ok(())
    }
}
