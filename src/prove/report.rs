//! What is proved, for people and for programs.

use std::fmt;

use serde_json::{Value as Json, json};

use super::Claim;
use crate::game::{Board, Mark, Shape, Square};

/// The value of a position, proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// Nobody forces a line.
    Draw,
    /// The side wins, in so many moves of both sides if that is proved too.
    Win(Mark, Option<u32>),
}

/// What a proof found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The board.
    pub shape: Shape,
    /// The position, as a diagram.
    pub position: String,
    /// The value, if it is proved.
    pub value: Option<Value>,
    /// No side has a line within so many moves, unless the value says otherwise.
    pub no_win_within: u32,
    /// The sides that may force a line for all that is known.
    pub open: Vec<Mark>,
    /// The positions that were searched.
    pub nodes: u64,
    /// The seconds that it took.
    pub seconds: f64,
}

/// The diagram of a board.
pub fn diagram(board: &Board) -> String {
    let shape = board.shape();
    let name = |row| move |col| board.at(Square { row, col }).map_or(".", Mark::name);
    let rows = (0..shape.rows()).map(|row| (0..shape.cols()).map(name(row)).collect());
    rows.collect::<Vec<String>>().join("/")
}

fn game(rows: u32, cols: u32, k: u32, is_exact: bool, position: &str) -> String {
    let exactly = if is_exact { "exactly " } else { "" };
    let from = if position.contains(['X', 'O']) { format!(", {position}") } else { String::new() };
    format!("{rows} x {cols}, {exactly}{k} in a row{from}")
}

fn value(value: Option<Value>) -> [Json; 3] {
    match value {
        None => [json!("NO_ANSWER"), Json::Null, Json::Null],
        Some(Value::Draw) => [json!("DRAW"), Json::Null, Json::Null],
        Some(Value::Win(side, moves)) => [json!("WIN"), json!(side.name()), json!(moves)],
    }
}

impl Report {
    /// The report as one JSON object.
    pub fn json(&self) -> Json {
        let [result, winner, moves] = value(self.value);
        let open: Vec<&str> = self.open.iter().map(|side| side.name()).collect();
        json!({
            "result": result, "rows": self.shape.rows(), "cols": self.shape.cols(),
            "k": self.shape.k(), "exact": self.shape.is_exact(), "position": self.position,
            "winner": winner, "moves": moves, "open": open, "no_win_within": self.no_win_within,
            "nodes": self.nodes, "seconds": self.seconds,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.shape;
        let [rows, cols, k] = [shape.rows(), shape.cols(), shape.k()].map(u32::from);
        let game = game(rows, cols, k, shape.is_exact(), &self.position);
        match self.value {
            Some(Value::Draw) => write!(f, "DRAW: {game}"),
            Some(Value::Win(side, Some(moves))) => {
                let s = if moves == 1 { "" } else { "s" };
                write!(f, "WIN: {game}: {side} in {moves} move{s}")
            }
            Some(Value::Win(side, None)) => {
                let within = self.no_win_within;
                write!(f, "WIN: {game}: {side}, in more than {within} moves")
            }
            None => {
                let open: Vec<&str> = self.open.iter().map(|side| side.name()).collect();
                let (open, within) = (open.join(" or "), self.no_win_within);
                write!(f, "NO_ANSWER: {game}: {open} may win, but not within {within} moves")
            }
        }
    }
}

impl Claim {
    /// The claim as one JSON object.
    pub fn json(&self) -> Json {
        let [rows, cols, k] = self.board;
        let winner = self.win.map(|(winner, _)| winner.to_string());
        json!({
            "result": if self.win.is_some() { "WIN" } else { "DRAW" }, "rows": rows, "cols": cols,
            "k": k, "exact": self.is_exact, "position": self.position, "winner": winner,
            "moves": self.win.map(|(_, moves)| moves), "entries": self.entries, "verified": true,
        })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, cols, k] = self.board;
        let (game, entries) = (game(rows, cols, k, self.is_exact, &self.position), self.entries);
        match self.win {
            None => write!(f, "DRAW: {game}: verified, {entries} entries"),
            Some((side, moves)) => {
                let s = if moves == 1 { "" } else { "s" };
                write!(f, "WIN: {game}: {side} within {moves} move{s}: verified, {entries} entries")
            }
        }
    }
}
