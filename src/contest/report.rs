//! The report of a match: a line a game, and a table of all.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};

use serde_json::{Value, json};

use super::sprt::Sprt;
use super::statistics::{Pairs, real};
use super::tournament::{Match, Played};
use crate::game::{Mark, Outcome};
use crate::player::Forfeit;
use crate::records::{Format as RecordFormat, Record};
use crate::shell::printable;

/// Returns the line of a game: `3: X mine, O random: mine wins in 7 moves`.
pub(super) fn line(played: &Played, names: &[String]) -> String {
    let name = |mark| names.get(played.fixture.player_of(mark)).map_or("", String::as_str);
    let (number, count) = (played.fixture.index + 1, played.game.moves().len());
    let moves = if count == 1 { "move" } else { "moves" };
    let mut text = format!("{number}: X {}, O {}: ", name(Mark::X), name(Mark::O));
    let end = match (&played.forfeit, played.outcome()) {
        (Some(Forfeit { cause, message }), Outcome::Won(mark)) => {
            let (cause, message) = (cause.name(), printable(message));
            let winner = name(mark);
            format!("{winner} wins by forfeit ({cause}) after {count} {moves}: {message}")
        }
        (_, Outcome::Won(mark)) => format!("{} wins in {count} {moves}", name(mark)),
        (_, Outcome::Drawn) => format!("a draw in {count} {moves}"),
    };
    text.push_str(&end);
    text
}

/// Returns the object of a game, a line, with the members that `noughts convert` has, and more.
pub(super) fn object(played: &Played, names: &[String]) -> String {
    let name = |mark| names.get(played.fixture.player_of(mark)).cloned().unwrap_or_default();
    let mut text = Vec::new();
    if let Some(mut record) = Record::of(&played.game) {
        record.name = (played.fixture.index + 1).to_string();
        record.x = name(Mark::X);
        record.o = name(Mark::O);
        record.stated = Some(played.outcome());
        record.others.push(("opening".to_owned(), json!(played.opening)));
        if let Some(Forfeit { cause, message }) = &played.forfeit {
            cause.name().clone_into(&mut record.reason);
            record.others.push(("message".to_owned(), json!(message)));
        }
        // Writing to memory does not fail.
        let _ = RecordFormat::Jsonl.write(&record, &mut text);
    }
    String::from_utf8(text).unwrap_or_default()
}

/// The results of a player against one or more others.
#[derive(Clone, Copy, Default)]
struct Results {
    won: u64,
    drawn: u64,
    lost: u64,
    pairs: Pairs,
}

impl Results {
    const fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Returns the share of the points, of one game at least.
    fn score(&self) -> Option<f64> {
        let points = real(self.won) + real(self.drawn) / 2.0;
        (self.games() > 0).then(|| points / real(self.games()))
    }

    fn reversed(self) -> Self {
        Self { won: self.lost, lost: self.won, pairs: self.pairs.reversed(), ..self }
    }

    fn extend(&mut self, other: Self) {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
        self.pairs.extend(other.pairs);
    }
}

/// A row of the table: a player against all others, or against one.
struct Row {
    player: usize,
    against: Option<usize>,
    results: Results,
}

/// The report of a match, written while it goes on.
pub(super) struct Report<'a, W> {
    contest: &'a Match,
    names: Vec<String>,
    out: W,
    /// The results of the first of each two players.
    results: Vec<Results>,
    /// The halves of a point in the first game of a pair, until the second one is over.
    first: usize,
    /// The forfeits of each player.
    forfeits: Vec<BTreeMap<&'static str, u64>>,
    /// The hashes of games, with their players.
    distinct: HashSet<u64>,
}

impl<'a, W: Write> Report<'a, W> {
    pub fn new(contest: &'a Match, out: W) -> Self {
        let names = contest.names();
        Self {
            contest,
            out,
            results: vec![Results::default(); contest.pairings().len()],
            first: 0,
            forfeits: vec![BTreeMap::new(); names.len()],
            names,
            distinct: HashSet::new(),
        }
    }

    /// Counts the next game, and tells of it.
    pub fn add(&mut self, played: &Played) -> io::Result<()> {
        self.count(played);
        if self.contest.is_json {
            self.out.write_all(object(played, &self.names).as_bytes())?;
        } else {
            writeln!(self.out, "{}", line(played, &self.names))?;
        }
        self.out.flush()
    }

    /// Counts the next game.
    pub fn count(&mut self, played: &Played) {
        let halves = played.halves();
        if let Some(results) = self.results.get_mut(played.fixture.pairing) {
            let count = [&mut results.lost, &mut results.drawn, &mut results.won];
            for (count, of) in count.into_iter().zip(0..) {
                *count += u64::from(of == halves);
            }
            if played.fixture.is_changed {
                results.pairs.add(self.first + halves);
            }
        }
        self.first = halves;
        let loser = played.game.turn().map(|turn| played.fixture.player_of(turn));
        let forfeits = loser.and_then(|loser| self.forfeits.get_mut(loser));
        if let (Some(Forfeit { cause, .. }), Some(forfeits)) = (&played.forfeit, forfeits) {
            *forfeits.entry(cause.name()).or_default() += 1;
        }
        let mut hasher = DefaultHasher::new();
        (played.fixture.players, played.game.moves()).hash(&mut hasher);
        self.distinct.insert(hasher.finish());
    }

    /// Tells whether the test of the match has its decision.
    pub fn is_decided(&self) -> bool {
        let decision = self.contest.sprt.map(|sprt| sprt.decision(self.pairs()));
        decision.flatten().is_some()
    }

    /// Returns the pairs of the first two players.
    fn pairs(&self) -> Pairs {
        self.results.first().map(|results| results.pairs).unwrap_or_default()
    }

    /// Lists the rows of the table: of two players the first; of more each against all others, and
    /// then each two of them.
    fn rows(&self) -> Vec<Row> {
        let pairings = self.contest.pairings();
        let each_two = pairings.iter().zip(&self.results).map(|(&[player, other], results)| Row {
            player,
            against: Some(other),
            results: *results,
        });
        if self.names.len() == 2 {
            return each_two.collect();
        }
        let all = (0..self.names.len()).map(|player| {
            let mut sum = Results::default();
            for ([first, second], results) in pairings.iter().zip(&self.results) {
                if *first == player {
                    sum.extend(*results);
                } else if *second == player {
                    sum.extend(results.reversed());
                }
            }
            Row { player, against: None, results: sum }
        });
        all.chain(each_two).collect()
    }

    /// Tells the table.
    pub fn end(&mut self) -> io::Result<()> {
        let text = if self.contest.is_json { self.object() } else { self.table() };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn name(&self, player: usize) -> &str {
        self.names.get(player).map_or("", String::as_str)
    }

    fn games(&self) -> u64 {
        self.results.iter().map(Results::games).sum()
    }

    fn table(&self) -> String {
        let rows = self.rows();
        let is_of_two = self.names.len() == 2;
        let title = |row: &Row| match row.against {
            Some(other) if !is_of_two => {
                format!("{} - {}", self.name(row.player), self.name(other))
            }
            _ => self.name(row.player).to_owned(),
        };
        let heads = ["player", "games", "won", "drawn", "lost", "score", " Elo", "LOS"];
        let mut cells = vec![heads.map(str::to_owned)];
        for row in &rows {
            let Results { won, drawn, lost, pairs, .. } = row.results;
            let percent = |share: Option<f64>| {
                share.map_or("-".to_owned(), |share| format!("{:.1}%", 100.0 * share))
            };
            let elo = pairs.elo().to_string();
            let sign = if elo.starts_with(|c: char| c.is_ascii_digit()) { " " } else { "" };
            cells.push([
                title(row),
                row.results.games().to_string(),
                won.to_string(),
                drawn.to_string(),
                lost.to_string(),
                percent(row.results.score()),
                format!("{sign}{elo}"),
                percent(pairs.los()),
            ]);
        }
        let mut widths = [0; 8];
        for row in &cells {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for row in &cells {
            for (nth, (cell, width)) in row.iter().zip(widths).enumerate() {
                let blanks = if nth > 0 { "  " } else { "" };
                // Writing to a string does not fail.
                let _ = match nth {
                    0 | 6 => write!(text, "{blanks}{cell:<width$}"),
                    _ => write!(text, "{blanks}{cell:>width$}"),
                };
            }
            text.push('\n');
        }
        for row in rows.iter().filter(|row| row.against.is_some()) {
            let counts = row.results.pairs.counts().map(|count| count.to_string()).join(" ");
            let _ = writeln!(text, "pairs of {}, 0 to 2 points: {counts}", title(row));
        }
        let forfeits: Vec<String> =
            self.forfeits.iter().zip(&self.names).filter_map(told).collect();
        if !forfeits.is_empty() {
            let _ = writeln!(text, "forfeits: {}", forfeits.join(", "));
        }
        let (distinct, games) = (self.distinct.len(), self.games());
        let _ = writeln!(text, "distinct games: {distinct} of {games}");
        if let Some(count) = self.repeated() {
            let _ = writeln!(text, "openings: {count}, again from the first after each {count}");
        }
        if let Some(sprt) = self.contest.sprt {
            let (elo0, elo1) = sprt.elo();
            let (llr, (lower, upper)) = (sprt.llr(self.pairs()), Sprt::bounds());
            let error = Sprt::ERROR;
            let decision = sprt.decision(self.pairs());
            let decision = decision.map_or("not decided".to_owned(), |hypothesis| {
                format!("{} accepted", hypothesis.name())
            });
            let _ = writeln!(
                text,
                "SPRT, H0 {elo0} Elo, H1 {elo1} Elo, alpha = beta = {error}: LLR {llr:.2}, \
                 bounds {lower:.2} and {upper:.2}: {decision}"
            );
        }
        text
    }

    /// Returns the number of openings where pairs of games have the same: more than one.
    fn repeated(&self) -> Option<u64> {
        let rounds = self.games().div_ceil(2 * self.results.len().max(1) as u64);
        self.contest.openings.count().filter(|count| (2..rounds).contains(count))
    }

    /// Returns the table as an object, a line.
    fn object(&self) -> String {
        let rows: Vec<String> = self.rows().iter().map(|row| self.row(row)).collect();
        let mut text = format!(
            "{{\"table\":[{}],\"games\":{},\"distinct\":{}",
            rows.join(","),
            self.games(),
            self.distinct.len()
        );
        if let Some(count) = self.contest.openings.count() {
            let _ = write!(text, ",\"openings\":{count}");
        }
        if let Some(sprt) = self.contest.sprt {
            let (elo0, elo1) = sprt.elo();
            let (llr, (lower, upper)) = (sprt.llr(self.pairs()), Sprt::bounds());
            let decision = sprt.decision(self.pairs()).map(super::Hypothesis::name);
            let [llr, lower, upper] = [llr, lower, upper].map(|number| rounded(number, 100.0));
            let _ = write!(
                text,
                ",\"sprt\":{{\"elo0\":{elo0},\"elo1\":{elo1},\"alpha\":{error},\"beta\":{error},\
                 \"llr\":{llr},\"lower\":{lower},\"upper\":{upper},\"accepted\":{}}}",
                json!(decision),
                error = Sprt::ERROR,
            );
        }
        text.push_str("}\n");
        text
    }

    fn row(&self, row: &Row) -> String {
        let Results { won, drawn, lost, pairs } = row.results;
        let mut text = format!("{{\"player\":{}", json!(self.name(row.player)));
        if let Some(other) = row.against {
            let _ = write!(text, ",\"against\":{}", json!(self.name(other)));
        }
        let elo = pairs.elo();
        let number = |number: Option<f64>, parts| {
            number.map_or(Value::Null, |number| rounded(number, parts))
        };
        let _ = write!(
            text,
            ",\"games\":{},\"won\":{won},\"drawn\":{drawn},\"lost\":{lost},\"score\":{},\
             \"elo\":{},\"error\":{},\"elo_low\":{},\"elo_high\":{},\"los\":{},\"pairs\":{}",
            row.results.games(),
            number(row.results.score(), 1e4),
            number(elo.estimate, 10.0),
            number(elo.error(), 10.0),
            number(elo.low, 10.0),
            number(elo.high, 10.0),
            number(pairs.los(), 1e4),
            json!(pairs.counts()),
        );
        // Forfeits are of a player, whoever the opponent was.
        let is_of_all = row.against.is_none() || self.names.len() == 2;
        if is_of_all {
            let _ = write!(text, ",\"forfeits\":{}", self.forfeits_of(row.player));
        }
        if let Some(other) = row.against.filter(|_| is_of_all) {
            let _ = write!(text, ",\"forfeits_against\":{}", self.forfeits_of(other));
        }
        text.push('}');
        text
    }

    /// Returns the forfeits of a player by their causes, as an object.
    fn forfeits_of(&self, player: usize) -> Value {
        let forfeits = self.forfeits.get(player).into_iter().flatten();
        forfeits.map(|(cause, count)| ((*cause).to_owned(), json!(count))).collect()
    }
}

/// Returns the forfeits of a player as text, if there are any: `mine 2 (1 illegal, 1 time)`.
fn told((forfeits, name): (&BTreeMap<&'static str, u64>, &String)) -> Option<String> {
    let count: u64 = forfeits.values().sum();
    let causes = forfeits.iter().map(|(cause, count)| format!("{count} {cause}"));
    let causes: Vec<String> = causes.collect();
    (count > 0).then(|| format!("{name} {count} ({})", causes.join(", ")))
}

/// Returns a number with so many parts of one at most, so that it is the same on every machine.
fn rounded(number: f64, parts: f64) -> Value {
    json!((number * parts).round() / parts + 0.0)
}
