//! Budgets, their parts, and what is left of them.

use noughts::search::{Budget, Spent};

#[test]
fn a_part_costs_the_whole_what_it_spent_and_no_more() {
    let mut budget = Budget::nodes(100);
    let all = |part: &mut Budget| {
        while part.spend().is_ok() {}
        part.is_spent()
    };
    assert!(budget.at_most(30, all));
    assert_eq!((budget.spent(), budget.is_spent()), (30, false));
    assert!(budget.eighths(3, all));
    assert_eq!((budget.spent(), budget.is_spent()), (54, false));
    assert!(budget.at_most(1_000, all));
    assert_eq!((budget.spent(), budget.is_spent()), (100, true));
    assert_eq!(budget.spend(), Err(Spent));
}

#[test]
fn a_part_of_what_is_used_up_is_used_up() {
    for all in [1.0, 1.5, f64::INFINITY] {
        let used = || all;
        let mut budget = Budget::nodes(1 << 20).or_until(&used);
        for eighths in [1, 7, 8] {
            assert!(budget.eighths(eighths, |part| part.check().is_err()), "{all}");
        }
        assert!(budget.at_most(1 << 10, |part| part.check().is_err()), "{all}");
        assert_eq!(budget.spend(), Err(Spent), "{all}");
    }
}
