//! The properties that the fuzzer tries for hours, on some random lines and on all inputs that
//! once broke one.

use std::fs;
use std::path::Path;

use noughts::command::{Action, Command, Name, Place, Seat, Size, Verb};
use noughts::game::Mark;
use noughts::player::Kind;
use proptest::prelude::*;

use crate::properties;
use crate::support::seeded;

/// Calls `test` with every file in a directory of the repository.
fn with_every_file(dir: &str, test: fn(&[u8])) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|path| path.is_file());
    let tried = files.map(|path| test(&fs::read(path).unwrap())).count();
    assert!(tried > 0);
}

#[test]
fn an_input_that_once_broke_a_property_does_so_no_more() {
    with_every_file("tests/seeds", properties::line);
    with_every_file("tests/seeds", properties::session);
    with_every_file("tests/seeds", properties::journal);
}

#[test]
fn the_properties_hold_for_every_fixture() {
    with_every_file("fixtures", properties::session);
}

fn any_number() -> impl Strategy<Value = i128> {
    let (low, high) = (i128::from(i64::MIN), i128::from(u64::MAX));
    prop_oneof![-2..20_i128, low..=high, Just(low), Just(high)]
}

fn any_command() -> impl Strategy<Value = Command> {
    use prop::option::of;
    let mark = || prop_oneof![Just(Mark::X), Just(Mark::O)];
    let place = || {
        prop_oneof![
            (any_number(), any_number()).prop_map(|(row, col)| Place::At(row, col)),
            any_number().prop_map(Place::Nth),
        ]
    };
    let size = (any::<u64>(), any::<u64>()).prop_map(|(rows, cols)| Size { rows, cols });
    let name = || {
        "[a-z@\"\\\\é#-]{1,12}"
            .prop_filter("no comment", |name| !name.starts_with('#'))
            .prop_map(|name| name.parse::<Name>().unwrap())
    };
    let diagram = || "[XO.]{1,6}(/[XO.]{0,6}){0,5}";
    let computer = || prop::sample::select(Kind::ALL);
    let count = || of(any::<u64>());
    let places = prop::collection::vec(
        (any_number(), any_number()).prop_map(|(row, col)| Place::At(row, col)),
        1..8,
    );
    let change = prop_oneof![
        (of(mark()), place()).prop_map(|(mark, place)| Action::Play(mark, place)),
        count().prop_map(Action::Undo),
        count().prop_map(Action::Redo),
        (size, count()).prop_map(|(size, k)| Action::New { size: Some(size), k }),
        Just(Action::New { size: None, k: None }),
        places.prop_map(Action::Replay),
        (diagram(), count())
            .prop_map(|(text, k)| Action::Position { diagram: text.parse().unwrap(), k }),
        of(computer()).prop_map(Action::Go),
    ];
    let question = prop_oneof![
        place().prop_map(Action::At),
        (mark(), prop::sample::select(Seat::all().collect::<Vec<_>>()))
            .prop_map(|(mark, seat)| Action::Seat(mark, seat)),
        computer().prop_map(Action::Hint),
        any::<u64>().prop_map(Action::Perft),
        of(name()).prop_map(Action::Game),
        name().prop_map(Action::Drop),
        "[a-z.]([a-z .,@\"é-]{0,12}[a-z,#])?".prop_map(Action::Save),
        "[a-z.]([a-z .,@\"é-]{0,12}[a-z,#])?".prop_map(Action::Load),
        of(prop::sample::select(Verb::ALL)).prop_map(Action::Help),
        prop::sample::select(vec![
            Action::Moves,
            Action::Board,
            Action::Free,
            Action::Status,
            Action::Analyze,
            Action::Games,
            Action::Quit,
        ]),
    ];
    prop_oneof![
        (change, count()).prop_map(|(action, seen)| Command { action, seen }),
        question.prop_map(Command::from),
    ]
}

/// Generates lines that look like commands, and some that do not.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "play",
        "undo",
        "redo",
        "new",
        "replay",
        "moves",
        "position",
        "board",
        "at",
        "free",
        "status",
        "game",
        "games",
        "drop",
        "help",
        "X",
        "O",
        "0",
        "1",
        "2",
        "3",
        "-1",
        "9",
        "@0",
        "@1",
        "a",
        "XX./OO./...",
        "3x3",
        "2x5",
        "18446744073709551616",
        "#",
        "x#",
        ",",
        "\t",
        "\u{feff}",
        "é",
        "\0",
        "\r",
    ]);
    prop_oneof![
        prop::collection::vec(words, 0..6).prop_map(|words| words.join(" ").into_bytes()),
        any_command().prop_map(|command| command.to_string().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// Generates lines that may stand in a journal, and some that may not.
fn journal_line() -> impl Strategy<Value = Vec<u8>> {
    let small = 0..3_u8;
    let version = (0..5_u8).prop_map(|version| format!(" @{version}"));
    let mark = prop::sample::select(vec!["X", "O"]);
    let play = (mark, small.clone(), small.clone());
    let play = play.prop_map(|(mark, row, col)| format!("play {mark} {row} {col}"));
    let back = prop::sample::select(vec!["undo", "redo"]);
    let back = (back, small).prop_map(|(verb, count)| format!("{verb} {count}"));
    let other = prop::sample::select(vec![
        "new 3x3 3",
        "new 2x4 2",
        "replay 0 0 1 1",
        "position X../.O./... 3",
    ]);
    let changes = prop_oneof![4 => play, 2 => back, 1 => other.prop_map(str::to_owned)];
    let unversioned = prop::sample::select(vec!["game a", "game main", "drop a", "# seat O best"]);
    prop_oneof![
        12 => (changes, version).prop_map(|(change, version)| (change + &version).into_bytes()),
        2 => unversioned.prop_map(|line| line.as_bytes().to_vec()),
        1 => any_line(),
    ]
}

proptest! {
    #![proptest_config(seeded(1000))]

    #[test]
    fn a_command_reads_as_it_is_written(command in any_command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn any_line_is_a_command_or_told_why_not(line in any_line()) {
        properties::line(&line);
    }

    #[test]
    fn any_bytes_get_one_reply_a_line(lines in prop::collection::vec(any_line(), 0..20)) {
        properties::session(&lines.join(&b'\n'));
    }

    #[test]
    fn a_journal_is_read_the_same_way_twice(lines in prop::collection::vec(journal_line(), 0..6)) {
        properties::journal(&lines.join(&b'\n'));
    }
}
