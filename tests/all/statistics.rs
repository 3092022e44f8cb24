//! Elo, its error, LOS and SPRT: against published values, and by simulated matches.
#![allow(clippy::print_stdout, reason = "the rates are worth seeing")]

use std::env;

use noughts::contest::statistics::{Pairs, elo_of_score, score_of_elo};
use noughts::contest::{Hypothesis, Openings, Sprt};
use noughts::{Mark, Shape};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Pairs, and what they tell: Elo, its error, LOS in percent and the score.
type Published = ([u64; 5], f64, f64, f64, f64);

/// The values that the tests of fastchess hold (`app/tests/elo_test.cpp`), to 1 %.
const PUBLISHED: [Published; 3] = [
    ([34, 54, 63, 64, 75], 55.58, 27.65, 100.00, 0.579),
    ([332, 433, 498, 333, 334], -8.64, 10.33, 5.05, 0.488),
    ([7895, 8757, 5685, 568, 9999], -21.04, 2.95, 0.00, 0.470),
];

/// Pairs, E0 and E1, and the LLR, from the same tests (`app/tests/sprt_test.cpp`, logistic).
const RATIOS: [([u64; 5], &str, f64); 2] = [
    ([223, 9863, 21279, 10037, 246], "0.5,2.5", -3.07),
    ([871, 26175, 55983, 26678, 821], "0,2", -4.98),
];

#[test]
fn elo_and_its_error_are_those_that_others_publish() {
    for (counts, elo, error, los, score) in PUBLISHED {
        let pairs = Pairs::new(counts);
        let found = pairs.elo();
        let close = |found: f64, expected: f64| (found - expected).abs() <= 0.01 * expected.abs();
        assert!(close(found.estimate.unwrap(), elo), "{counts:?}: {found:?}");
        assert!(close(found.error().unwrap(), error), "{counts:?}: {found:?}");
        assert!((score_of_elo(elo) - score).abs() < 0.001, "{counts:?}");
        assert_eq!(format!("{:.2}", 100.0 * pairs.los().unwrap()), format!("{los:.2}"));
    }
}

#[test]
fn the_likelihood_ratio_is_what_others_publish() {
    for (counts, elo, llr) in RATIOS {
        let found = elo.parse::<Sprt>().unwrap().llr(Pairs::new(counts));
        assert!((found - llr).abs() <= 0.01 * f64::abs(llr), "{counts:?}: {found}, expected {llr}");
    }
}

#[test]
fn elo_is_told_as_far_as_it_is_known() {
    for (counts, elo, los) in [
        ([0, 0, 0, 0, 0], "-", "-"),
        ([0, 0, 0, 0, 1], "> -512", "75.0"),
        ([1, 0, 0, 0, 0], "< 512", "25.0"),
        ([0, 0, 0, 0, 50], "> 484", "100.0"),
        ([50, 0, 0, 0, 0], "< -484", "0.0"),
        // It is not better known than if all were won.
        ([0, 0, 0, 1, 49], "> 484", "100.0"),
        ([49, 1, 0, 0, 0], "< -484", "0.0"),
        ([0, 0, 0, 5, 45], "636 ± 211", "100.0"),
        ([0, 0, 1, 0, 0], "0 ± 636", "50.0"),
        ([0, 0, 50, 0, 0], "0 ± 20", "50.0"),
        ([0, 50, 0, 0, 0], "-191 ± 26", "0.0"),
        ([1, 0, 0, 0, 1], "-", "50.0"),
        ([35, 3, 12, 0, 0], "-323 ± 94", "0.0"),
    ] {
        let pairs = Pairs::new(counts);
        let found = pairs.los().map_or("-".to_owned(), |los| format!("{:.1}", 100.0 * los));
        assert_eq!((pairs.elo().to_string().as_str(), found.as_str()), (elo, los), "{counts:?}");
    }
    for elo in [-700.0, -1.0, 0.0, 250.0] {
        assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
    }
}

/// A player's pairs: the probability of each number of points.
struct Truth([f64; 5]);

impl Truth {
    /// The truth of this kind that is nearest to so many Elo: some pairs are moved up or down.
    fn at(mut self, elo: f64) -> Self {
        let missing = score_of_elo(elo) - self.score();
        // One percent of all pairs, moved from no point to two, is worth one percent.
        self.0[0] -= missing;
        self.0[4] += missing;
        self
    }

    fn score(&self) -> f64 {
        self.0.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]).map(|(p, share)| p * share).sum()
    }

    /// The halves of a point in one more pair.
    fn pair(&self, chance: &mut Pcg64Mcg) -> usize {
        let mut left = f64::from(chance.next_u32()) / 4_294_967_296.0;
        let falls = |p: &f64| {
            left -= p;
            left < 0.0
        };
        self.0.iter().position(falls).unwrap_or(4)
    }
}

/// How many times a thousand matches are simulated.
fn thousands() -> u64 {
    env::var("NOUGHTS_MATCHES").map_or(10, |count| count.parse().unwrap())
}

#[test]
fn the_interval_holds_the_truth_in_95_of_100_matches() {
    for (truth, pairs) in [
        // Few draws, many draws, one-sided, and openings that decide.
        (Truth([0.2, 0.15, 0.3, 0.15, 0.2]), 200),
        (Truth([0.01, 0.14, 0.68, 0.15, 0.02]), 200),
        (Truth([0.5, 0.2, 0.2, 0.07, 0.03]), 200),
        (Truth([0.02, 0.0, 0.94, 0.0, 0.04]), 500),
    ] {
        let real = elo_of_score(truth.score());
        let mut held = 0;
        for seed in 0..thousands() * 1000 {
            let mut chance = Pcg64Mcg::seed_from_u64(seed);
            let mut found = Pairs::default();
            (0..pairs).for_each(|_| found.add(truth.pair(&mut chance)));
            let elo = found.elo();
            let (estimate, error) = elo.estimate.zip(elo.error()).unwrap();
            held += u64::from((estimate - real).abs() <= error);
        }
        let of_1000 = held / thousands();
        println!("{of_1000} of 1000 intervals hold {real:.1} Elo");
        assert!((940..=960).contains(&of_1000), "{of_1000} hold {real}");
    }
}

#[test]
fn sprt_keeps_its_rates_of_error() {
    let kinds = [[0.2, 0.15, 0.3, 0.15, 0.2], [0.05, 0.14, 0.61, 0.15, 0.05]];
    for (kind, sprt, elo, wrong) in [
        (kinds[0], "0,60", 0.0, Hypothesis::H1),
        (kinds[0], "0,60", 60.0, Hypothesis::H0),
        (kinds[1], "-20,20", -20.0, Hypothesis::H1),
        (kinds[1], "-20,20", 20.0, Hypothesis::H0),
    ] {
        let sprt: Sprt = sprt.parse().unwrap();
        let truth = Truth(kind).at(elo);
        let (mut errors, mut pairs) = (0, 0.0);
        for seed in 0..thousands() * 100 {
            let mut chance = Pcg64Mcg::seed_from_u64(seed);
            let mut found = Pairs::default();
            let decision = loop {
                found.add(truth.pair(&mut chance));
                if let Some(decision) = sprt.decision(found) {
                    break decision;
                }
            };
            errors += u64::from(decision == wrong);
            pairs += found.total();
        }
        let of_1000 = errors * 10 / thousands();
        let mean = pairs / f64::from(u32::try_from(thousands() * 100).unwrap());
        println!("SPRT {sprt}: {of_1000} of 1000 are wrong at {elo} Elo, after {mean:.0} pairs");
        // Fewer are wrong than may be, since the last pair goes beyond the bound.
        assert!(
            (20..=60).contains(&of_1000),
            "SPRT {sprt}, {elo} Elo: {of_1000} of 1000 are wrong"
        );
    }
}

#[test]
fn what_is_no_test_is_told() {
    let sprt: Sprt = " 0 , 2.5".parse().unwrap();
    assert_eq!(sprt.to_string(), "0,2.5");
    for text in ["", "0", "5,0", "0,0", "0,900", "nan,1", "0,inf", "0;5"] {
        let message = text.parse::<Sprt>().unwrap_err().to_string();
        let expected = "expected two numbers from -800 to 800, the lower one first, such as 0,20";
        assert_eq!(message, format!("found \"{text}\", {expected}"));
    }
}

#[test]
fn random_openings_decide_nothing() {
    for (shape, marks) in [
        (Shape::TIC_TAC_TOE, 0),
        (Shape::TIC_TAC_TOE, 2),
        (Shape::new(15, 15, 5).unwrap(), 4),
        (Shape::new(5, 5, 4).unwrap(), 11),
        (Shape::new(19, 4, 4).unwrap(), 14),
    ] {
        let mut seen = Vec::new();
        for nth in 0..50 {
            let game = Openings::Random { marks, seed: 7 }.nth(shape, nth).unwrap();
            let again = Openings::Random { marks, seed: 7 }.nth(shape, nth).unwrap();
            assert_eq!(game, again);
            assert_eq!((game.moves().len(), game.outcome()), (marks, None));
            let turn = game.turn().unwrap();
            let board = game.board();
            let wins = |mark: Mark| board.free().filter(|s| board.would_complete(*s, mark)).count();
            assert!(wins(turn) == 0 && wins(turn.other()) < 2, "{board}");
            seen.push(game.moves().to_vec());
        }
        seen.sort_by_key(|moves| format!("{moves:?}"));
        seen.dedup();
        assert!(seen.len() > if marks < 3 { marks } else { 40 }, "{} of {marks}", seen.len());
    }
    let message = "found no opening of 8 marks on 3 x 3, 3 in a row, after which neither side wins \
                   at once: expected fewer marks";
    for marks in [9, 100] {
        let error = Openings::Random { marks, seed: 0 }.nth(Shape::TIC_TAC_TOE, 0).unwrap_err();
        assert_eq!(error.to_string(), message.replace('8', &marks.to_string()));
    }
}
