//! The language: what a line means, and that every line gets its one reply.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use noughts::board::Mark;
use noughts::command::{Command, Name, Place, Size, Verb};
use noughts::player::Kind;
use noughts::repl::{Manner, Status, repl};
use noughts::reply::Format;
use noughts::session::{Limit, Session, Setup};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[test]
fn a_command_can_be_written_in_many_ways() {
    let play = |mark, place| Command::Play {
        mark,
        place,
        seen: None,
    };
    let corner = Place::At(0, 2);
    let same = [
        ("play 0 2", play(None, corner)),
        ("play 0,2", play(None, corner)),
        ("0,2", play(None, corner)),
        ("  0 \t, 2 ,", play(None, corner)),
        ("PLAY 00 02", play(None, corner)),
        ("Play x 0 2", play(Some(Mark::X), corner)),
        ("play O,3", play(Some(Mark::O), Place::Nth(3))),
        ("3", play(None, Place::Nth(3))),
        ("-0", play(None, Place::Nth(0))),
        (
            "0 2 @7",
            Command::Play {
                mark: None,
                place: corner,
                seen: Some(7),
            },
        ),
        ("exit", Command::Quit),
        ("SHOW", Command::Board),
        (
            "reset",
            Command::New {
                size: None,
                k: None,
                seen: None,
            },
        ),
        (
            "new 3",
            Command::New {
                size: Some(Size { rows: 3, cols: 3 }),
                k: None,
                seen: None,
            },
        ),
        (
            "new 6X7 4",
            Command::New {
                size: Some(Size { rows: 6, cols: 7 }),
                k: Some(4),
                seen: None,
            },
        ),
        (
            "undo @3",
            Command::Undo {
                count: None,
                seen: Some(3),
            },
        ),
        (
            "undo 2 @3",
            Command::Undo {
                count: Some(2),
                seen: Some(3),
            },
        ),
        ("help SHOW", Command::Help(Some(Verb::Board))),
        (
            "position xo-/_X_/2O",
            "position XO./.X./..O".parse().unwrap(),
        ),
        ("position 3/3/3", "position .../.../...".parse().unwrap()),
        (
            "position 1024",
            format!("position {}", ".".repeat(1024)).parse().unwrap(),
        ),
    ];
    for (line, command) in same {
        assert_eq!(line.parse(), Ok(command), "{line}");
    }
}

#[test]
fn every_verb_reads_as_itself_and_has_help() {
    for verb in Verb::ALL {
        assert_eq!(verb.name().parse(), Ok(verb));
        assert_eq!(verb.name().to_uppercase().parse(), Ok(verb));
        assert!(verb.usage().starts_with(verb.name()));
        assert!(verb.help().lines().all(|line| line.len() <= 96), "{verb:?}");
        assert!(noughts::command::overview().contains(&format!("\n  {}", verb.usage())));
    }
}

#[test]
fn a_slip_of_the_finger_is_guessed_for_every_verb() {
    for verb in Verb::ALL.into_iter().filter(|verb| verb.name().len() > 3) {
        let name = verb.name();
        let (first, rest) = name.split_at(1);
        let (second, rest) = rest.split_at(1);
        let swapped = format!("{second}{first}{rest}");
        let error = swapped.parse::<Verb>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("unknown command \"{swapped}\": did you mean \"{name}\"?")
        );
    }
}

#[test]
fn synonyms_and_longer_words_are_guessed_too() {
    for (word, guess) in [
        ("exti", "exit"),
        ("shwo", "show"),
        ("rseet", "reset"),
        ("positioned", "position"),
        ("X", "play X"),
        ("o", "play O"),
    ] {
        let error = word.parse::<Verb>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("unknown command \"{word}\": did you mean \"{guess}\"?")
        );
    }
    let far = "positionally".parse::<Verb>().unwrap_err().to_string();
    assert_eq!(
        far,
        "unknown command \"positionally\": \"help\" lists the commands"
    );
}

#[test]
fn a_replay_holds_no_more_moves_than_can_be_played() {
    let squares = 1024 * 1024;
    let line = format!("replay{}", " 0 0".repeat(squares + 10));
    let Ok(Command::Replay { places, .. }) = line.parse() else {
        unreachable!("numbers in pairs are moves");
    };
    assert_eq!(places.len(), squares + 1);
    let line = format!("{line} x 0");
    assert!(line.parse::<Command>().is_err());
}

/// Counts how often it is written to.
#[derive(Default)]
struct Counted(usize);

impl std::io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn bulk_replies_are_written_in_large_blocks() {
    let input = "play 1 1\nundo\n".repeat(10_000);
    let mut out = Counted::default();
    let manner = Manner {
        format: Format::Text,
        strict: false,
        echo: false,
    };
    repl(
        input.as_bytes(),
        &mut out,
        manner,
        None,
        &mut Session::new(Setup::default()),
    )
    .unwrap();
    // 20,000 replies of some 25 bytes are eight blocks of 64 KiB.
    assert!((8..=12).contains(&out.0), "{} writes", out.0);
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
    let player = || prop::sample::select(&Kind::ALL[..]);
    let computer = || player().prop_filter("a computer", |player| *player != Kind::Human);
    let seen = || of(any::<u64>());
    let places = prop::collection::vec(
        (any_number(), any_number()).prop_map(|(row, col)| Place::At(row, col)),
        1..8,
    );
    prop_oneof![
        (of(mark()), place(), seen()).prop_map(|(mark, place, seen)| Command::Play {
            mark,
            place,
            seen
        }),
        (of(any::<u64>()), seen()).prop_map(|(count, seen)| Command::Undo { count, seen }),
        (of(any::<u64>()), seen()).prop_map(|(count, seen)| Command::Redo { count, seen }),
        (size, of(any::<u64>()), seen()).prop_map(|(size, k, seen)| Command::New {
            size: Some(size),
            k,
            seen
        }),
        seen().prop_map(|seen| Command::New {
            size: None,
            k: None,
            seen
        }),
        (places, seen()).prop_map(|(places, seen)| Command::Replay { places, seen }),
        (diagram(), of(any::<u64>()), seen()).prop_map(|(text, k, seen)| Command::Position {
            diagram: text.parse().unwrap(),
            k,
            seen
        }),
        place().prop_map(Command::At),
        (mark(), player()).prop_map(|(mark, player)| Command::Seat(mark, player)),
        (computer(), seen()).prop_map(|(player, seen)| Command::Go { player, seen }),
        computer().prop_map(Command::Hint),
        any::<u64>().prop_map(Command::Perft),
        of(name()).prop_map(Command::Game),
        name().prop_map(Command::Drop),
        of(prop::sample::select(&Verb::ALL[..])).prop_map(Command::Help),
        prop::sample::select(vec![
            Command::Moves,
            Command::Board,
            Command::Free,
            Command::Status,
            Command::Analyze,
            Command::Games,
            Command::Quit,
        ]),
    ]
}

/// What one run over `input` writes.
fn answers(input: &[u8], format: Format) -> (String, Status) {
    let mut out = Vec::new();
    let manner = Manner {
        format,
        strict: false,
        echo: false,
    };
    let setup = Setup {
        limit: Limit::Nodes(200),
        ..Setup::default()
    };
    let status = repl(input, &mut out, manner, None, &mut Session::new(setup));
    (String::from_utf8(out).unwrap(), status.unwrap())
}

/// Lines that look like commands, and some that do not.
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
        any_command()
            .prop_filter("quick, and one reply", |command| {
                !matches!(command, Command::Perft(_) | Command::Seat(..))
            })
            .prop_map(|command| command.to_string().into_bytes()),
        prop::collection::vec(any::<u8>(), 0..40),
    ]
}

/// Whether a line gets a reply: the contract's words, byte by byte.
fn gets_a_reply(line: &[u8], first: bool) -> bool {
    let line = if first {
        line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
    } else {
        line
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b',' => {}
            b'#' if at == 0 || line[at - 1] != b',' => return false,
            _ => return true,
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_command_reads_as_it_is_written(command in any_command()) {
        prop_assert_eq!(command.to_string().parse(), Ok(command));
    }

    #[test]
    fn any_bytes_get_one_reply_a_line(lines in prop::collection::vec(any_line(), 0..20)) {
        let input = lines.join(&b'\n');
        let mut expected = Vec::new();
        for (n, line) in input.split(|byte| *byte == b'\n').enumerate() {
            if gets_a_reply(line, n == 0) {
                expected.push(n as u64 + 1);
            }
        }
        let (replies, _) = answers(&input, Format::Json);
        let replies: Vec<serde_json::Value> =
            replies.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let quit = replies.iter().position(|reply| reply["command"] == "quit");
        let answered: Vec<u64> = replies.iter().map(|reply| reply["line"].as_u64().unwrap()).collect();
        let read = quit.map_or(expected.len(), |at| at + 1);
        prop_assert_eq!(answered, &expected[..read]);
        let version = replies.iter().map(|reply| reply["version"].as_u64().unwrap());
        prop_assert!(version.max().unwrap_or(0) <= expected.len() as u64);
        let (text, _) = answers(&input, Format::Text);
        for line in text.lines() {
            prop_assert_eq!(line, line.trim_end());
        }
    }

    #[test]
    fn text_and_json_tell_the_same_story(lines in prop::collection::vec(any_line(), 0..20)) {
        let input = lines.join(&b'\n');
        let (json, json_status) = answers(&input, Format::Json);
        let (text, text_status) = answers(&input, Format::Text);
        prop_assert_eq!(json_status, text_status);
        let is_code = |line: &&str| line.split(": ").next().is_some_and(|word| {
            word.len() >= 2 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        });
        let codes: Vec<&str> = text.lines().filter(is_code).map(|line| line.split(": ").next().unwrap()).collect();
        let results: Vec<String> = json.lines().map(|line| {
            let reply: serde_json::Value = serde_json::from_str(line).unwrap();
            reply["result"].as_str().unwrap().to_owned()
        }).collect();
        prop_assert_eq!(codes, results);
    }
}

/// The members of section 4 of the contract, in its order.
const MEMBERS: [&str; 31] = [
    "source",
    "line",
    "command",
    "result",
    "reason",
    "message",
    "move",
    "mark",
    "row",
    "col",
    "player",
    "value",
    "plies",
    "nodes",
    "winning_lines",
    "moves",
    "squares",
    "board",
    "count",
    "games",
    "help",
    "game",
    "rows",
    "cols",
    "k",
    "exact",
    "moves_made",
    "version",
    "turn",
    "winner",
    "over",
];

#[test]
fn members_come_in_the_order_of_the_contract() {
    let script = "play 0 0\nplay 0 0\nplay 9 9\nat 0 0\nat 1 1\nundo\nredo\nmoves\nfree\nboard\nstatus\n\
        games\nhint rules\ngo random\nanalyze\nperft 2\nseat O human\nhelp\nhelp play\nnew 4x5 3\nreplay 0 0 0 0\nreplay 0 0 1 1 0 1 1 2 0 2\nposition X../...\n\
        position X\nposition XX\nudno\ngame a\ndrop a\nundo 9\nplay O 0 0\nplay 0 0 @0\nquit\n";
    let (replies, _) = answers(script.as_bytes(), Format::Json);
    assert_eq!(replies.lines().count(), script.lines().count());
    for line in replies.lines() {
        // serde_json sorts members, so the order is read off the text.
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap();
        let at = |name: &str| line.find(&format!("\"{name}\":"));
        let places: Vec<_> = MEMBERS
            .iter()
            .filter(|name| object.contains_key(**name))
            .map(|name| at(name))
            .collect();
        assert_eq!(places.len(), object.len(), "an unknown member: {line}");
        assert!(places.is_sorted(), "{line}");
        for always in [
            "line", "result", "game", "version", "turn", "winner", "over",
        ] {
            assert!(object.contains_key(always), "{always}: {line}");
        }
    }
}
