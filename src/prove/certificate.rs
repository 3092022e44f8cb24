//! The writer of certificates, in the format of `docs/certificates.md`.

use std::io::{self, Write};

use super::report::{Report, Value};
use crate::game::Mark;
use crate::search::solver::{Attacked, Held, Hold, Holds, Reason};

/// A section of a certificate.
#[derive(Clone, Debug)]
pub enum Part {
    /// X moves first on an empty board, and so does not lose.
    First,
    /// A side holds in a game.
    Holds(Mark, Held, Holds),
    /// A side wins.
    Wins(Mark, Vec<Attacked>),
}

impl Part {
    /// The number of entries.
    pub fn entries(&self) -> usize {
        match self {
            Self::First => 0,
            Self::Holds(_, _, holds) => holds.list.len(),
            Self::Wins(_, list) => list.len(),
        }
    }
}

/// Writes the certificate of what `report` says.
///
/// # Errors
///
/// That of writing to `out`.
pub fn write(mut out: impl Write, report: &Report, parts: &[Part]) -> io::Result<()> {
    let shape = report.shape;
    let exact = if shape.is_exact() { " exact" } else { "" };
    writeln!(out, "noughts proof 1")?;
    writeln!(out, "board {} {} {}{exact}", shape.rows(), shape.cols(), shape.k())?;
    writeln!(out, "position {}", report.position)?;
    match report.value {
        Some(Value::Win(side, Some(moves))) => writeln!(out, "result {side} wins in {moves}")?,
        _ => writeln!(out, "result draw")?,
    }
    let bytes = shape.squares().div_ceil(8);
    let set = |set: u128| set.to_le_bytes().into_iter().take(bytes);
    let mut entry = Vec::new();
    for part in parts {
        let count = part.entries();
        match part {
            Part::First => writeln!(out, "X holds first")?,
            Part::Holds(side, game, Holds { list, first }) => {
                let game = if *game == Held::Weak { "weak" } else { "real" };
                let first = first.map(|square| format!(" after {square}")).unwrap_or_default();
                writeln!(out, "{side} holds {game} {count}{first}")?;
                for Hold { marks, zone, reason } in list {
                    entry.clear();
                    entry.extend(set(*marks).chain(set(*zone)));
                    match reason {
                        Reason::Leaf(pairs) => {
                            entry.extend([0, byte(pairs.len())?]);
                            for square in pairs.iter().flatten() {
                                entry.push(byte(*square)?);
                            }
                        }
                        Reason::Replies(replies) => {
                            entry.extend([1, byte(replies.len())?]);
                            for reply in replies {
                                entry.extend([byte(reply.square)?, byte(reply.symmetry)?]);
                                entry.extend(reply.hold.to_le_bytes());
                            }
                        }
                    }
                    out.write_all(&entry)?;
                }
            }
            Part::Wins(side, list) => {
                writeln!(out, "{side} wins {count}")?;
                for Attacked { own, other, square } in list {
                    entry.clear();
                    entry.extend(set(*own).chain(set(*other)));
                    entry.push(byte(*square)?);
                    out.write_all(&entry)?;
                }
            }
        }
    }
    out.flush()
}

fn byte(number: impl TryInto<u8>) -> io::Result<u8> {
    number.try_into().map_err(|_| io::Error::other("a number is above 255"))
}
