//! `noughts prove`: values, certificates, and what the verifier refuses.

use std::fs;
use std::path::{Path, PathBuf};

use noughts::prove::{VerifyError, verify};
use predicates::str::{contains, starts_with};

use crate::oracle::Dice;
use crate::support::{file, fresh, noughts, utf8};

/// Proves a board, writes the certificate and verifies it. Returns its bytes.
fn certified(arguments: &str, value: &str) -> Vec<u8> {
    let path = fresh(&format!("prove/{}", arguments.replace([' ', '/'], "_")));
    let proof = noughts()
        .args(["prove", "--certificate"])
        .arg(&path)
        .args(arguments.split(' '))
        .assert()
        .code(0);
    let proof = utf8(proof.get_output().stdout.clone());
    let bytes = fs::read(&path).unwrap();
    let (line, rest) = proof.split_once('\n').unwrap();
    assert_eq!(line, value);
    let verified = noughts().args(["prove", "--verify"]).arg(&path).assert().code(0).stderr("");
    let verified = utf8(verified.get_output().stdout.clone());
    let entries = verified.strip_suffix(" entries\n").unwrap();
    let (claim, entries) = entries.rsplit_once(": verified, ").unwrap();
    assert_eq!(claim, value.replace(" in ", " within ").replace(" within a row", " in a row"));
    assert_eq!(rest, format!("certificate: {entries} entries, {} bytes\n", bytes.len()));
    bytes
}

#[test]
fn draws_are_proved_and_verified() {
    for (arguments, value) in [
        ("4", "DRAW: 4 x 4, 4 in a row"),
        ("4x5 4", "DRAW: 4 x 5, 4 in a row"),
        ("4x6 4", "DRAW: 4 x 6, 4 in a row"),
        ("5", "DRAW: 5 x 5, 5 in a row"),
        ("5x6 5", "DRAW: 5 x 6, 5 in a row"),
        ("6x7 5", "DRAW: 6 x 7, 5 in a row"),
        ("7 5", "DRAW: 7 x 7, 5 in a row"),
        ("8x13 9", "DRAW: 8 x 13, 9 in a row"),
        ("1x2 2", "DRAW: 1 x 2, 2 in a row"),
        ("5 5 --exact", "DRAW: 5 x 5, exactly 5 in a row"),
        ("6 5 --exact", "DRAW: 6 x 6, exactly 5 in a row"),
        ("3 --position X../.O./...", "DRAW: 3 x 3, 3 in a row, X../.O./..."),
        ("3 --position .../.X./...", "DRAW: 3 x 3, 3 in a row, .../.X./..."),
    ] {
        certified(arguments, value);
    }
}

#[test]
fn wins_are_proved_and_verified() {
    for (arguments, value) in [
        ("1 1", "WIN: 1 x 1, 1 in a row: X in 1 move"),
        ("3x4 3", "WIN: 3 x 4, 3 in a row: X in 7 moves"),
        ("4 3 --exact", "WIN: 4 x 4, exactly 3 in a row: X in 5 moves"),
        ("5x6 4", "WIN: 5 x 6, 4 in a row: X in 11 moves"),
        ("6 4", "WIN: 6 x 6, 4 in a row: X in 11 moves"),
        ("3 --position X../.../O..", "WIN: 3 x 3, 3 in a row, X../.../O..: X in 5 moves"),
        ("3 --position XX./O../O..", "WIN: 3 x 3, 3 in a row, XX./O../O..: X in 1 move"),
        (
            "4 3 --position O.../.XX./..../....",
            "WIN: 4 x 4, 3 in a row, O.../.XX./..../....: X in 2 moves",
        ),
    ] {
        certified(arguments, value);
    }
}

/// The attacker of the weak game wins on these boards, and the real game is a draw.
fn trap(arguments: &str, value: &str) {
    let bytes = certified(arguments, value);
    let at = find(&bytes, b" holds real ");
    // The weak game has no threats of the defender.
    let mut forged = bytes.clone();
    forged.splice(at..at + 12, *b" holds weak ");
    assert!(matches!(verify(&forged[..]), Err(VerifyError::Entry { .. })));
}

#[test]
fn three_by_three_is_a_draw_in_the_real_game_alone() {
    trap("3", "DRAW: 3 x 3, 3 in a row");
}

#[test]
fn five_by_five_with_four_is_a_draw_in_the_real_game_alone() {
    trap("5 4", "DRAW: 5 x 5, 4 in a row");
}

#[test]
#[ignore = "it takes minutes"]
fn four_by_eight_with_four_is_a_draw_in_the_real_game_alone() {
    trap("4x8 4", "DRAW: 4 x 8, 4 in a row");
}

fn find(bytes: &[u8], text: &[u8]) -> usize {
    bytes.windows(text.len()).position(|part| part == text).expect("the text is there")
}

/// Changes each byte of a certificate. What is still accepted claims the same.
fn damage(arguments: &str, value: &str) {
    let bytes = certified(arguments, value);
    let claim = verify(&bytes[..]).unwrap();
    let body = find(&bytes, b"result");
    let (mut refused, mut dice) = (0, Dice::new(1));
    for at in 0..bytes.len() {
        for change in [1, 0x80, 1 + u8::try_from(dice.below(255)).unwrap()] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            match verify(&damaged[..]) {
                Err(_) => refused += 1,
                // A smaller k or fewer marks are other claims, which would have to hold.
                Ok(found) => {
                    let same =
                        (found.board, found.win.is_some()) == (claim.board, claim.win.is_some());
                    assert!(at < body || same, "{arguments}: byte {at}: {found:?}");
                }
            }
        }
        assert!(verify(&bytes[..at]).is_err(), "{arguments}: cut at {at}");
    }
    assert!(verify(&[&bytes[..], b"\0"].concat()[..]).is_err());
    assert!(refused * 10 > bytes.len() * 3 * 8, "{arguments}: {refused} of {}", bytes.len() * 3);
}

#[test]
fn damaged_certificates_are_refused() {
    damage("3", "DRAW: 3 x 3, 3 in a row");
    damage("4", "DRAW: 4 x 4, 4 in a row");
    damage("3x4 3", "WIN: 3 x 4, 3 in a row: X in 7 moves");
    damage("4x5 4", "DRAW: 4 x 5, 4 in a row");
}

#[test]
fn a_certificate_without_one_of_its_entries_is_refused() {
    // 9 bytes an entry: 3 x 4 squares are 2 bytes a set.
    let bytes = certified("3x4 3 --exact", "WIN: 3 x 4, exactly 3 in a row: X in 7 moves");
    let start = find(&bytes, b"X wins ");
    let body = start + find(&bytes[start..], b"\n") + 1;
    let entries = (bytes.len() - body) / 5;
    assert_eq!((bytes.len() - body) % 5, 0);
    for entry in 0..entries {
        let mut cut = bytes[..start].to_vec();
        cut.extend(format!("X wins {}\n", entries - 1).bytes());
        for other in (0..entries).filter(|&other| other != entry) {
            cut.extend(&bytes[body + other * 5..][..5]);
        }
        assert!(verify(&cut[..]).is_err(), "{entry}");
    }
}

/// The error of a draw certificate of 3 x 3, k = 3, or another board, with this text and these
/// entries.
fn refusal(text: &str, entries: &[u8]) -> String {
    let bytes = [text.as_bytes(), entries].concat();
    verify(&bytes[..]).expect_err("it does not hold").to_string()
}

#[test]
fn what_breaks_a_rule_is_named() {
    const HEAD: &str = "noughts proof 1\nboard 3 3 3\nposition .../.../...\nresult draw\n";
    let draw = |section: &str| format!("{HEAD}X holds first\n{section}\n");
    for (text, entries, error) in [
        ("", &b""[..], "line 1: expected \"noughts proof 1\""),
        ("noughts proof 2\n", b"", "line 1: expected \"noughts proof 1\""),
        (HEAD, b"", "a draw needs a hold of either side"),
        (&draw("O holds weak 0"), b"", "a section has no entry"),
        (&draw("O holds weak 1 after 3"), b"", "line 6: the side to move needs a first move"),
        (
            &draw("O holds weak 4294967296"),
            b"",
            "\"O holds weak 4294967296\": entry 0: \
            the file ends before it",
        ),
        // All is the attacker's.
        (
            &draw("O holds weak 1"),
            &[0, 0, 0, 0, 0, 0],
            "\"O holds weak 1\": entry 0: \
            the attacker completes a line at once",
        ),
        // No reply at all.
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 1, 0],
            "\"O holds weak 1\": entry 0: \
            a move of the attacker has no answer",
        ),
        // The potential is 8 / 8.
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 0, 0],
            "\"O holds weak 1\": entry 0: \
            its leaf does not hold",
        ),
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 2, 0, 0],
            "\"O holds weak 1\": entry 0: \
            its squares are off the board, or both marked and empty",
        ),
        (
            &draw("O holds weak 1"),
            &[1, 0, 255, 1, 0, 0],
            "\"O holds weak 1\": entry 0: \
            its squares are off the board, or both marked and empty",
        ),
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 2, 0],
            "\"O holds weak 1\": entry 0: \
            its kind is neither 0 nor 1",
        ),
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 0, 1, 3, 9],
            "\"O holds weak 1\": entry 0: \
            a pair is off the board",
        ),
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 0, 2, 3, 4, 4, 5],
            "\"O holds weak 1\": \
            entry 0: a pair is no pair, outside of the zone, or not disjoint",
        ),
        // An entry cannot lead to itself.
        (
            &draw("O holds weak 1"),
            &[0, 0, 255, 1, 1, 1, 4, 0, 0, 0, 0, 0],
            "\"O holds weak 1\": \
            entry 0: a reply leads to no earlier entry",
        ),
        // A hold with the marks of the defender is none of the empty board.
        (
            &draw("O holds weak 1"),
            &[255, 1, 0, 0, 0, 0],
            "the last hold is not one of the position",
        ),
        (&draw("O wins 0"), b"", "a reply leads to no position of the list"),
    ] {
        assert_eq!(refusal(text, entries), error);
    }
    let stolen = |board: &str, position: &str| {
        let text =
            format!("noughts proof 1\n{board}\nposition {position}\nresult draw\nX holds first\n");
        refusal(&text, b"")
    };
    let expected = "line 5: expected a section such as \"O holds weak 12\"";
    assert_eq!(stolen("board 4 4 3 exact", "..../..../..../...."), expected);
    assert_eq!(stolen("board 3 3 3", ".../.XO/..."), expected);
}

#[test]
fn draws_are_not_claimed_of_boards_that_are_won() {
    // The holds of 3 x 3 on a longer board, those of 4 x 4 for three in a row.
    for (arguments, value, from, to) in [
        (
            "3",
            "DRAW: 3 x 3, 3 in a row",
            "board 3 3 3\nposition .../.../...",
            "board 3 4 3\nposition ..../..../....",
        ),
        ("4", "DRAW: 4 x 4, 4 in a row", "board 4 4 4", "board 4 4 3"),
        ("5x6 5", "DRAW: 5 x 6, 5 in a row", "board 5 6 5", "board 5 6 4"),
    ] {
        let bytes = certified(arguments, value);
        let at = find(&bytes, from.as_bytes());
        let forged = [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat();
        assert!(verify(&forged[..]).is_err(), "{to}");
    }
}

#[test]
fn any_bytes_are_refused_or_hold() {
    let bytes = certified("4x6 4", "DRAW: 4 x 6, 4 in a row");
    let body = find(&bytes, b"result");
    let mut dice = Dice::new(7);
    for _ in 0..2_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=dice.below(4) {
            let at = body + dice.below(bytes.len() - body);
            damaged[at] = u8::try_from(dice.below(256)).unwrap();
        }
        damaged.truncate(body + dice.below(2 * (bytes.len() - body)));
        if let Ok(claim) = verify(&damaged[..]) {
            assert_eq!((claim.board, claim.win), ([4, 6, 4], None));
        }
        let noise: Vec<u8> =
            (0..dice.below(200)).map(|_| u8::try_from(dice.below(256)).unwrap()).collect();
        assert!(verify(&noise[..]).is_err());
        assert!(verify(&[&bytes[..body], &noise[..]].concat()[..]).is_err());
    }
}

#[test]
fn limits_end_a_proof_with_what_is_known() {
    let path = fresh("prove/late");
    let late =
        noughts().args(["prove", "9", "5", "--time", "0.2", "--certificate"]).arg(&path).assert();
    let message =
        format!("noughts: {}: there is no certificate of what is not proved\n", path.display());
    late.code(1)
        .stdout(starts_with("NO_ANSWER: 9 x 9, 5 in a row: X may win, but not within "))
        .stderr(message);
    assert!(!Path::new(&path).exists());
    let json = noughts().args(["prove", "9", "5", "--time", "0.1", "-f", "json"]).assert().code(1);
    let json: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!((&json["result"], &json["open"]), (&"NO_ANSWER".into(), &serde_json::json!(["X"])));
}

#[test]
fn json_says_the_same() {
    let path = fresh("prove/json");
    let proof =
        noughts().args(["prove", "3x4", "3", "-f", "json", "--certificate"]).arg(&path).assert();
    let proof: serde_json::Value =
        serde_json::from_slice(&proof.code(0).get_output().stdout).unwrap();
    assert_eq!(proof["result"], "WIN");
    assert_eq!((&proof["winner"], &proof["moves"]), (&"X".into(), &7.into()));
    assert_eq!(proof["certificate"]["bytes"], fs::metadata(&path).unwrap().len());
    let claim = noughts().args(["prove", "-f", "json", "--verify"]).arg(&path).assert();
    let claim: serde_json::Value =
        serde_json::from_slice(&claim.code(0).get_output().stdout).unwrap();
    assert_eq!((&claim["verified"], &claim["moves"]), (&true.into(), &7.into()));
    assert_eq!(claim["entries"], proof["certificate"]["entries"]);
}

#[test]
fn wrong_usage_and_files_end_with_status_2() {
    let taken: PathBuf = file("prove/taken", "kept");
    let taken = taken.to_str().unwrap();
    for (arguments, message) in [
        (&["prove"][..], "required arguments were not provided"),
        (&["prove", "12"], "cannot prove 12 x 12: expected at most 128 squares"),
        (&["prove", "3", "4"], "cannot line up 4 on a 3 x 3 board"),
        (&["prove", "3", "--memory", "0"], "expected a whole number from 1"),
        (&["prove", "3", "--position", "XX/.."], "--position: found 2x2, expected 3x3"),
        (&["prove", "3", "--position", "XX./.../..."], "--position: "),
        (
            &["prove", "3", "--position", "XXX/OO./..."],
            "a game that goes on: found one that is over",
        ),
        (&["prove", "3", "--verify", taken], "cannot be used with"),
        (&["prove", "3", "--certificate", taken], taken),
        (&["prove", "--verify", taken], "line 1: "),
        (&["prove", "--verify", "/nowhere/at/all"], "/nowhere/at/all: "),
    ] {
        noughts().args(arguments).assert().code(2).stdout("").stderr(contains(message));
    }
    assert_eq!(fs::read(taken).unwrap(), b"kept");
}
