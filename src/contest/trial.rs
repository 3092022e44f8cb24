//! `noughts match --check`: one game of a player against `random`, and what its author should know.

use std::fmt::Write as _;
use std::io::Write;

use super::report::object;
use super::tournament::{Played, Seats};
use super::{Ending, Match, MatchError, Processes, Protocol, Who};
use crate::game::{Mark, Outcome};
use crate::player::{Cause, Forfeit};
use crate::shell::printable;

/// Plays the first game of `contest`, and tells what is wrong with its first player.
///
/// # Errors
///
/// [`MatchError`] where it cannot be started or `out` fails.
pub fn trial(
    contest: &Match,
    processes: &Processes,
    stops: impl Fn() -> bool,
    mut out: impl Write,
) -> Result<Ending, MatchError> {
    let Some(fixture) = contest.fixture(0) else {
        return Err(MatchError::TooFew(contest.players.len()));
    };
    let Some(played) = Seats::new(contest, processes).play(fixture, &stops)? else {
        return Ok(Ending::Stopped);
    };
    let text =
        if contest.is_json { object(&played, &contest.names()) } else { told(&played, contest) };
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(MatchError::Write)?;
    Ok(if played.forfeit.is_some() { Ending::Forfeited } else { Ending::Played })
}

fn told(played: &Played, contest: &Match) -> String {
    let names = contest.names();
    let name = names.first().map_or("", String::as_str);
    let count = played.game.moves().len();
    let moves = if count == 1 { "move" } else { "moves" };
    let Some(Forfeit { cause, message }) = &played.forfeit else {
        let end = match played.outcome() {
            Outcome::Drawn => "drew",
            Outcome::Won(Mark::X) => "won",
            Outcome::Won(Mark::O) => "lost",
        };
        return format!(
            "OK: {name} played a whole game against random as X, and {end} in {count} {moves}\n"
        );
    };
    let cause_name = cause.name();
    let message = printable(message);
    let mut text =
        format!("FAILED: {name} lost by forfeit ({cause_name}) after {count} {moves}\n{message}\n");
    let protocol = match contest.players.first().map(|player| &player.who) {
        Some(Who::Program(program)) => program.protocol,
        _ => return text,
    };
    #[cfg(unix)]
    if let (Protocol::Cmd, Some(mark)) = (protocol, played.game.turn()) {
        let mut question = String::new();
        super::cmd::write_question(&played.game, mark, &mut question);
        let _ = write!(text, "it was asked: {question}");
    }
    let _ = writeln!(text, "{}", advice(*cause, protocol));
    text
}

/// Returns what the author of a program can do about a forfeit.
const fn advice(cause: Cause, protocol: Protocol) -> &'static str {
    match (cause, protocol) {
        (Cause::Time, _) => {
            "the clock runs from the question to the end of the line with the answer; --time SECS \
             gives more time"
        }
        (Cause::Stalled, Protocol::Cmd) => {
            "write one line for each line that is read, and flush it: in Python \
             print(row, col, flush=True)"
        }
        (Cause::Stalled, Protocol::Gomocup) => {
            "answer BEGIN, TURN and BOARD with a line such as 7,7, and flush it"
        }
        (Cause::Crash, _) => {
            "what it wrote on standard error tells why; it must go on after its answer, and read \
             the next line until its input ends"
        }
        (Cause::Illegal, Protocol::Cmd) => {
            "in the question the board follows k, rows from the top, and \".\" is an empty square; \
             an answer has the row and the column, from 0"
        }
        (Cause::Illegal, Protocol::Gomocup) => {
            "an answer is x,y, from 0 at the top left, of an empty square"
        }
        (Cause::Garbled, Protocol::Cmd) => {
            "an answer is one line with a square alone, such as \"2 2\"; whatever else it says \
             belongs on standard error"
        }
        (Cause::Garbled, Protocol::Gomocup) => {
            "an answer is one line such as 7,7; whatever else it says begins with MESSAGE or DEBUG"
        }
    }
}
