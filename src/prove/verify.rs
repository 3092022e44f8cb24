//! The verifier of certificates. It searches nothing, and shares no code with the search: the file,
//! the windows, the rules and the arithmetic are its own. `docs/certificates.md` has the format, and
//! says why each rule holds.

use std::collections::HashMap;
use std::io::{self, Read};

use thiserror::Error;

/// The claim of a certificate, every entry of which holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The rows, the columns and k.
    pub board: [u32; 3],
    /// True where a line is exactly k marks.
    pub is_exact: bool,
    /// The position, its rows divided by `/`.
    pub position: String,
    /// The winner, `X` or `O`, and the moves of both sides that the win takes at most; `None` is a
    /// draw.
    pub win: Option<(char, u32)>,
    /// The number of entries.
    pub entries: u64,
}

/// The error of a certificate that does not hold.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "their names say it")]
pub enum VerifyError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A line of text is not as the format has it.
    #[error("line {line}: {why}")]
    Line { line: u32, why: &'static str },
    /// An entry does not follow from those before it.
    #[error("{section:?}: entry {entry}: {why}")]
    Entry { section: String, entry: u64, why: &'static str },
    /// All entries hold, but they do not prove the claim.
    #[error("{0}")]
    Claim(&'static str),
}

type Why = &'static str;

/// Checks the certificate that `input` holds, to its end. Memory grows with what is read alone.
///
/// # Errors
///
/// [`VerifyError`] tells the first thing that is wrong.
pub fn verify(input: impl Read) -> Result<Claim, VerifyError> {
    let mut file = File { input, line: 0 };
    let at = |line, why| VerifyError::Line { line, why };
    if file.line()?.as_deref() != Some("noughts proof 1") {
        return Err(at(1, "expected \"noughts proof 1\""));
    }
    let text = file.line()?.unwrap_or_default();
    let board = Board::read(&text)
        .ok_or(at(2, "expected \"board ROWS COLS K\" or \"board ROWS COLS K exact\""))?;
    let text = file.line()?.unwrap_or_default();
    let position = text.strip_prefix("position ").unwrap_or_default();
    let marks =
        board.marks(position).ok_or(at(3, "expected \"position\" and rows of X, O and ."))?;
    let [x, o] = marks;
    let turn = x.count_ones().wrapping_sub(o.count_ones());
    let is_over = board.has_line(x) || board.has_line(o) || x | o == board.all();
    if turn > 1 || is_over {
        return Err(at(3, "expected a position of a game that goes on"));
    }
    let text = file.line()?.unwrap_or_default();
    let words: Vec<&str> = text.split(' ').collect();
    let win = match words[..] {
        ["result", "draw"] => None,
        ["result", side @ ("X" | "O"), "wins", "in", moves] => {
            let moves = moves.parse().map_err(|_| at(4, "expected a number of moves"))?;
            Some((if side == "X" { 'X' } else { 'O' }, moves))
        }
        _ => return Err(at(4, "expected \"result draw\" or \"result X wins in MOVES\"")),
    };
    let (mut holds, mut wins, mut entries) = ([false; 2], false, 0);
    while let Some(section) = file.line()? {
        let words: Vec<&str> = section.split(' ').collect();
        let side = usize::from(words.first() == Some(&"O"));
        let to_move = side == turn as usize;
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| at(file.line, "expected a number of entries"))
        };
        match words[..] {
            // A mark more is never a burden, so that X could play whatever O wins with.
            ["X", "holds", "first"] if x | o == 0 && !board.is_exact => holds[0] = true,
            ["X" | "O", "holds", game @ ("weak" | "real"), count, ref first @ ..] => {
                let count = number(count)?;
                if game == "real" && board.is_exact {
                    return Err(at(file.line, "a real game needs lines that may be longer"));
                }
                let first = match first {
                    [] if !to_move => 0,
                    ["after", square] if to_move => {
                        let square = square.parse().ok().and_then(|square| board.bit(square));
                        square.ok_or(at(file.line, "expected the number of a square"))?
                    }
                    _ => return Err(at(file.line, "the side to move needs a first move")),
                };
                let (own, other) = (marks[side], marks[1 - side]);
                let empty = board.all() & !(own | other);
                if first & !empty != 0 {
                    return Err(at(file.line, "the first move is to a square that is taken"));
                }
                let (marks, zone) = board.holds(&mut file, &section, count, game == "real")?;
                if marks & !(own | first) != 0 || zone & !(empty & !first) != 0 {
                    return Err(VerifyError::Claim("the last hold is not one of the position"));
                }
                (holds[side], entries) = (true, entries + count);
            }
            ["X" | "O", "wins", count] => {
                let count = number(count)?;
                let moves = board.wins(&mut file, &section, count, marks, side, to_move)?;
                let claimed = win.filter(|(winner, _)| *winner == ['X', 'O'][side]);
                wins |= claimed.is_some_and(|(_, most)| moves <= most);
                entries += count;
            }
            _ => return Err(at(file.line, "expected a section such as \"O holds weak 12\"")),
        }
    }
    match win {
        None if holds != [true; 2] => Err(VerifyError::Claim("a draw needs a hold of either side")),
        Some(_) if !wins => Err(VerifyError::Claim("the win is not proved in so many moves")),
        _ => {
            let (is_exact, position) = (board.is_exact, position_of(&board, marks));
            Ok(Claim { board: [board.rows, board.cols, board.k], is_exact, position, win, entries })
        }
    }
}

/// The file, and the number of lines of text that were read.
struct File<R> {
    input: R,
    line: u32,
}

impl<R: Read> File<R> {
    /// Reads a line of at most 1,000 bytes; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, VerifyError> {
        let mut line = Vec::new();
        self.line += 1;
        loop {
            let mut byte = [0];
            match self.input.read(&mut byte) {
                Ok(0) if line.is_empty() => return Ok(None),
                Ok(1) if byte == *b"\n" => break,
                Ok(1) if line.len() < 1_000 => line.extend(byte),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
                Ok(_) => {
                    let why = "a line of text is too long, or its end is missing";
                    return Err(VerifyError::Line { line: self.line, why });
                }
            }
        }
        let why = "expected text";
        let error = VerifyError::Line { line: self.line, why };
        String::from_utf8(line).map(Some).map_err(|_| error)
    }

    /// Reads a number of `bytes` bytes, the least first.
    fn number(&mut self, bytes: usize) -> Result<u128, Why> {
        let mut number = [0; 16];
        let part = number.get_mut(..bytes).ok_or("the number is too long")?;
        self.input.read_exact(part).map_err(|_| "the file ends before it")?;
        Ok(u128::from_le_bytes(number))
    }
}

/// The board, and its lines: sets of squares, bit r * COLS + c for row r and column c. With each
/// line are the squares next to its ends, which must not be of the same side where a line is
/// exactly k.
struct Board {
    rows: u32,
    cols: u32,
    k: u32,
    is_exact: bool,
    lines: Vec<(u128, u128)>,
}

impl Board {
    fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let (numbers, is_exact) = match words[..] {
            ["board", rows, cols, k] => ([rows, cols, k], false),
            ["board", rows, cols, k, "exact"] => ([rows, cols, k], true),
            _ => return None,
        };
        let [Ok(rows), Ok(cols), Ok(k)] = numbers.map(str::parse::<u32>) else { return None };
        let fits = |side| (1..=128).contains(&side);
        if !fits(rows) || !fits(cols) || rows * cols > 128 || k == 0 || k > rows.max(cols) {
            return None;
        }
        let mut board = Self { rows, cols, k, is_exact, lines: Vec::new() };
        let square = |row: i64, col: i64| {
            let is_on = (0..i64::from(rows)).contains(&row) && (0..i64::from(cols)).contains(&col);
            if is_on { 1_u128 << (row * i64::from(cols) + col) } else { 0 }
        };
        for index in 0..i64::from(rows * cols) {
            let (row, col) = (index / i64::from(cols), index % i64::from(cols));
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let at = |n: i64| square(row + n * down, col + n * right);
                let line = (0..i64::from(k)).fold(0, |line, n| line | at(n));
                if line.count_ones() == k {
                    let ends = if is_exact { at(-1) | at(i64::from(k)) } else { 0 };
                    board.lines.push((line, ends));
                }
            }
        }
        Some(board)
    }

    const fn all(&self) -> u128 {
        u128::MAX >> (128 - self.rows * self.cols)
    }

    /// The set of a square by its number; `None` off the board.
    fn bit(&self, square: u128) -> Option<u128> {
        (square < u128::from(self.rows * self.cols)).then(|| 1 << square)
    }

    /// The squares of a set.
    fn squares(set: u128) -> impl Iterator<Item = u128> {
        (0..128).map(|square| 1 << square).filter(move |bit| set & bit != 0)
    }

    /// The marks of X and of O in a diagram.
    fn marks(&self, diagram: &str) -> Option<[u128; 2]> {
        let rows: Vec<&str> = diagram.split('/').collect();
        let fits = rows.iter().all(|row| row.len() == self.cols as usize);
        if rows.len() != self.rows as usize || !fits {
            return None;
        }
        let mut marks = [0; 2];
        for (square, mark) in rows.concat().chars().enumerate() {
            match mark {
                'X' => marks[0] |= 1 << square,
                'O' => marks[1] |= 1 << square,
                '.' => {}
                _ => return None,
            }
        }
        Some(marks)
    }

    fn has_line(&self, own: u128) -> bool {
        self.lines.iter().any(|&(line, ends)| own & line == line && own & ends == 0)
    }

    /// Maps a set across the diagonal (4), then upside down (1), then left to right (2).
    fn image(&self, symmetry: u128, set: u128) -> Option<u128> {
        if symmetry > 7 || symmetry & 4 != 0 && self.rows != self.cols {
            return None;
        }
        let image = |bit: u128| {
            let square = bit.trailing_zeros();
            let (mut row, mut col) = (square / self.cols, square % self.cols);
            if symmetry & 4 != 0 {
                (row, col) = (col, row);
            }
            row = if symmetry & 1 != 0 { self.rows - 1 - row } else { row };
            col = if symmetry & 2 != 0 { self.cols - 1 - col } else { col };
            1_u128 << (row * self.cols + col)
        };
        Some(Self::squares(set).fold(0, |all, bit| all | image(bit)))
    }

    /// Checks a section of holds, and returns the marks and the zone of the last one.
    fn holds<R: Read>(
        &self,
        file: &mut File<R>,
        section: &str,
        count: u64,
        is_real: bool,
    ) -> Result<(u128, u128), VerifyError> {
        let mut known = Vec::new();
        for entry in 0..count {
            let hold = self.hold(file, &known, is_real);
            let section = section.to_owned();
            known.push(hold.map_err(|why| VerifyError::Entry { section, entry, why })?);
        }
        known.pop().ok_or(VerifyError::Claim("a section has no entry"))
    }

    /// Reads a hold and checks it: the attacker is to move, the defender has `marks`, `zone` is
    /// empty, and all other squares are the attacker's.
    fn hold<R: Read>(
        &self,
        file: &mut File<R>,
        known: &[(u128, u128)],
        is_real: bool,
    ) -> Result<(u128, u128), Why> {
        let bytes = (self.rows * self.cols).div_ceil(8) as usize;
        let (marks, zone) = (file.number(bytes)?, file.number(bytes)?);
        if (marks | zone) & !self.all() != 0 || marks & zone != 0 {
            return Err("its squares are off the board, or both marked and empty");
        }
        let open = self.lines.iter().filter(|(line, _)| line & marks == 0);
        let mut open: Vec<u128> = open.map(|(line, _)| line & zone).collect();
        if open.iter().any(|line| line.count_ones() < 2) {
            return Err("the attacker completes a line at once");
        }
        let [kind, count] = [file.number(1)?, file.number(1)?];
        if kind == 0 {
            let (mut pairs, mut paired) = (Vec::new(), 0);
            for _ in 0..count {
                let [one, other] = [file.number(1)?, file.number(1)?].map(|at| self.bit(at));
                let pair = one.ok_or("a pair is off the board")?
                    | other.ok_or("a pair is off the board")?;
                if pair.count_ones() != 2 || pair & !zone != 0 || pair & paired != 0 {
                    return Err("a pair is no pair, outside of the zone, or not disjoint");
                }
                paired |= pair;
                pairs.push(pair);
            }
            open.retain(|line| !pairs.iter().any(|pair| line & pair == *pair));
            // What is left of a line counts 2 to the power of minus its squares, that is less than
            // one half in all; a square in a pair may be the attacker's.
            let left = minimal(open.iter().map(|line| line & !paired).collect());
            let potential = left.iter().map(|line| 1_u128 << 100 >> line.count_ones().min(100));
            let is_below = potential.sum::<u128>() < 1 << 99;
            return is_below.then_some((marks, zone)).ok_or("its leaf does not hold");
        }
        if kind != 1 {
            return Err("its kind is neither 0 nor 1");
        }
        // The attacker's moves that have no answer yet.
        let mut unanswered = zone;
        for _ in 0..count {
            let square = self.bit(file.number(1)?).ok_or("a reply is off the board")?;
            let (symmetry, index) = (file.number(1)?, file.number(4)?);
            let index = usize::try_from(index).ok().and_then(|index| known.get(index));
            let &(own, needed) = index.ok_or("a reply leads to no earlier entry")?;
            let image = |set| self.image(symmetry, set).ok_or("a symmetry is none of the board");
            let (own, needed) = (image(own)?, image(needed)?);
            if square & !zone != 0
                || own & !(marks | square) != 0
                || needed & !(zone & !square) != 0
            {
                return Err("a reply leads to an entry that needs other squares");
            }
            unanswered &= own | needed | square;
        }
        if is_real {
            // Where the defender would complete a line, the attacker must move there.
            let own = self.lines.iter().map(|(line, _)| line & !marks);
            let threats = own.filter(|left| left.is_power_of_two()).fold(0, |all, one| all | one);
            match (threats & zone).count_ones() {
                0 => {}
                1 => unanswered &= threats,
                _ => unanswered = 0,
            }
        } else {
            // A move that is worth nothing, or less than another one of the zone, which answers it.
            let edges = minimal(open);
            let is_idle = |at: u128| {
                let through = edges.iter().filter(|edge| *edge & at != 0);
                through.fold(zone, |common, edge| common & edge) & !at != 0
            };
            unanswered =
                Self::squares(unanswered).filter(|&at| !is_idle(at)).fold(0, |all, at| all | at);
        }
        (unanswered == 0).then_some((marks, zone)).ok_or("a move of the attacker has no answer")
    }

    /// Checks a section of positions with the winner to move, and returns the moves of both sides
    /// until its line.
    fn wins<R: Read>(
        &self,
        file: &mut File<R>,
        section: &str,
        count: u64,
        marks: [u128; 2],
        winner: usize,
        to_move: bool,
    ) -> Result<u32, VerifyError> {
        let error = |entry, why| VerifyError::Entry { section: section.to_owned(), entry, why };
        let bytes = (self.rows * self.cols).div_ceil(8) as usize;
        let mut list = Vec::new();
        for entry in 0..count {
            let mut read = || Ok((file.number(bytes)?, file.number(bytes)?, file.number(1)?));
            let (own, other, square) = read().map_err(|why| error(entry, why))?;
            let square = self.bit(square).unwrap_or_default();
            if (own | other) & !self.all() != 0 || own & other != 0 || square & !(own | other) == 0
            {
                return Err(error(entry, "its squares are off the board, or taken twice"));
            }
            if self.has_line(own) || self.has_line(other) {
                return Err(error(entry, "there is a line already"));
            }
            list.push((entry, own, other, square));
        }
        // Those with most marks first, so that what a move leads to is known.
        list.sort_unstable_by_key(|&(entry, own, ..)| {
            (u128::MAX - u128::from(own.count_ones()), entry)
        });
        let mut known = HashMap::new();
        for (entry, own, other, square) in list {
            let after = self.after(own | square, other, &known).map_err(|why| error(entry, why))?;
            known.insert((own, other), after + 1);
        }
        let (own, other) = (marks[winner], marks[1 - winner]);
        if !to_move {
            return Ok(2 * self.after(own, other, &known).map_err(VerifyError::Claim)?);
        }
        let moves = known.get(&(own, other)).copied();
        let moves = moves.or_else(|| self.completes(own, other).then_some(1));
        moves.map(|n| 2 * n - 1).ok_or(VerifyError::Claim("the position is not in the list"))
    }

    /// True if `own` completes a line at once.
    fn completes(&self, own: u128, other: u128) -> bool {
        Self::squares(self.all() & !(own | other)).any(|square| self.has_line(own | square))
    }

    /// The moves that the winner, with the marks `own`, needs at most, the other side to move.
    fn after(
        &self,
        own: u128,
        other: u128,
        known: &HashMap<(u128, u128), u32>,
    ) -> Result<u32, Why> {
        if self.has_line(own) {
            return Ok(0);
        }
        let mut most = None;
        for square in Self::squares(self.all() & !(own | other)) {
            let replied = other | square;
            if self.has_line(replied) {
                return Err("the other side completes a line");
            }
            let moves = match known.get(&(own, replied)) {
                Some(&moves) => moves,
                None if self.completes(own, replied) => 1,
                None => return Err("a reply leads to no position of the list"),
            };
            most = most.max(Some(moves));
        }
        most.ok_or("the board is full")
    }
}

/// The sets that contain no other one, without doubles.
fn minimal(mut sets: Vec<u128>) -> Vec<u128> {
    sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
    let mut kept: Vec<u128> = Vec::new();
    for set in sets {
        if !kept.iter().any(|smaller| smaller & set == *smaller) {
            kept.push(set);
        }
    }
    kept
}

/// The diagram of a position.
fn position_of(board: &Board, [x, o]: [u128; 2]) -> String {
    let mark = |square: u32| match (x >> square & 1, o >> square & 1) {
        (0, 0) => '.',
        (0, _) => 'O',
        _ => 'X',
    };
    let row = |row: u32| (0..board.cols).map(|col| mark(row * board.cols + col)).collect();
    (0..board.rows).map(row).collect::<Vec<String>>().join("/")
}
