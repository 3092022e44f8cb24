//! What the players `minimax` and `best` stand on, and what counts move sequences.

pub mod exact;
pub mod perft;
pub mod threat;

/// What the side to move gets with best play on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// Nobody wins.
    Draw,
    /// The other side wins.
    Loss,
    /// Nothing is proved.
    Unknown,
}

impl Value {
    /// The value for the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Loss => Self::Win,
            Self::Draw | Self::Unknown => self,
        }
    }
}

/// A value, and where it is proved, in how many moves of both sides together the game ends with
/// best play: a win as soon as possible, a loss as late as possible, a draw on the full board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Worth {
    /// The value, which is true whenever it is not [`Value::Unknown`].
    pub value: Value,
    /// The moves until the end, where that number is proved too.
    pub plies: Option<u32>,
}

impl Worth {
    /// Nothing is proved.
    pub const UNKNOWN: Self = Self {
        value: Value::Unknown,
        plies: None,
    };
}

/// What a search may spend: so many positions, and a share of what a clock or another outside
/// measure allows. Without the latter the same budget gives the same answer on every machine.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    left: u64,
    spent: u64,
    used: Option<&'a dyn Fn() -> f64>,
    /// How much may be used, of 1.
    share: f64,
}

impl<'a> Budget<'a> {
    /// How many positions pass from one look at what is used to the next.
    const PATIENCE: u64 = 64;

    /// At most `nodes` positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            left: nodes,
            spent: 0,
            used: None,
            share: 1.0,
        }
    }

    /// The same, but nothing is left once `used` has answered 1 or more: how much of what the
    /// caller allows is used up, such as the time that has passed of the time there is.
    #[must_use]
    pub const fn or_until(self, used: &'a dyn Fn() -> f64) -> Self {
        Self {
            used: Some(used),
            ..self
        }
    }

    /// Pays for one position: `None` where nothing is left, so that `?` unwinds a search.
    pub fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.spent += 1;
        if self.spent.is_multiple_of(Self::PATIENCE) && self.is_stopped() {
            self.left = 0;
            return None;
        }
        Some(())
    }

    /// How many positions were paid for.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether all that may be used is used up, positions aside.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.used.is_some_and(|used| used() >= self.share)
    }

    /// Lets `search` spend at most so many eighths of what is left.
    pub fn eighths<T>(&mut self, eighths: u32, search: impl FnOnce(&mut Self) -> T) -> T {
        let eighths = eighths.min(8);
        let used = self.used.map_or(0.0, |used| used());
        let mut part = Self {
            left: self.left / 8 * u64::from(eighths),
            share: used + (self.share - used) * f64::from(eighths) / 8.0,
            ..*self
        };
        let found = search(&mut part);
        self.left -= part.spent - self.spent;
        self.spent = part.spent;
        found
    }
}
