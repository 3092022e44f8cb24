//! The sequential probability ratio test (SPRT), by which a match ends once it has told enough.
//!
//! H0 says that the first player is stronger by E0 Elo, H1 that it is by E1. The generalized log
//! likelihood ratio (LLR) of the pairs of games decides when it leaves its bounds, as on fishtest.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::statistics::{Pairs, SHARES, real, score_of_elo};
use crate::command::quoted;

/// A test of two hypotheses. Each is accepted wrongly in one of twenty matches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
}

/// The hypothesis that a test accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hypothesis {
    /// The first player is stronger by E0 Elo.
    H0,
    /// The first player is stronger by E1 Elo.
    H1,
}

impl Hypothesis {
    /// Returns `H0` or `H1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
        }
    }
}

impl Sprt {
    /// The rate of errors of either kind: alpha and beta.
    pub const ERROR: f64 = 0.05;

    /// The greatest difference that is tested: 99 % of the points.
    const MOST: f64 = 800.0;

    /// Returns the differences that H0 and H1 claim.
    #[must_use]
    pub const fn elo(self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// Returns the bounds of the LLR: below the first H0 is accepted, above the second H1 (Wald,
    /// 1945).
    #[must_use]
    pub fn bounds() -> (f64, f64) {
        let bound = ((1.0 - Self::ERROR) / Self::ERROR).ln();
        (-bound, bound)
    }

    /// Returns the generalized log likelihood ratio of H1 to H0.
    ///
    /// Each hypothesis gets the distribution of pairs that is the likeliest of all with its mean:
    /// p / (1 + θ (a - s)) for the share a of points, where p is what was seen, s the mean and θ
    /// solves Σ p (a - s) / (1 + θ (a - s)) = 0 (Van den Bergh, "Comparing the approximations for
    /// the generalized log likelihood ratio of a multinomial distribution", Proposition 1.1).
    /// Points that no pair has count as a thousandth of a pair, as on fishtest.
    #[must_use]
    pub fn llr(self, pairs: Pairs) -> f64 {
        if pairs.total() == 0.0 {
            return 0.0;
        }
        let seen = pairs.counts().map(|count| if count == 0 { 1e-3 } else { real(count) });
        let [(s0, theta0), (s1, theta1)] = [self.elo0, self.elo1].map(|elo| {
            let score = score_of_elo(elo);
            (score, theta(&seen, score))
        });
        let ratio = |share: f64| (1.0 + theta0 * (share - s0)) / (1.0 + theta1 * (share - s1));
        seen.iter().zip(SHARES).map(|(count, share)| count * ratio(share).ln()).sum()
    }

    /// Returns the hypothesis that these pairs decide for.
    #[must_use]
    pub fn decision(self, pairs: Pairs) -> Option<Hypothesis> {
        let (llr, (lower, upper)) = (self.llr(pairs), Self::bounds());
        if llr <= lower {
            Some(Hypothesis::H0)
        } else if llr >= upper {
            Some(Hypothesis::H1)
        } else {
            None
        }
    }
}

/// Solves the equation of [`Sprt::llr`]. Its left side falls from infinity to minus infinity
/// between the poles, so that halving finds the zero.
fn theta(seen: &[f64; 5], score: f64) -> f64 {
    let (mut low, mut high) = (-1.0 / (1.0 - score), 1.0 / score);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        let terms = seen.iter().zip(SHARES);
        let sum: f64 = terms.map(|(p, a)| p * (a - score) / (1.0 + middle * (a - score))).sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// `0,5`
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.elo0, self.elo1)
    }
}

/// The error of a text that names no test. It is quoted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseSprtError(String);

impl fmt::Display for ParseSprtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, most) = (&self.0, Sprt::MOST);
        write!(
            f,
            "found {found}, expected two numbers from -{most} to {most}, the lower one first, "
        )?;
        f.write_str("such as 0,20")
    }
}

impl Error for ParseSprtError {}

impl FromStr for Sprt {
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Self, ParseSprtError> {
        let elo = |word: &str| word.trim().parse().ok().filter(|elo: &f64| elo.abs() <= Self::MOST);
        text.split_once(',')
            .and_then(|(elo0, elo1)| Some(Self { elo0: elo(elo0)?, elo1: elo(elo1)? }))
            .filter(|sprt| sprt.elo0 < sprt.elo1)
            .ok_or_else(|| ParseSprtError(quoted(text)))
    }
}
