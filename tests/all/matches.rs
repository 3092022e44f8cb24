//! `noughts match`: games in order, the table, records that are resumed, and what ends a match.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use assert_cmd::assert::Assert;

use crate::support::{driven, file, fresh, noughts, utf8};

/// Runs `noughts match` with these words.
fn contest(words: &str) -> Assert {
    noughts().arg("match").args(words.split(' ')).assert()
}

fn stdout(assert: &Assert) -> String {
    utf8(assert.get_output().stdout.clone())
}

/// Returns the lines of a report from the table on.
fn table(report: &str) -> &str {
    report.find("player  ").map_or("", |at| &report[at..])
}

const SIX: &str = "\
1: X level1, O random: level1 wins in 9 moves
2: X random, O level1: level1 wins in 8 moves
3: X level1, O random: a draw in 9 moves
4: X random, O level1: random wins in 9 moves
5: X level1, O random: level1 wins in 5 moves
6: X random, O level1: level1 wins in 6 moves
player  games  won  drawn  lost  score   Elo      LOS
level1      6    4      1     1  75.0%  > -108  89.0%
pairs of level1, 0 to 2 points: 0 1 0 0 2
distinct games: 6 of 6
";

const THREE: &str = "\
1: X level1, O random: level1 wins in 7 moves
2: X random, O level1: level1 wins in 8 moves
3: X level1, O rules: a draw in 9 moves
4: X rules, O level1: rules wins in 7 moves
5: X random, O rules: rules wins in 6 moves
6: X rules, O random: rules wins in 5 moves
7: X level1, O random: level1 wins in 7 moves
8: X random, O level1: level1 wins in 6 moves
9: X level1, O rules: rules wins in 8 moves
10: X rules, O level1: rules wins in 5 moves
11: X random, O rules: rules wins in 6 moves
12: X rules, O random: rules wins in 5 moves
player           games  won  drawn  lost   score   Elo         LOS
level1               8    4      1     3   56.2%   44 ± 973  61.0%
random               8    0      0     8    0.0%  < 19        3.1%
rules                8    7      1     0   93.8%  > -19      96.9%
level1 - random      4    4      0     0  100.0%  > -216     87.5%
level1 - rules       4    0      1     3   12.5%  < 216      12.5%
random - rules       4    0      0     4    0.0%  < 216      12.5%
pairs of level1 - random, 0 to 2 points: 0 0 0 0 2
pairs of level1 - rules, 0 to 2 points: 1 1 0 0 0
pairs of random - rules, 0 to 2 points: 2 0 0 0 0
distinct games: 12 of 12
";

const JSON: &str = r#"{"game":"1","rows":3,"cols":3,"k":3,"exact":false,"x":"level8","o":"random","result":"X","reason":"","length":5,"moves":[[1,0],[2,1],[1,1],[0,1],[1,2]],"opening":2}
{"game":"2","rows":3,"cols":3,"k":3,"exact":false,"x":"random","o":"level8","result":"O","reason":"","length":8,"moves":[[1,0],[2,1],[2,0],[0,0],[0,2],[1,1],[2,2],[0,1]],"opening":2}
{"table":[{"player":"level8","against":"random","games":2,"won":2,"drawn":0,"lost":0,"score":1.0,"elo":null,"error":null,"elo_low":-511.5,"elo_high":null,"los":0.75,"pairs":[0,0,0,0,1],"forfeits":{},"forfeits_against":{}}],"games":2,"distinct":2}
"#;

#[test]
fn games_are_told_in_order_and_summed_up_in_a_table() {
    contest("level1 random --games 6").code(0).stdout(SIX).stderr("");
    contest("level1 random rules -n 4 --random-opening 2").code(0).stdout(THREE).stderr("");
    contest("level8 random -n 2 --random-opening 2 -f json").code(0).stdout(JSON).stderr("");
    let none = "player  games  won  drawn  lost  score   Elo  LOS\n\
                best        0    0      0     0      -  -       -\n\
                pairs of best, 0 to 2 points: 0 0 0 0 0\ndistinct games: 0 of 0\n";
    contest("best random -n 0").code(0).stdout(none).stderr("");
}

#[test]
fn the_report_is_the_same_however_many_games_run_at_once() {
    for words in [
        "level1 random -n 200",
        "level3 level2 rules random -n 20 --random-opening 1 --seed 5 -f json",
        "level2 level1 -s 6 -k 4 -n 12 --random-opening 4",
        "level8 random -n 1000 --sprt 0,100",
        "best level8 -s 5 -k 4 -n 4 --nodes 2000",
    ] {
        let one = stdout(&contest(words).code(0).stderr(""));
        let three = stdout(&contest(&format!("{words} -j 3")).code(0).stderr(""));
        assert_eq!(one, three, "{words}");
    }
}

#[test]
fn sprt_ends_a_match_that_is_decided() {
    let report = stdout(&contest("level8 random -n 1000 --sprt 0,100").code(0).stderr(""));
    let expected = "\
player  games  won  drawn  lost  score   Elo      LOS
level8     24   23      1     0  97.9%  > 219  100.0%
pairs of level8, 0 to 2 points: 0 0 0 1 11
distinct games: 23 of 24
SPRT, H0 0 Elo, H1 100 Elo, alpha = beta = 0.05: LLR 2.96, bounds -2.94 and 2.94: H1 accepted
";
    assert_eq!(table(&report), expected);
    let report = stdout(&contest("level8 random -n 2 --sprt -5,5 -f json").code(0).stderr(""));
    let last = r#","sprt":{"elo0":-5,"elo1":5,"alpha":0.05,"beta":0.05,"llr":0.03,"lower":-2.94,"upper":2.94,"accepted":null}}"#;
    assert!(report.trim_end().ends_with(last), "{report}");
}

/// Returns the words for a program that takes the first empty square, and says so on standard
/// error.
fn first(name: &str) -> String {
    let script = "\
while read -r _ _ _ _ board _; do
    before=${board%%.*} row=0
    while case $before in */*) true ;; *) false ;; esac; do
        before=${before#*/} row=$((row + 1))
    done
    echo \"$row ${#before}\"
    echo \"row $row\" >&2
done
";
    let path = file(&format!("matches/{name}.sh"), script);
    format!("name=first,cmd:sh '{}'", path.display())
}

const STUBBORN: &str = "name=stubborn,cmd:sh -c 'while read -r line; do echo 0 0; done'";
const MUTE: &str = "name=mute,cmd:sh -c 'read -r line'";

#[test]
fn programs_play_and_their_forfeits_are_counted() {
    let report = "\
1: X first, O random: random wins in 8 moves
2: X random, O first: first wins in 6 moves
3: X first, O random: first wins in 5 moves
4: X random, O first: random wins in 9 moves
player  games  won  drawn  lost  score   Elo        LOS
first       4    2      0     2  50.0%   0 ± 360  50.0%
pairs of first, 0 to 2 points: 0 0 2 0 0
distinct games: 4 of 4
";
    let (program, folder) = (first("plays"), fresh("matches/stderr"));
    let both = [program.as_str(), "random"];
    noughts().arg("match").args(both).args(["-n", "4", "-j", "2"]).assert().code(0).stdout(report);
    let kept = ["-n", "2", "--stderr", folder.to_str().unwrap()];
    noughts().arg("match").args(both).args(kept).assert().code(0).stderr("");
    let mut files: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["000001-first.txt", "000002-first.txt"]);
    let wrote = fs::read_to_string(folder.join("000001-first.txt")).unwrap();
    assert_eq!(wrote, "row 0\nrow 0\nrow 1\nrow 1\n");

    let report = "\
1: X stubborn, O mute: stubborn wins by forfeit (crash) after 1 move: mute: it ended with status 0 before it moved
2: X mute, O stubborn: stubborn wins by forfeit (crash) after 0 moves: mute: it ended with status 0 before it moved
3: X stubborn, O rules: rules wins by forfeit (illegal) after 2 moves: stubborn: its move \"0 0\": 0 0 is taken by X
4: X rules, O stubborn: rules wins by forfeit (illegal) after 3 moves: stubborn: its move \"0 0\": 0 0 is taken by O
5: X mute, O rules: rules wins by forfeit (crash) after 0 moves: mute: it ended with status 0 before it moved
6: X rules, O mute: rules wins by forfeit (crash) after 1 move: mute: it ended with status 0 before it moved
player            games  won  drawn  lost   score   Elo      LOS
stubborn              4    2      0     2   50.0%  -       50.0%
mute                  4    0      0     4    0.0%  < 216   12.5%
rules                 4    4      0     0  100.0%  > -216  87.5%
stubborn - mute       2    2      0     0  100.0%  > -512  75.0%
stubborn - rules      2    0      0     2    0.0%  < 512   25.0%
mute - rules          2    0      0     2    0.0%  < 512   25.0%
pairs of stubborn - mute, 0 to 2 points: 0 0 0 0 1
pairs of stubborn - rules, 0 to 2 points: 1 0 0 0 0
pairs of mute - rules, 0 to 2 points: 1 0 0 0 0
forfeits: stubborn 2 (2 illegal), mute 4 (4 crash)
distinct games: 6 of 6
";
    let three = ["match", STUBBORN, MUTE, "rules", "-n", "2", "-j", "3"];
    noughts().args(three).assert().code(0).stdout(report).stderr("");
    let report = "\
1: X rules, O stubborn: rules wins by forfeit (illegal) after 3 moves: stubborn: its move \"0 0\": 0 0 is taken by O
player  games  won  drawn  lost   score   Elo  LOS
rules       1    1      0     0  100.0%  -       -
pairs of rules, 0 to 2 points: 0 0 0 0 0
forfeits: stubborn 1 (1 illegal)
distinct games: 1 of 1
";
    let strict = ["match", "rules", STUBBORN, "--strict", "-j", "2"];
    noughts().args(strict).assert().code(1).stdout(report).stderr("");
    let json = r#"{"game":"1","rows":3,"cols":3,"k":3,"exact":false,"x":"stubborn","o":"rules","result":"O","reason":"illegal","length":2,"moves":[[0,0],[1,1]],"opening":0,"message":"stubborn: its move \"0 0\": 0 0 is taken by X"}
"#;
    let words = ["match", STUBBORN, "rules", "-n", "2", "--format", "json"];
    let report = stdout(&noughts().args(words).assert().code(0).stderr(""));
    assert_eq!(report.split_inclusive('\n').next(), Some(json));
    assert!(report.contains(r#""forfeits":{"illegal":2},"forfeits_against":{}}"#), "{report}");
}

#[test]
fn a_program_loses_by_the_clock_of_a_move_and_of_a_game() {
    let slow = "cmd:sh -c 'while read -r line; do sleep 0.2; echo 0 0; done'";
    for (player, flags) in [
        (format!("name=slow,time=0.1,{slow}"), "--time 60"),
        (format!("name=slow,{slow}"), "--time 0.1"),
        (format!("name=slow,{slow}"), "--match-time 0.1"),
        (format!("name=slow,{slow}"), "--time 0.05 --margin 0.05"),
    ] {
        let words = ["match", &player, "random", "-n", "2"].into_iter().chain(flags.split(' '));
        let report = stdout(&noughts().args(words).assert().code(0).stderr(""));
        // On a machine with much else to do it may not answer at all.
        let late = report.matches(" s, later than 0.1 s\n").count();
        let stalled = report.matches("slow: no answer within 0.1 s").count();
        assert_eq!(late + stalled, 2, "{report}");
        assert!(report.contains("\nforfeits: slow 2 ("), "{report}");
    }
}

#[test]
fn a_program_is_checked_in_one_game() {
    let check = |player: &str| noughts().args(["match", "--check", player]).assert();
    let report = "OK: first played a whole game against random as X, and lost in 8 moves\n";
    check(&first("checked")).code(0).stdout(report).stderr("");
    let report = "\
FAILED: stubborn lost by forfeit (illegal) after 2 moves
stubborn: its move \"0 0\": 0 0 is taken by X
it was asked: turn X 3x3 3 X.O/.../... 0 0 0 2
in the question the board follows k, rows from the top, and \".\" is an empty square; an answer has the row and the column, from 0
";
    check(STUBBORN).code(1).stdout(report).stderr("");
    let report = "\
FAILED: cat lost by forfeit (garbled) after 0 moves
cat: \"turn X 3x3 3 .../.../...\" is no move: expected a square such as 2 2
it was asked: turn X 3x3 3 .../.../...
an answer is one line with a square alone, such as \"2 2\"; whatever else it says belongs on standard error
";
    check("cmd:cat").code(1).stdout(report).stderr("");
    let report = "\
FAILED: mute lost by forfeit (crash) after 0 moves
mute: it ended with status 0 before it moved
it was asked: turn X 3x3 3 .../.../...
what it wrote on standard error tells why; it must go on after its answer, and read the next line until its input ends
";
    check(MUTE).code(1).stdout(report).stderr("");
    let words = ["match", "--check", "level1", "random"];
    let message = "noughts: --check is of one player: found 2\n";
    noughts().args(words).assert().code(2).stdout("").stderr(message);
}

#[test]
fn openings_are_read_from_records_and_used_in_order() {
    let path = file("matches/openings.txt", "h8 h9 g8 i7\nh8 i9 j10\n");
    let path = path.to_str().unwrap();
    let report = stdout(&contest(&format!("level2 level1 -n 6 --openings {path} -f json")).code(0));
    let begin: Vec<&str> = report
        .lines()
        .filter_map(|line| line.split_once("\"moves\":[").map(|(_, moves)| &moves[..12]))
        .collect();
    // h8 and h9, or h8 and i9, on 15 x 15.
    let (one, other) = ("[7,7],[6,7],", "[7,7],[6,8],");
    assert_eq!(begin, [one, one, other, other, one, one]);
    let report = stdout(&contest(&format!("level2 level1 -n 6 --openings {path}")).code(0));
    let last = "distinct games: 6 of 6\nopenings: 2, again from the first after each 2\n";
    assert!(report.ends_with(last), "{report}");

    let over = file("matches/over.moves", "new 3\nreplay 0 0 1 0 0 1 1 1 0 2\n");
    let two = file("matches/two.moves", "new 3\nreplay 0 0\nnew 4\nreplay 0 0\n");
    let empty = file("matches/empty.csv", "game,moves\n");
    let bad = file("matches/bad.letters", "h8 h8\n");
    for (path, rest, message) in [
        (path, "-s 9", "openings.txt:2: \"j10\" is off the board of 9 x 9"),
        (over.to_str().unwrap(), "", "over.moves:2: the game is over, expected an opening"),
        (
            two.to_str().unwrap(),
            "",
            "two.moves:4: found a game of 4 x 4, 4 in a row, expected 3 x 3, 3 in a row",
        ),
        (
            two.to_str().unwrap(),
            "-k 2",
            "two.moves:2: found a game of 3 x 3, 3 in a row, expected 3 x 3, 2 in a row",
        ),
        (empty.to_str().unwrap(), "", "empty.csv: found no game, expected an opening or more"),
        (bad.to_str().unwrap(), "", "bad.letters:1: move 2: 7 7 is taken by X"),
        (
            "Cargo.lock",
            "",
            "Cargo.lock: its ending names no format to read: .noughts .moves .letters .txt .csv \
             .jsonl .ndjson .psq .sgf",
        ),
    ] {
        let words = format!("level2 level1 --openings {path} {rest}");
        let assert = contest(words.trim_end()).code(2).stdout("");
        let found = utf8(assert.get_output().stderr.clone());
        let folder = Path::new(path).parent().unwrap().join("");
        assert_eq!(found, format!("noughts: {}{message}\n", folder.display()));
    }
}

#[test]
fn what_cannot_be_played_is_told() {
    for (words, message) in [
        ("best", "found 1 player, expected two or more"),
        (
            "best name=a,random name=a,rules",
            "two players are called a: expected another name for one of them, such as \
             name=NAME,PLAYER",
        ),
        (
            "best random -n 7",
            "found 7 games, expected an even number: each opening is played twice, with changed \
             marks",
        ),
        ("best random rules --sprt 0,5", "--sprt compares two players: found 3"),
        (
            "minimax random -s 4",
            "minimax searches to the end, from at most 12 empty squares: 16 are empty",
        ),
        (
            "best random --random-opening 9",
            "found no opening of 9 marks on 3 x 3, 3 in a row, after which neither side wins at \
             once: expected fewer marks",
        ),
        ("best random -s 0", "cannot make a board of 0 x 0: sides must be 1 to 1024"),
        ("cmd:./nope random", "nope: the program \"./nope\" cannot be found"),
        ("random cmd:Cargo.toml", "Cargo.toml: the program \"Cargo.toml\" cannot be found"),
        (
            "cmd:./Cargo.toml random",
            "Cargo.toml: the program \"./Cargo.toml\" is not executable: \
          \"chmod +x\" makes it so, or the command names its interpreter first",
        ),
    ] {
        contest(words).code(2).stdout("").stderr(format!("noughts: {message}\n"));
    }
}

#[test]
fn a_record_replays_and_converts() {
    let path = fresh("matches/record");
    let name = path.to_str().unwrap();
    contest(&format!("level1 random -n 4 --record {name}")).code(0).stderr("");
    let expected = "\
# noughts match {\"exact\":false,\"margin\":0.0,\"match_time\":null,\"nodes\":null,\"openings\":{\"random\":0},\"players\":[\"level1\",\"random\"],\"seed\":0,\"size\":\"3x3\",\"sprt\":null,\"time\":null,\"win\":3}
new 3x3 3
replay 1 1 0 1 0 2 2 2 2 1 0 0 1 0 1 2 2 0 # 1: X level1, O random: level1 wins in 9 moves
replay 2 1 1 1 0 2 1 2 2 2 2 0 0 0 1 0 # 2: X random, O level1: level1 wins in 8 moves
replay 1 1 2 0 2 1 0 1 0 0 2 2 1 2 1 0 0 2 # 3: X level1, O random: a draw in 9 moves
replay 0 2 2 0 0 0 1 2 1 0 0 1 1 1 2 1 2 2 # 4: X random, O level1: random wins in 9 moves
";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let replies = "OK: 3 x 3, 3 in a row, X to move\n\
                   WIN: X at 2 0 completes 0 2, 1 1, 2 0\nWIN: O at 1 0 completes 1 0, 1 1, 1 2\n\
                   DRAW: X at 0 2 fills the board\nWIN: X at 2 2 completes 0 0, 1 1, 2 2\n";
    noughts().arg(name).assert().code(0).stdout(replies).stderr("");
    let lines: Vec<&str> = expected.lines().collect();
    let games = lines[1..].iter().map(|line| line.split(" #").next().unwrap().to_owned() + "\n");
    let games: String = games.collect();
    let convert = ["convert", "--from", "moves", "--to", "moves", name];
    noughts().args(convert).assert().code(0).stdout(games).stderr("");

    // Another match has another record.
    let message = format!("noughts: {name}: the file exists: --resume goes on from it\n");
    contest(&format!("level1 random -n 4 --record {name}")).code(2).stdout("").stderr(message);
    let other = format!("noughts: {name}: another match: found ");
    for (words, difference) in [
        ("level1 random --seed 1", "\"seed\" 0, expected 1"),
        ("level1 random -s 4", "\"size\" \"3x3\", expected \"4x4\""),
        ("level1 random --time 0.5", "\"time\" null, expected 0.5"),
        ("random level1", "\"players\" [\"level1\",\"random\"], expected [\"random\",\"level1\"]"),
    ] {
        let assert = contest(&format!("{words} --record {name} --resume")).code(2).stdout("");
        assert.stderr(format!("{other}{difference}\n"));
    }
    let end = "expected game 1 with its end";
    for (damage, line, why) in [
        ("wins in 9", "wins in 8", end),
        ("replay 1 1 0 1", "replay 0 1 1 1", "move 7: the game is over: O has won"),
        ("# 1: X level1", "# 1: X level2", end),
        ("replay 1 1", "replay x 1", end),
        ("replay 1 1", "replay  1 1", end),
    ] {
        fs::write(&path, expected.replacen(damage, line, 1)).unwrap();
        let message = format!("noughts: {name}:3: another game than this match has here: {why}\n");
        let assert = contest(&format!("level1 random -n 4 --record {name} --resume"));
        assert.code(2).stdout("").stderr(message);
    }
    fs::write(&path, expected).unwrap();
    let message = format!(
        "noughts: {name}:5: another game than this match has here: expected 2 games at most\n"
    );
    let assert = contest(&format!("level1 random -n 2 --record {name} --resume"));
    assert.code(2).stdout("").stderr(message);
    for foreign in ["my own text", "0 0\n1 1\n", "# noughts match\n"] {
        fs::write(&path, foreign).unwrap();
        let message = format!(
            "noughts: {name}: expected the record of a match, which begins with \"# noughts match \"\n"
        );
        let assert = contest(&format!("level1 random -n 4 --record {name} --resume"));
        assert.code(2).stdout("").stderr(message);
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    }
}

/// Cuts the record of a match at every so many bytes, and resumes it.
fn cut(first: &str, every: usize) {
    let path = fresh(&format!("matches/cut-every-{every}"));
    let resume = || {
        let words = ["match", first, "random", "-n", "4", "--random-opening", "1", "--resume"];
        noughts().args(words).arg("--record").arg(&path).assert().code(0)
    };
    let whole = stdout(&resume());
    let record = fs::read(&path).unwrap();
    for cut in (0..record.len()).step_by(every) {
        fs::write(&path, &record[..cut]).unwrap();
        let assert = resume();
        // What it has is not told again, and what is not whole is played again.
        let lines = String::from_utf8_lossy(&record[..cut]).matches('\n').count();
        let found = lines.saturating_sub(2);
        let message = format!("noughts: {}: goes on after {found} games\n", path.display());
        let rest: String = whole.split_inclusive('\n').skip(found).collect();
        assert_eq!(stdout(&assert), rest, "cut at {cut}");
        assert_eq!(utf8(assert.get_output().stderr.clone()), message, "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), record, "cut at {cut}");
    }
}

#[test]
fn a_record_that_is_cut_anywhere_goes_on_to_the_same_end() {
    cut("level1", 1);
    cut(STUBBORN, 41);
}

/// Reads the first lines of a running match.
fn read_lines(output: &mut impl BufRead, count: usize) -> String {
    let mut lines = String::new();
    for _ in 0..count {
        assert!(output.read_line(&mut lines).unwrap() > 0, "{lines}");
    }
    lines
}

#[test]
fn a_match_that_is_killed_goes_on() {
    let path = fresh("matches/killed");
    let name = path.to_str().unwrap();
    for lines in [1, 40, 300] {
        let words = "match level1 random -j 2 --resume --record";
        let mut running = driven(words.split(' ').chain([name, "-n", "1000000"]));
        let mut output = BufReader::new(running.stdout.take().unwrap());
        read_lines(&mut output, lines);
        // SIGKILL.
        running.kill().unwrap();
        running.wait().unwrap();
    }
    let games = fs::read_to_string(&path).unwrap().lines().count() - 2;
    assert!(games >= 341, "{games}");
    let games = games + games % 2 + 100;
    let resumed = contest(&format!("level1 random -n {games} --resume --record {name}")).code(0);
    let fresh = contest(&format!("level1 random -n {games}")).code(0);
    assert_eq!(table(&stdout(&resumed)), table(&stdout(&fresh)));
}

#[test]
fn ctrl_c_tells_what_was_played_and_leaves_no_process() {
    let path = fresh("matches/interrupted");
    let name = path.to_str().unwrap();
    let program = first("interrupted");
    let words = ["match", &program, "level1", "-n", "1000000", "-j", "2", "--record", name];
    let mut running = driven(words);
    let mut output = BufReader::new(running.stdout.take().unwrap());
    let mut report = read_lines(&mut output, 20);
    let pid = running.id().to_string();
    let children = || {
        let found = Command::new("pgrep").args(["-P", &pid]).output().unwrap();
        utf8(found.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let programs = children();
    assert!(!programs.is_empty());
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    output.read_to_string(&mut report).unwrap();
    let mut errors = String::new();
    running.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    let status = running.wait().unwrap();
    assert_eq!((errors.as_str(), status.signal()), ("", Some(2)));
    for program in programs {
        assert!(!Path::new("/proc").join(&program).exists(), "{program} is left");
    }
    let games = report.lines().position(|line| line.starts_with("player ")).unwrap();
    for (number, line) in (1..).zip(report.lines().take(games)) {
        assert!(line.starts_with(&format!("{number}: X ")), "{report}");
    }
    assert!(table(&report).contains(&format!("\nfirst   {games:>5}")), "{report}");
    assert!(report.ends_with(&format!(" of {games}\n")), "{report}");
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), games + 2);

    let games = (games + games % 2 + 2).to_string();
    let words = ["match", &program, "level1", "-n", &games, "--record", name, "--resume"];
    let resumed = stdout(&noughts().args(words).assert().code(0));
    let fresh = stdout(&noughts().args(&words[..5]).assert().code(0).stderr(""));
    assert_eq!(table(&resumed), table(&fresh));
}
