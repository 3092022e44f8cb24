//! The strength of players as the games of a match tell it: score, Elo and its error, and the
//! likelihood of superiority (LOS).
//!
//! Two games with one opening, in which the players change marks, depend on each other. So the
//! pair is what is counted, by its points (the pentanomial model), as fishtest and fastchess do.

use std::cmp::Ordering;
use std::fmt;

/// The pairs of games by the points of a player in them: 0, 1/2, 1, 3/2 and 2.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Pairs([u64; 5]);

/// The points of a pair, as a share of the two that can be had.
pub(super) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The quantile of the normal distribution for an interval that holds the truth in 95 %.
const Z95: f64 = 1.959_963_984_540_054;

impl Pairs {
    /// Makes the statistics of so many pairs of 0, 1/2, 1, 3/2 and 2 points.
    #[must_use]
    pub const fn new(counts: [u64; 5]) -> Self {
        Self(counts)
    }

    /// Adds a pair with so many halves of a point, 4 at most.
    pub fn add(&mut self, halves: usize) {
        if let Some(count) = self.0.get_mut(halves) {
            *count += 1;
        }
    }

    /// Adds the pairs of a player against another opponent.
    pub fn extend(&mut self, others: Self) {
        for (count, other) in self.0.iter_mut().zip(others.0) {
            *count += other;
        }
    }

    /// Returns the same pairs as the opponent sees them.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }

    /// Returns how many pairs have 0, 1/2, 1, 3/2 and 2 points.
    #[must_use]
    pub const fn counts(self) -> [u64; 5] {
        self.0
    }

    /// Returns the number of pairs.
    #[must_use]
    pub fn total(self) -> f64 {
        self.0.into_iter().map(real).sum()
    }

    /// Returns the mean and the variance of the share of a pair's points. There is a pair at least.
    fn moments(self) -> (f64, f64) {
        let total = self.total();
        let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.0.into_iter().zip(SHARES).map(|(count, a)| real(count) * value(a));
            terms.sum::<f64>() / total
        };
        let mean = weighted(&|share| share);
        (mean, weighted(&|share| (share - mean).powi(2)))
    }

    fn are_equal(self) -> bool {
        self.0.into_iter().filter(|count| *count > 0).count() == 1
    }

    /// Returns the most that the share of pairs unlike all that were seen can be, in 95 %: had it
    /// been larger, there would have been one (for many pairs 3 / n, the "rule of three"; Hanley and
    /// Lippman-Hand, 1983).
    fn unseen(self) -> f64 {
        1.0 - 0.05_f64.powf(1.0 / self.total())
    }

    /// Returns the difference in Elo that the mean points mean, with its 95 % interval. The variance
    /// of the pairs gives the interval by the normal approximation. Where all pairs are equal it is
    /// what [`unseen`](Self::unseen) ones could change.
    #[must_use]
    pub fn elo(self) -> Elo {
        if self.total() == 0.0 {
            return Elo::default();
        }
        let (mean, variance) = self.moments();
        let (error, unseen) = (Z95 * (variance / self.total()).sqrt(), self.unseen());
        let [mut low, mut high] = if self.are_equal() {
            [mean * (1.0 - unseen), mean * (1.0 - unseen) + unseen]
        } else {
            [mean - error, mean + error]
        };
        // An interval up to 100 % has no upper limit in Elo. Its lower one must not be better than
        // if every pair had been won.
        let (has_low, has_high) = (low > 0.0, high < 1.0);
        if !has_high {
            low = low.min(1.0 - unseen);
        }
        if !has_low {
            high = high.max(unseen);
        }
        Elo {
            low: has_low.then(|| elo_of_score(low)),
            estimate: (has_low && has_high).then(|| elo_of_score(mean)),
            high: has_high.then(|| elo_of_score(high)),
        }
    }

    /// Returns the likelihood that the player is stronger than its opponents, by the normal
    /// approximation; `None` without a pair. It is never more certain than n pairs can make it when
    /// all are won, which is 1 - 1 / 2^(n + 1) (Laplace's rule of succession).
    #[must_use]
    pub fn los(self) -> Option<f64> {
        if self.total() == 0.0 {
            return None;
        }
        let (mean, variance) = self.moments();
        let most = 1.0 - 0.5_f64.powf(self.total() + 1.0);
        let distance = mean - 0.5;
        let los = if variance > 0.0 {
            normal(distance / (variance / self.total()).sqrt())
        } else {
            // Shares are multiples of a quarter, of which no sum is rounded.
            match distance.total_cmp(&0.0) {
                Ordering::Less => 0.0,
                Ordering::Equal => 0.5,
                Ordering::Greater => 1.0,
            }
        };
        Some(los.clamp(1.0 - most, most))
    }
}

/// A difference in strength, as far as it is known.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Elo {
    /// The lower end of the 95 % interval.
    pub low: Option<f64>,
    /// The most likely difference, where both ends are known.
    pub estimate: Option<f64>,
    /// The upper end of the 95 % interval.
    pub high: Option<f64>,
}

impl Elo {
    /// Returns half of the interval.
    #[must_use]
    pub fn error(self) -> Option<f64> {
        self.low.zip(self.high).map(|(low, high)| (high - low) / 2.0)
    }
}

/// `-323 ± 94`, or `> 484` where only one end of the interval is known, or `-`.
impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero makes no -0.
        let whole = |elo: f64| elo.round() + 0.0;
        let text = match (self.estimate.zip(self.error()), self.low, self.high) {
            (Some((elo, error)), _, _) => format!("{} ± {}", whole(elo), whole(error)),
            (None, Some(low), _) => format!("> {}", whole(low)),
            (None, None, Some(high)) => format!("< {}", whole(high)),
            (None, None, None) => "-".to_owned(),
        };
        f.pad(&text)
    }
}

/// Returns the difference in Elo at which this score is expected, by the logistic curve.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Returns the score that is expected at this difference in Elo.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// Returns the distribution function of the normal distribution, to 7.5e-8 (Abramowitz and Stegun,
/// 26.2.17).
fn normal(x: f64) -> f64 {
    const TERMS: [f64; 5] =
        [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = TERMS.iter().fold(0.0, |sum, term| (sum + term) * t);
    let tail = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * series;
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Returns a count as a real number, which is exact up to 2^53.
#[allow(clippy::cast_precision_loss, reason = "nobody plays so many games")]
pub(super) const fn real(count: u64) -> f64 {
    count as f64
}
