//! A second implementation of the contract, in which a game is a list of moves, and all else is
//! computed anew for each reply. Random conversations must get the same replies from both.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the boards are small"
)]

use std::collections::BTreeMap;
use std::fmt::Write;

use noughts::command::Size;
use noughts::limit::Limit;
use noughts::reply::Format;
use noughts::session::Setup;
use proptest::prelude::*;

use crate::properties;
use crate::support::seeded;

/// A row and a column. Off the board they may be anything.
type At = (i64, i64);

/// The marks of a board, row by row.
type Grid = Vec<Vec<char>>;

/// The result of a reply, and its members between `result` and `game`.
type Answer = (&'static str, String);

/// The steps along a row, a column, a diagonal and an anti-diagonal.
const DIRECTIONS: [At; 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// A game: its first board and the moves since.
#[derive(Clone)]
struct Record {
    k: usize,
    start: Grid,
    moves: Vec<At>,
    /// The next one to be played again is the last.
    undone: Vec<At>,
    version: u64,
}

fn empty(rows: usize, cols: usize) -> Grid {
    vec![vec!['.'; cols]; rows]
}

fn at(grid: &Grid, (row, col): At) -> Option<char> {
    let row = grid.get(usize::try_from(row).ok()?)?;
    row.get(usize::try_from(col).ok()?).copied()
}

fn count(grid: &Grid, mark: char) -> usize {
    grid.iter().flatten().filter(|&&at| at == mark).count()
}

fn squares(grid: &Grid) -> Vec<At> {
    let (rows, cols) = (grid.len() as i64, grid[0].len() as i64);
    (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))).collect()
}

fn put(grid: &mut Grid, (row, col): At, mark: char) {
    grid[row as usize][col as usize] = mark;
}

/// Returns whose turn it is: X moves first, then the marks alternate.
fn next(grid: &Grid) -> char {
    if count(grid, 'X') == count(grid, 'O') { 'X' } else { 'O' }
}

fn other(mark: char) -> char {
    if mark == 'X' { 'O' } else { 'X' }
}

/// Returns the run of the mark at `from` in one direction.
fn run(grid: &Grid, from: At, (down, right): At) -> Vec<At> {
    let mark = at(grid, from);
    let step = |(row, col): At, by: i64| (row + by * down, col + by * right);
    let mut start = from;
    while at(grid, step(start, -1)) == mark {
        start = step(start, -1);
    }
    let squares = (0..).map(|by| step(start, by));
    squares.take_while(|&square| at(grid, square) == mark).collect()
}

fn pairs(squares: &[At]) -> String {
    let pairs: Vec<String> = squares.iter().map(|(row, col)| format!("[{row},{col}]")).collect();
    format!("[{}]", pairs.join(","))
}

fn strings(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>().join(","))
}

/// A whole session.
struct Model {
    shape: (usize, usize, usize),
    exact: bool,
    /// The marks that the player `rules` moves for are true.
    seats: BTreeMap<char, bool>,
    name: String,
    games: BTreeMap<String, Record>,
}

impl Model {
    fn fresh(&self) -> Record {
        let (rows, cols, k) = self.shape;
        Record { k, start: empty(rows, cols), moves: Vec::new(), undone: Vec::new(), version: 0 }
    }

    fn game(&mut self) -> &mut Record {
        self.games.get_mut(&self.name).unwrap()
    }

    fn is_line(&self, run: &[At], k: usize) -> bool {
        if self.exact { run.len() == k } else { run.len() >= k }
    }

    /// Returns the lines through a square.
    fn lines(&self, grid: &Grid, from: At, k: usize) -> Vec<Vec<At>> {
        let runs = DIRECTIONS.iter().map(|&direction| run(grid, from, direction));
        runs.filter(|run| self.is_line(run, k)).collect()
    }

    fn has_line(&self, grid: &Grid, mark: char, k: usize) -> bool {
        let mut own = squares(grid).into_iter().filter(|&square| at(grid, square) == Some(mark));
        own.any(|square| !self.lines(grid, square, k).is_empty())
    }

    fn grid(game: &Record) -> Grid {
        let mut grid = game.start.clone();
        for &square in &game.moves {
            let mark = next(&grid);
            put(&mut grid, square, mark);
        }
        grid
    }

    /// Returns the mark that has won, or `.` where the board is full.
    fn outcome(&self, grid: &Grid, k: usize) -> Option<char> {
        let winner = ['X', 'O'].into_iter().find(|&mark| self.has_line(grid, mark, k));
        winner.or((count(grid, '.') == 0).then_some('.'))
    }

    fn turn(&self, game: &Record) -> Option<char> {
        let grid = Self::grid(game);
        self.outcome(&grid, game.k).is_none().then(|| next(&grid))
    }

    fn is_for_a_computer(&self) -> bool {
        self.turn(&self.games[&self.name]).is_some_and(|turn| self.seats[&turn])
    }

    /// Returns the result and the winning lines after the last move.
    fn verdict(&self, game: &Record) -> Answer {
        let grid = Self::grid(game);
        let lines = self.lines(&grid, *game.moves.last().unwrap(), game.k);
        if !lines.is_empty() {
            let lines: Vec<String> = lines.iter().map(|line| pairs(line)).collect();
            return ("WIN", format!(",\"winning_lines\":[{}]", lines.join(",")));
        }
        (if count(&grid, '.') == 0 { "DRAW" } else { "OK" }, String::new())
    }

    /// Returns why a move is refused, and the members that say so: `None` where it is legal.
    fn refusal(
        &self,
        game: &Record,
        mark: Option<char>,
        square: At,
        seen: Option<u64>,
    ) -> Option<Answer> {
        let (grid, turn) = (Self::grid(game), self.turn(game));
        let on_board = at(&grid, square);
        let mark = mark.or(turn);
        let mut members = String::new();
        if on_board.is_some() {
            if let Some(mark) = mark {
                write!(members, ",\"mark\":\"{mark}\"").unwrap();
            }
            write!(members, ",\"row\":{},\"col\":{}", square.0, square.1).unwrap();
        }
        let because = |reason| (",\"reason\":\"").to_owned() + reason + "\"" + &members;
        if turn.is_none() {
            return Some(("GAME_OVER", members));
        }
        if seen.is_some_and(|seen| seen != game.version) {
            return Some(("STALE", members));
        }
        if mark != turn {
            return Some(("NOT_YOUR_TURN", members));
        }
        match on_board {
            None => Some(("INVALID_MOVE", because("off_board"))),
            Some('.') => None,
            Some(_) => Some(("INVALID_MOVE", because("occupied"))),
        }
    }

    /// Plays a legal move.
    fn play(&mut self, square: At, thought: &str) -> Answer {
        let mark = next(&Self::grid(self.game()));
        let game = self.game();
        game.moves.push(square);
        game.undone.clear();
        game.version += 1;
        let game = self.game().clone();
        let (result, lines) = self.verdict(&game);
        let (row, col) = square;
        (result, format!(",\"mark\":\"{mark}\",\"row\":{row},\"col\":{col}{thought}{lines}"))
    }

    /// Returns the members that tell who sits where.
    fn sitting(&self) -> String {
        let player = |mark| if self.seats[&mark] { "rules" } else { "human" };
        format!(",\"x\":\"{}\",\"o\":\"{}\"", player('X'), player('O'))
    }

    /// Returns the square that the player `rules` takes, and the members that tell its value.
    fn rules(&self, game: &Record) -> (At, String) {
        let grid = Self::grid(game);
        let turn = next(&grid);
        let free: Vec<At> =
            squares(&grid).into_iter().filter(|&on| at(&grid, on) == Some('.')).collect();
        let completes = |square: At, mark: char| {
            let mut then = grid.clone();
            put(&mut then, square, mark);
            !self.lines(&then, square, game.k).is_empty()
        };
        let (bottom, right) = (grid.len() as i64 - 1, grid[0].len() as i64 - 1);
        // An even side has two middles.
        let central = |at: i64, last: i64| (2 * at - last).abs() <= 1;
        let is_edge = |at: i64, last: i64| at == 0 || at == last;
        let find = |test: &dyn Fn(At) -> bool| free.iter().copied().find(|&square| test(square));
        let value = |value: &str| format!(",\"player\":\"rules\",\"value\":{value},\"nodes\":0");
        if let Some(square) = find(&|square| completes(square, turn)) {
            return (square, value("\"win\",\"plies\":1"));
        }
        let is_textbook = [grid.len(), grid[0].len()] == [game.k; 2];
        // Squares near the centre first, in rings, then in order of their distance in all.
        let off_centre = |&(row, col): &At| {
            let (down, across) = ((2 * row - bottom).abs(), (2 * col - right).abs());
            (down.max(across), down + across)
        };
        let nearest = || free.iter().copied().filter(|_| !is_textbook).min_by_key(off_centre);
        let square = find(&|square| completes(square, other(turn)))
            .or_else(nearest)
            .or_else(|| find(&|(row, col)| central(row, bottom) && central(col, right)))
            .or_else(|| find(&|(row, col)| is_edge(row, bottom) && is_edge(col, right)))
            .unwrap_or(free[0]);
        (square, value("\"unknown\",\"plies\":null"))
    }

    /// Replaces the record of the current game; its version goes on.
    fn replace(&mut self, mut record: Record) {
        record.version = self.game().version + 1;
        *self.game() = record;
    }

    fn shape_members(&mut self) -> String {
        let exact = if self.exact { ",\"exact\":true" } else { "" };
        let game = self.game();
        format!(
            ",\"rows\":{},\"cols\":{},\"k\":{}{exact}",
            game.start.len(),
            game.start[0].len(),
            game.k
        )
    }

    fn rows(&mut self) -> String {
        let rows: Vec<String> =
            Self::grid(self.game()).iter().map(|row| row.iter().collect()).collect();
        format!(",\"board\":{}", strings(&rows))
    }

    /// Reads a square from a row and a column, or from a number.
    fn square(&mut self, words: &[&str]) -> At {
        let numbers: Vec<i64> = words.iter().map(|word| word.parse().unwrap()).collect();
        let (rows, cols) = (self.game().start.len() as i64, self.game().start[0].len() as i64);
        match numbers[..] {
            [row, col] => (row, col),
            [number] if (1..=rows * cols).contains(&number) => {
                ((number - 1) / cols, (number - 1) % cols)
            }
            _ => (-1, -1),
        }
    }

    fn position(&mut self, words: &[&str]) -> Answer {
        let grid: Grid = words[0].split('/').map(|row| row.chars().collect()).collect();
        if grid.iter().any(|row| row.len() != grid[0].len()) {
            return ("INVALID_POSITION", ",\"reason\":\"ragged\"".to_owned());
        }
        let game = self.game().clone();
        let (rows, cols) = (grid.len(), grid[0].len());
        let is_same = (rows, cols) == (game.start.len(), game.start[0].len());
        let usual = if is_same { game.k } else { rows.min(cols) };
        let k = words.get(1).map_or(usual, |word| word.parse().unwrap());
        if k == 0 || k > rows.max(cols) {
            return ("BAD_COMMAND", String::new());
        }
        let (x, o) = (count(&grid, 'X'), count(&grid, 'O'));
        if x != o && x != o + 1 {
            return ("INVALID_POSITION", ",\"reason\":\"count\"".to_owned());
        }
        let last = if x == o { 'O' } else { 'X' };
        let is_line_of = |grid: &Grid, mark| self.has_line(grid, mark, k);
        let is_first_line = squares(&grid).into_iter().any(|square| {
            let mut before = grid.clone();
            put(&mut before, square, '.');
            at(&grid, square) == Some(last) && !is_line_of(&before, last)
        });
        let is_won = is_line_of(&grid, last);
        if is_line_of(&grid, other(last)) || (is_won && !is_first_line) {
            return ("INVALID_POSITION", ",\"reason\":\"unreachable\"".to_owned());
        }
        let result = match self.outcome(&grid, k) {
            None => "OK",
            Some('.') => "DRAW",
            Some(_) => "WIN",
        };
        self.replace(Record { k, start: grid, moves: Vec::new(), undone: Vec::new(), version: 0 });
        (result, self.rows())
    }

    fn undo(&mut self, words: &[&str]) -> Answer {
        let seats = self.seats.clone();
        let game = self.game();
        let grid = Self::grid(game);
        // The mark that moved last. A computer's answer to a human goes with that human's move.
        let last = other(next(&grid));
        let is_answer = !game.moves.is_empty() && seats[&last] && !seats[&other(last)];
        let usual = if is_answer { 2 } else { 1 };
        let count = words.first().map_or(usual, |word| word.parse().unwrap());
        let Some(left) = game.moves.len().checked_sub(count) else {
            return ("NOTHING_TO_UNDO", String::new());
        };
        let taken = game.moves.split_off(left);
        game.undone.extend(taken.iter().rev());
        game.version += 1;
        ("OK", format!(",\"moves\":{}", pairs(&taken)))
    }

    fn redo(&mut self, words: &[&str]) -> Answer {
        let count = words.first().map_or(1, |word| word.parse().unwrap());
        let game = self.game();
        let Some(left) = game.undone.len().checked_sub(count) else {
            return ("NOTHING_TO_REDO", String::new());
        };
        let mut played = game.undone.split_off(left);
        played.reverse();
        game.moves.extend(&played);
        game.version += 1;
        let game = game.clone();
        let (result, lines) = match played.len() {
            0 => ("OK", String::new()),
            _ => self.verdict(&game),
        };
        (result, format!("{lines},\"moves\":{}", pairs(&played)))
    }

    fn replay(&mut self, words: &[&str]) -> Answer {
        let old = self.game().clone();
        let fresh = Record {
            start: empty(old.start.len(), old.start[0].len()),
            moves: Vec::new(),
            undone: Vec::new(),
            ..old.clone()
        };
        *self.game() = fresh;
        let mut answer = ("OK", String::new());
        for (index, pair) in words.chunks(2).enumerate() {
            let square = self.square(pair);
            let mark = if index % 2 == 0 { 'X' } else { 'O' };
            let game = self.game().clone();
            if let Some((result, members)) = self.refusal(&game, Some(mark), square, None) {
                *self.game() = old;
                let mut nth = format!(",\"move\":{}", index + 1);
                if result == "GAME_OVER" {
                    let winner = self.outcome(&Self::grid(&game), game.k).unwrap();
                    let ended = if winner == '.' { "draw".to_owned() } else { winner.into() };
                    write!(nth, ",\"ended\":\"{ended}\"").unwrap();
                }
                // The number of the move stands between the reason and the mark.
                let at = members.find(",\"mark\"").unwrap_or(members.len());
                let (reason, members) = members.split_at(at);
                return (result, format!("{reason}{nth}{members}"));
            }
            answer = self.play(square, "");
        }
        self.game().version = old.version + 1;
        answer
    }

    fn restart(&mut self, words: &[&str]) -> Answer {
        let game = self.game();
        let (mut rows, mut cols, mut k) = (game.start.len(), game.start[0].len(), game.k);
        if let Some(size) = words.first() {
            let (tall, wide) = size.split_once('x').unwrap_or((size, size));
            (rows, cols) = (tall.parse().unwrap(), wide.parse().unwrap());
            k = words.get(1).map_or(rows.min(cols), |word| word.parse().unwrap());
        }
        if k == 0 || k > rows.max(cols) {
            return ("BAD_COMMAND", String::new());
        }
        self.replace(Record {
            k,
            start: empty(rows, cols),
            moves: Vec::new(),
            undone: Vec::new(),
            version: 0,
        });
        ("OK", String::new())
    }

    fn drop(&mut self, name: &str) -> Answer {
        if self.games.remove(name).is_none() {
            return ("BAD_COMMAND", String::new());
        }
        if self.name == name {
            "main".clone_into(&mut self.name);
            let fresh = self.fresh();
            self.games.entry("main".to_owned()).or_insert(fresh);
        }
        ("OK", String::new())
    }

    /// Lets the player `rules` move, or tells the move that it would make.
    fn ask(&mut self, seen: Option<u64>, plays: bool) -> Answer {
        let game = self.game().clone();
        let Some(turn) = self.turn(&game) else {
            return ("GAME_OVER", String::new());
        };
        if seen.is_some_and(|seen| seen != game.version) {
            return ("STALE", String::new());
        }
        let (square, thought) = self.rules(&game);
        if plays {
            return self.play(square, &thought);
        }
        let (row, col) = square;
        ("OK", format!(",\"mark\":\"{turn}\",\"row\":{row},\"col\":{col}{thought}"))
    }

    /// Returns the replies to one line, without their messages.
    fn replies(&mut self, number: usize, line: &str) -> Vec<String> {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let seen = words.last().and_then(|word| word.strip_prefix('@'));
        let seen = seen.map(|version| version.parse().unwrap());
        if seen.is_some() {
            words.pop();
        }
        if words[0].parse::<i64>().is_ok() {
            words.insert(0, "play");
        }
        let (verb, words) = words.split_first().unwrap();
        let game = self.game().clone();
        let is_stale = seen.is_some_and(|seen| seen != game.version);
        let grid = Self::grid(&game);
        let (result, members) = match *verb {
            "undo" | "redo" | "new" | "replay" | "position" if is_stale => ("STALE", String::new()),
            "play" => {
                let mark = words[0].parse::<char>().ok().filter(|word| "XO".contains(*word));
                let square = self.square(if mark.is_some() { &words[1..] } else { words });
                match self.refusal(&game, mark, square, seen) {
                    Some(refusal) => refusal,
                    None => self.play(square, ""),
                }
            }
            "undo" => self.undo(words),
            "redo" => self.redo(words),
            "new" => self.restart(words),
            "replay" => self.replay(words),
            "position" => self.position(words),
            "moves" => ("OK", format!(",\"moves\":{}", pairs(&game.moves))),
            "board" => ("OK", self.rows()),
            "at" => match self.square(words) {
                square if at(&grid, square).is_none() => {
                    ("INVALID_MOVE", ",\"reason\":\"off_board\"".to_owned())
                }
                square => {
                    let mark = at(&grid, square).filter(|&mark| mark != '.');
                    let mark = mark.map_or("null".to_owned(), |mark| format!("\"{mark}\""));
                    let (row, col) = square;
                    ("OK", format!(",\"mark\":{mark},\"row\":{row},\"col\":{col}"))
                }
            },
            "free" => {
                let mut free = squares(&grid);
                free.retain(|&square| at(&grid, square) == Some('.'));
                ("OK", format!(",\"squares\":{}", pairs(&free)))
            }
            "status" => ("OK", self.sitting()),
            "seat" => {
                let mark = words[0].parse().unwrap();
                self.seats.insert(mark, words[1] == "rules");
                ("OK", self.sitting())
            }
            "go" => self.ask(seen, true),
            "hint" => self.ask(None, false),
            "game" => {
                if let Some(name) = words.first() {
                    (*name).clone_into(&mut self.name);
                    let fresh = self.fresh();
                    self.games.entry(self.name.clone()).or_insert(fresh);
                }
                ("OK", String::new())
            }
            "games" => {
                let names: Vec<String> = self.games.keys().cloned().collect();
                ("OK", format!(",\"games\":{}", strings(&names)))
            }
            "drop" => self.drop(words[0]),
            _ => panic!("{line}"),
        };
        let is_done = ["OK", "WIN", "DRAW"].contains(&result);
        let is_shaped = match *verb {
            "new" | "position" => is_done,
            verb => verb == "status" || verb == "board",
        };
        let goes_over = *verb == "game" && !words.is_empty();
        let moves_on = is_done && (goes_over || ["play", "go", "new", "seat"].contains(verb));
        let mut replies = vec![self.reply(number, verb, result, &members, is_shaped)];
        while moves_on && self.is_for_a_computer() {
            let (result, members) = self.ask(None, true);
            replies.push(self.reply(number, "go", result, &members, false));
        }
        replies
    }

    fn reply(
        &mut self,
        line: usize,
        verb: &str,
        result: &str,
        members: &str,
        is_shaped: bool,
    ) -> String {
        let shape = if is_shaped { self.shape_members() } else { String::new() };
        let game = self.game().clone();
        let made = match verb {
            "status" => format!(",\"moves_made\":{}", game.moves.len()),
            _ => String::new(),
        };
        let quoted =
            |mark: Option<char>| mark.map_or("null".to_owned(), |mark| format!("\"{mark}\""));
        let outcome = self.outcome(&Self::grid(&game), game.k);
        let (turn, winner) =
            (quoted(self.turn(&game)), quoted(outcome.filter(|&mark| mark != '.')));
        let (name, version, is_over) = (&self.name, game.version, outcome.is_some());
        format!(
            "{{\"line\":{line},\"command\":\"{verb}\",\"result\":\"{result}\"{members},\
             \"game\":\"{name}\"{shape}{made},\
             \"version\":{version},\"turn\":{turn},\"winner\":{winner},\"over\":{is_over}}}"
        )
    }
}

/// Generates a line, with `@=` for the version that the game is at.
fn any_line() -> impl Strategy<Value = String> {
    let small = -1..6_i64;
    let place = prop_oneof![
        4 => (small.clone(), small).prop_map(|(row, col)| format!("{row} {col}")),
        1 => (0..27_u8).prop_map(|number| number.to_string()),
    ];
    let place = place.boxed();
    let mark = prop::sample::select(vec!["", "X ", "O "]);
    let verb = prop::sample::select(vec!["", "play "]);
    let play = (verb, mark, place.clone()).prop_map(|(verb, mark, place)| {
        let verb = if mark.is_empty() { verb } else { "play " };
        format!("{verb}{mark}{place}")
    });
    let count = prop_oneof![3 => Just(String::new()), 2 => (0..5_u8).prop_map(|n| format!(" {n}"))];
    let back = prop::sample::select(vec!["undo", "redo"]);
    let back = (back, count).prop_map(|(verb, count)| format!("{verb}{count}"));
    let new = prop::sample::select(vec![
        "new",
        "new 1",
        "new 2",
        "new 3",
        "new 4 3",
        "new 2x5",
        "new 5x3 4",
        "new 3 4",
        "new 4x1 1",
    ])
    .prop_map(str::to_owned);
    let pair = (0..4_u8, 0..4_u8).prop_map(|(row, col)| format!(" {row} {col}"));
    let replay =
        prop::collection::vec(pair, 1..9).prop_map(|moves| format!("replay{}", moves.concat()));
    let row = "[XO.]{1,4}";
    let even = (1..5_usize, 1..4_usize).prop_flat_map(|(cols, rows)| {
        let row = prop::collection::vec(prop::sample::select(vec!["X", "O", "."]), cols);
        prop::collection::vec(row.prop_map(|row| row.concat()), rows)
    });
    let diagram = prop_oneof![5 => even, 1 => prop::collection::vec(row, 1..4)];
    let k = prop_oneof![2 => Just(String::new()), 1 => (0..5_u8).prop_map(|k| format!(" {k}"))];
    let position = (diagram, k).prop_map(|(rows, k)| format!("position {}{k}", rows.join("/")));
    // These are too rare among the random ones.
    let two_lines = prop::sample::select(vec![
        "position XX.XX/O.O.O 2",
        "position XXX/OOO/...",
        "position XX./OO./...",
        "position XXXXX/OO.OO 3",
        "position XXX/XOO/XOO",
    ]);
    let version = prop_oneof![
        6 => Just(String::new()),
        1 => Just(" @=".to_owned()),
        1 => (0..9_u8).prop_map(|version| format!(" @{version}")),
    ];
    let changes = prop_oneof![
        12 => play,
        4 => back,
        1 => new,
        2 => replay,
        2 => position,
        1 => Just("go rules".to_owned()),
        1 => two_lines.prop_map(str::to_owned),
    ];
    let name = prop::sample::select(vec!["main", "a", "b"]);
    let games = prop::sample::select(vec!["game", "drop"]);
    prop_oneof![
        18 => (changes, version).prop_map(|(change, version)| change + &version),
        2 => prop::sample::select(vec![
            "moves", "board", "free", "status", "games", "game", "hint rules", "seat X rules",
            "seat O rules", "seat X human", "seat O human",
        ]).prop_map(str::to_owned),
        1 => place.prop_map(|place| format!("at {place}")),
        2 => (games, name).prop_map(|(verb, name)| format!("{verb} {name}")),
    ]
}

/// Generates rows, columns and k.
fn any_size() -> impl Strategy<Value = (usize, usize, usize)> {
    let sides = (1..5_usize, 1..6_usize);
    sides.prop_flat_map(|(rows, cols)| (Just(rows), Just(cols), 1..=rows.max(cols)))
}

/// Removes the message of a reply, which is for people.
fn without_message(reply: &str) -> String {
    let Some((before, after)) = reply.split_once(",\"message\":\"") else {
        return reply.to_owned();
    };
    let mut is_escaped = false;
    let end = after.find(|char| {
        let is_end = char == '"' && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        is_end
    });
    format!("{before}{}", &after[end.unwrap() + 1..])
}

proptest! {
    #![proptest_config(seeded(2000))]

    #[test]
    fn a_list_of_moves_gives_the_same_replies(
        (rows, cols, k) in any_size(),
        exact in any::<bool>(),
        lines in prop::collection::vec(any_line(), 0..60),
    ) {
        let mut model = Model {
            shape: (rows, cols, k),
            exact,
            seats: [('X', false), ('O', false)].into(),
            name: "main".to_owned(),
            games: BTreeMap::new(),
        };
        model.games.insert("main".to_owned(), model.fresh());
        let (mut script, mut expected) = (String::new(), Vec::new());
        for (index, line) in lines.iter().enumerate() {
            let line = line.replace('=', &model.game().version.to_string());
            expected.extend(model.replies(index + 1, &line));
            script.push_str(&line);
            script.push('\n');
        }
        let size = Size { rows: rows as u64, cols: cols as u64 };
        let setup = Setup {
            size: Some(size),
            win: Some(k as u64),
            exact,
            limit: Limit::Nodes(1),
            ..Setup::default()
        };
        let replies = properties::replies(script.as_bytes(), &setup, Format::Json);
        let replies: Vec<String> = replies.lines().map(without_message).collect();
        prop_assert_eq!(replies, expected, "{}", script);
    }
}
