//! The language: the meaning of a line, and the one reply that each gets.

use noughts::command::{Action, Command, Place, Size, Verb};
use noughts::game::Mark;
use noughts::limit::Limit;
use noughts::reply::Format;
use noughts::session::{Session, Setup};

use crate::properties::{replies, run};

#[test]
fn a_command_can_be_written_in_many_ways() {
    let play = |mark, place| Command::from(Action::Play(mark, place));
    let seen = |action, seen| Command { action, seen: Some(seen) };
    let new = |size, k| Command::from(Action::New { size, k });
    let size = |rows, cols| Some(Size { rows, cols });
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
        ("0 2 @7", seen(Action::Play(None, corner), 7)),
        ("exit", Action::Quit.into()),
        ("SHOW", Action::Board.into()),
        ("reset", new(None, None)),
        ("new 3", new(size(3, 3), None)),
        ("new 6X7 4", new(size(6, 7), Some(4))),
        ("undo @3", seen(Action::Undo(None), 3)),
        ("undo 2 @3", seen(Action::Undo(Some(2)), 3)),
        ("help SHOW", Action::Help(Some(Verb::Board)).into()),
        ("save my game.sgf", Action::Save("my game.sgf".to_owned()).into()),
        ("LOAD\t, #1, b#2.psq @3 \t", Action::Load("#1, b#2.psq @3".to_owned()).into()),
        ("position xo-/_X_/2O", "position XO./.X./..O".parse().unwrap()),
        ("position 3/3/3", "position .../.../...".parse().unwrap()),
        ("position 1024", format!("position {}", ".".repeat(1024)).parse().unwrap()),
    ];
    for (line, command) in same {
        assert_eq!(line.parse(), Ok(command), "{line}");
    }
}

#[test]
fn every_verb_reads_as_itself_and_has_help() {
    for &verb in Verb::ALL {
        assert_eq!(verb.name().parse(), Ok(verb));
        assert_eq!(verb.name().to_uppercase().parse(), Ok(verb));
        assert!(verb.usage().starts_with(verb.name()));
        assert!(verb.help().lines().all(|line| line.len() < 80), "{verb:?}");
        let overview = noughts::command::overview();
        let starts = |start: &str| overview.contains(&format!("{start}{}", verb.name()));
        assert!(starts("\n  ") || starts(", "), "{verb:?}");
    }
}

#[test]
fn the_help_fits_a_usual_terminal() {
    let help = format!("OK: {}", noughts::command::overview());
    assert!(help.lines().count() <= 24 && help.lines().all(|line| line.len() <= 80), "{help}");
}

#[test]
fn a_slip_of_the_finger_is_guessed_for_every_verb() {
    for verb in Verb::ALL.iter().filter(|verb| verb.name().len() > 3) {
        let name = verb.name();
        let (first, rest) = name.split_at(1);
        let (second, rest) = rest.split_at(1);
        let swapped = format!("{second}{first}{rest}");
        let error = swapped.parse::<Verb>().unwrap_err().to_string();
        assert_eq!(error, format!("unknown command \"{swapped}\": did you mean \"{name}\"?"));
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
        assert_eq!(error, format!("unknown command \"{word}\": did you mean \"{guess}\"?"));
    }
    let far = "positionally".parse::<Verb>().unwrap_err().to_string();
    assert_eq!(far, "unknown command \"positionally\": \"help\" lists the commands");
}

#[test]
fn a_replay_holds_no_more_moves_than_can_be_played() {
    let squares = 1024 * 1024;
    let line = format!("replay{}", " 0 0".repeat(squares + 10));
    let command: Command = line.parse().unwrap();
    let Action::Replay(places) = command.action else {
        unreachable!("numbers in pairs are moves");
    };
    assert_eq!(places.len(), squares + 1);
    let line = format!("{line} x 0");
    assert!(line.parse::<Command>().is_err());
}

/// A writer that counts how often it is written to.
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
    let mut session = Session::new(&Setup::default()).unwrap();
    run(input.as_bytes(), &mut session, Format::Text, false, &mut out);
    // 20,000 replies of some 25 bytes are eight blocks of 64 KiB.
    assert!((8..=12).contains(&out.0), "{} writes", out.0);
}

/// The members of section 4 of the contract, in its order.
const MEMBERS: [&str; 36] = [
    "source",
    "line",
    "command",
    "result",
    "reason",
    "message",
    "move",
    "ended",
    "comment",
    "mark",
    "row",
    "col",
    "player",
    "value",
    "plies",
    "nodes",
    "winning_lines",
    "moves",
    "candidates",
    "x",
    "o",
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
    let script = "play 0 0\nplay 0 0\nplay 9 9\nat 0 0\nat 1 1\nundo\nredo\nmoves\nfree\nboard\n\
        status\n\
        games\nseat\nseat swap\ncoords\nhint 3\nhint rules\ngo random\nanalyze\nperft 2\nseat O human\nhelp\nhelp play\nnew 4x5 3\n\
        replay 0 0 0 0\nreplay 0 0 1 1 0 1 1 2 0 2\nposition X../...\n\
        position X\nposition XX\nudno\ngame a\ndrop a\nundo 9\nplay O 0 0\nplay 0 0 @0\nquit\n";
    let setup = Setup { limit: Limit::Nodes(200), ..Setup::default() };
    let script = script.replace('\n', " # an id\n");
    let replies = replies(script.as_bytes(), &setup, Format::Json);
    assert_eq!(replies.lines().count(), script.lines().count());
    assert_eq!(replies.matches(",\"comment\":\"an id\",").count(), script.lines().count());
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
        for always in ["line", "result", "game", "version", "turn", "winner", "over"] {
            assert!(object.contains_key(always), "{always}: {line}");
        }
    }
}

#[test]
fn a_comment_comes_back_in_json_and_a_computer_has_none() {
    let long = "x".repeat(5000);
    let setup = Setup { o: Some("rules".parse().unwrap()), ..Setup::default() };
    for (line, comment) in [
        (&b"play 0 0 # 17"[..], Some("17")),
        (b"play 0 0\t#\t a \"b\" \\ # c \t\r", Some("a \"b\" \\ # c")),
        (b"play 0 0 # \xc3\xa9 \xff\xfe \0\x1b", Some("\u{e9} \u{fffd}\u{fffd} \0\u{1b}")),
        (b"udno ##1", Some("#1")),
        (b"\xff # 2", Some("2")),
        (format!("help # {long}").as_bytes(), Some(&long)),
        (b"play 0 0 #", None),
        (b"play 0 0 # \t ", None),
        (b"play 0 0#1", None),
        (b"play 0 0", None),
    ] {
        let replies = replies(line, &setup, Format::Json);
        let mut replies = replies.lines();
        let first: serde_json::Value = serde_json::from_str(replies.next().unwrap()).unwrap();
        assert_eq!(first["comment"].as_str(), comment, "{first}");
        // That of the computer.
        assert!(replies.all(|reply| !reply.contains("comment")), "{first}");
    }
}
