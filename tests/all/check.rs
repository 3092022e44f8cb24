//! `noughts test`: what it finds, compares, writes and reports.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use assert_cmd::assert::Assert;

use crate::support::{file, fresh, noughts, process, utf8};

/// Makes a folder of files for one test.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = fresh(&format!("check/{name}"));
    for (name, content) in files {
        file(folder.join(name).to_str().unwrap(), content);
    }
    folder
}

/// Runs `noughts test` in a folder.
fn test(folder: &Path, arguments: &[&str]) -> Assert {
    noughts().env_remove("CI").arg("test").args(arguments).current_dir(folder).assert()
}

const OPENING: &str = "play 0 0\nplay 1 1\n";
const REPLIES: &str = "OK: X at 0 0, O to move\nOK: O at 1 1, X to move\n";
const WRONG: &str = "OK: X at 0 0, O to move\nOK: O at 2 2, X to move\n";
const DIFF: &str = "\
@@ -1,2 +1,2 @@
 OK: X at 0 0, O to move
-OK: O at 2 2, X to move
+OK: O at 1 1, X to move
";

#[test]
fn replies_in_both_formats_and_in_the_script_are_compared() {
    let json = r#"{"line":1,"command":"at","result":"OK","mark":null,"row":0,"col":0,"game":"main","version":0,"turn":"X","winner":null,"over":false}"#;
    let folder = folder(
        "compared",
        &[
            ("both.noughts", "at 0 0\n"),
            ("both.text", "OK: 0 0 is empty\n"),
            ("both.json", &format!("{json}\n")),
            ("deep/er/crlf.noughts", &OPENING.replace('\n', "\r\n")),
            ("deep/er/crlf.text", &REPLIES.replace('\n', "\r\n")),
            ("inline.noughts", "1 #= OK\n1\t#= INVALID_MOVE: line 2: 1 is taken by X; O to move"),
            ("silent.noughts", "# nothing is asked\n"),
            ("silent.text", ""),
        ],
    );
    test(&folder, &[]).code(0).stdout("4 passed, 0 failed\n").stderr("");
    let list = "both.noughts\ndeep/er/crlf.noughts\ninline.noughts\nsilent.noughts\n";
    test(&folder, &["--list"]).code(0).stdout(list).stderr("");
    test(&folder, &["--list", "--filter", "er/cr"]).code(0).stdout("deep/er/crlf.noughts\n");
    test(&folder, &["--filter", "er/cr"]).code(0).stdout("1 passed, 0 failed\n");
    test(&folder, &["deep", "both.noughts"]).code(0).stdout("2 passed, 0 failed\n");

    let name = folder.display();
    let shown = format!(
        "FAIL {name}/inline.noughts\n\
         {name}/inline.noughts: nothing to compare with: expected {name}/inline.text, or \"#= OK\" \
         after a command\n3 passed, 1 failed\n"
    );
    file(folder.join("inline.noughts").to_str().unwrap(), "1\n#===== OK\n# 2 #= OK\n");
    noughts().arg("test").arg(&folder).assert().code(1).stdout(shown).stderr("");
}

#[test]
fn a_failure_shows_what_differs() {
    let folder = folder(
        "differs",
        &[
            ("a.noughts", OPENING),
            ("a.text", WRONG),
            ("b.noughts", "0 0 #= WIN\nboard #= OK: 3 x 3\nquit #=\n0 1 #= OK\n"),
            ("c.noughts", OPENING),
            ("c.text", REPLIES),
            ("d.noughts", OPENING),
            ("d.text", REPLIES.trim_end()),
            ("e.noughts", OPENING),
            ("orphan.json", "{\"line\":1}\n"),
            ("orphan.text", ""),
            ("package.json", "{}\n"),
        ],
    );
    let shown = format!(
        "\
FAIL a.noughts
--- a.text
+++ a.text
{DIFF}FAIL b.noughts
b.noughts:1: expected WIN, got OK: X at 0 0, O to move
b.noughts:2: expected OK: 3 x 3, got OK: 3 x 3, 3 in a row, O to move
b.noughts:3: expected nothing, got OK: bye
b.noughts:4: expected OK, got no reply
--- b.noughts
+++ b.noughts
@@ -1,4 +1,4 @@
-0 0 #= WIN
-board #= OK: 3 x 3
-quit #=
+0 0 #= OK
+board #= OK: 3 x 3, 3 in a row, O to move
+quit #= OK: bye
 0 1 #= OK
FAIL d.noughts
--- d.text
+++ d.text
@@ -1,2 +1,2 @@
 OK: X at 0 0, O to move
-OK: O at 1 1, X to move
\\ No newline at end of file
+OK: O at 1 1, X to move
FAIL e.noughts
e.noughts: nothing to compare with: expected e.text, or \"#= OK\" after a command
FAIL orphan.json
orphan.json: there is no script orphan.noughts
FAIL orphan.text
orphan.text: there is no script orphan.noughts
1 passed, 6 failed
"
    );
    // The order does not depend on who is done first.
    for jobs in ["1", "4"] {
        test(&folder, &["-j", jobs]).code(1).stdout(shown.clone()).stderr("");
    }
    let first = format!("FAIL a.noughts\n--- a.text\n+++ a.text\n{DIFF}");
    let first = format!("{first}0 passed, 1 failed, 6 not run\n");
    test(&folder, &["--fail-fast"]).code(1).stdout(first).stderr("");
}

#[test]
fn the_first_line_sets_flags() {
    let refused = [
        ("bare", "--exact game.txt", "expected flags alone"),
        ("format", "-f json", "--format follows from the file with the expected replies"),
        ("journal", "--journal x", "a test keeps no --journal"),
        (
            "minimax",
            "--x minimax --size 4",
            "minimax searches to the end, from at most 12 empty squares: 16 are empty",
        ),
        ("shape", "--win 4", "cannot line up 4 on a 3 x 3 board: k must be 1 to 3"),
        (
            "time",
            "--time 1",
            "--time is another number of positions on each machine: expected --nodes",
        ),
        (
            "unknown",
            "--exat",
            "unexpected argument '--exat' found; tip: a similar argument exists: '--exact'",
        ),
        ("version", "--version", "expected flags of a game"),
    ];
    let mut shown = String::new();
    let folder = folder("flags", &[]);
    for (name, flags, message) in refused {
        let script = folder.join(name).with_extension("noughts");
        file(script.to_str().unwrap(), format!("# noughts {flags}\n0 0 #= OK\n"));
        let at = if ["minimax", "shape"].contains(&name) { "" } else { ":1" };
        shown.extend([format!("FAIL {name}.noughts\n{name}.noughts{at}: {message}\n")]);
    }
    shown += "0 passed, 8 failed\n";
    test(&folder, &[]).code(1).stdout(shown).stderr("");
    assert!(!folder.join("x").exists());

    // A program is no player there, and is not started.
    let script = folder.join("program.noughts");
    file(script.to_str().unwrap(), "# noughts --x cmd:touch\\ y\n0 0 #= OK\n");
    test(&folder, &["program.noughts"]).code(1).stderr("");
    assert!(!folder.join("y").exists());

    // What the program writes with these flags is what is compared.
    let script = "\u{feff}# noughts --echo --strict --exact --size 4x5 --win 3 --o rules --seed 3\r\n\
                  0 0 #= OK\r\n0 0 #= INVALID_MOVE\r\nstatus";
    let whole = folder.join("good/whole.noughts");
    file(whole.to_str().unwrap(), script);
    for (format, ending) in [("text", "text"), ("json", "json")] {
        let flags = script.lines().next().unwrap().split_whitespace().skip(2);
        let output = noughts().args(flags).args(["-f", format]).write_stdin(script).output();
        file(whole.with_extension(ending).to_str().unwrap(), output.unwrap().stdout);
    }
    test(&folder, &["good"]).code(0).stdout("1 passed, 0 failed\n").stderr("");
    // A comment is no flags.
    for comment in ["# noughts: X wins", "# noughts is played here", "#noughts --exat", "--exat"] {
        let script = format!("{comment}\n0 0 #= OK\n");
        file(whole.with_file_name("comment.noughts").to_str().unwrap(), script);
        test(&folder, &["good/comment.noughts"]).code(0).stdout("1 passed, 0 failed\n");
    }
}

#[test]
fn bless_writes_what_changed_and_lists_it() {
    let files = [
        ("a.noughts", OPENING),
        ("a.text", WRONG),
        ("a.json", ""),
        ("b.noughts", "0 0  #= WIN  \r\n0 1 #=\r\n"),
        ("c.noughts", OPENING),
        ("d.noughts", OPENING),
        ("d.text", "OK\r\nOK\r\n"),
        ("e.noughts", OPENING),
        ("e.text", REPLIES),
        ("orphan.text", ""),
    ];
    let folder = folder("bless", &files);
    let refused = "noughts: --bless accepts what a person has looked at: found CI set\n";
    noughts()
        .args(["test", "--bless"])
        .current_dir(&folder)
        .env("CI", "true")
        .assert()
        .code(2)
        .stdout("")
        .stderr(refused);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("a.text"), WRONG);
    let shown = "wrote a.text\nwrote a.json\nwrote b.noughts\nwrote c.text\nwrote d.text\n\
                 FAIL orphan.text\norphan.text: there is no script orphan.noughts\n\
                 5 passed, 1 failed\n";
    test(&folder, &["--bless"]).code(1).stdout(shown).stderr("");
    assert_eq!(read("a.text"), REPLIES);
    assert_eq!(read("a.json").lines().count(), 2);
    assert_eq!(read("b.noughts"), "0 0  #= OK\r\n0 1 #= OK: O at 0 1, X to move\r\n");
    assert_eq!(read("c.text"), REPLIES);
    assert_eq!(read("d.text"), REPLIES.replace('\n', "\r\n"));
    fs::remove_file(folder.join("orphan.text")).unwrap();
    for flags in [&[][..], &["--bless"]] {
        test(&folder, flags).code(0).stdout("5 passed, 0 failed\n").stderr("");
    }
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let all =
        "a.json a.noughts a.text b.noughts c.noughts c.text d.noughts d.text e.noughts e.text";
    assert_eq!(names, all.split(' ').collect::<Vec<_>>());
}

#[test]
fn tap_and_json_tell_of_every_test() {
    let folder = folder(
        "formats",
        &[("a#1.noughts", "1 #= WIN\n"), ("b.noughts", "1 #= OK\n"), ("c/o.text", "")],
    );
    let tap = "\
TAP version 13
not ok 1 - a\\#1.noughts
# a#1.noughts:1: expected WIN, got OK: X at 0 0, O to move
# --- a#1.noughts
# +++ a#1.noughts
# @@ -1,1 +1,1 @@
# -1 #= WIN
# +1 #= OK
ok 2 - b.noughts
not ok 3 - c/o.text
# c/o.text: there is no script c/o.noughts
1..3
# 1 passed, 2 failed
";
    test(&folder, &["--format", "tap"]).code(1).stdout(tap).stderr("");
    let json = r#"{"test":"a#1.noughts","result":"failed","faults":["a#1.noughts:1: expected WIN, got OK: X at 0 0, O to move"],"diff":"--- a#1.noughts\n+++ a#1.noughts\n@@ -1,1 +1,1 @@\n-1 #= WIN\n+1 #= OK\n"}
{"test":"b.noughts","result":"passed"}
{"test":"c/o.text","result":"failed","faults":["c/o.text: there is no script c/o.noughts"]}
{"passed":1,"failed":2}
"#;
    test(&folder, &["--format", "json"]).code(1).stdout(json).stderr("");
    let json = "{\"test\":\"a#1.noughts\",\"result\":\"passed\",\"wrote\":[\"a#1.noughts\"]}\n\
                {\"passed\":1,\"failed\":0}\n";
    let flags = ["--format", "json", "--bless", "--filter", "a"];
    test(&folder, &flags).code(0).stdout(json).stderr("");
}

#[test]
fn junit_is_xml_whatever_is_in_a_script() {
    let folder = folder(
        "junit",
        &[
            ("a & <b>.noughts", "1 #= \u{1}\u{1b}[31m\"<>&'\u{fffe}é\n"),
            ("c/d.noughts", "1 #= OK\n"),
            ("e.noughts/f", ""),
        ],
    );
    test(&folder, &["--junit", "report.xml"]).code(2).stderr("");
    let report = fs::read_to_string(folder.join("report.xml")).unwrap();
    // The times are those of the clock.
    let mut parts = report.split(" time=\"");
    let mut timeless = parts.next().unwrap().to_owned();
    for part in parts {
        let (time, rest) = part.split_once('"').unwrap();
        assert!(time.parse::<f64>().is_ok(), "{time}");
        timeless.push_str(rest);
    }
    let fault = r"a &amp; &lt;b&gt;.noughts:1: expected \u{1}\u{1b}[31m&quot;&lt;&gt;&amp;'�é, got OK: X at 0 0, O to move";
    let expected = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="1">
  <testsuite name="noughts" tests="3" failures="1" errors="1">
    <testcase classname="." name="a &amp; &lt;b&gt;.noughts">
      <failure message="{fault}" type="failure">{fault}
--- a &amp; &lt;b&gt;.noughts&#9;
+++ a &amp; &lt;b&gt;.noughts&#9;
@@ -1,1 +1,1 @@
-1 #= ��[31m&quot;&lt;&gt;&amp;'�é
+1 #= OK: X at 0 0, O to move
</failure>
    </testcase>
    <testcase classname="c" name="d.noughts"/>
    <testcase classname="." name="e.noughts">
      <error message="e.noughts: expected a plain file" type="error">e.noughts: expected a plain file
</error>
    </testcase>
  </testsuite>
</testsuites>
"#
    );
    assert_eq!(timeless, expected);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_or_found_is_status_2() {
    let folder = folder(
        "broken",
        &[
            ("a.noughts/x", ""),
            ("b.noughts", OPENING),
            ("b.text/x", ""),
            ("c.noughts", "1 #= OK\n"),
        ],
    );
    let shown = "FAIL a.noughts\na.noughts: expected a plain file\n\
                 FAIL b.noughts\nb.text: expected a plain file\n1 passed, 2 failed\n";
    test(&folder, &[]).code(2).stdout(shown).stderr("");
    fs::create_dir(folder.join("empty")).unwrap();
    for (arguments, message) in [
        (&["empty"][..], "found no test: expected NAME.noughts"),
        (&["--filter", "z", "c.noughts"], "found no test with \"z\" in its path"),
        (&["c.noughts", "b.txt"], "b.txt: No such file or directory (os error 2)"),
        (&["a.noughts/x"], "a.noughts/x: expected a folder, or a script NAME.noughts"),
        (&["c.noughts", "--junit", "no/x"], "no/x: No such file or directory (os error 2)"),
    ] {
        test(&folder, arguments).code(2).stdout("").stderr(format!("noughts: {message}\n"));
    }
    for arguments in [&["-j", "0"][..], &["-j", "-1"], &["--format", "xml"], &["--list", "--bless"]]
    {
        test(&folder, arguments).code(2).stdout("");
    }
}

#[cfg(unix)]
#[test]
fn links_devices_and_hidden_files_do_not_lead_astray() {
    use std::os::unix::fs::symlink;

    let folder = folder(
        "links",
        &[
            (".hidden/x.noughts", ""),
            ("._a.noughts", ""),
            ("a.noughts", OPENING),
            ("b.text", WRONG),
        ],
    );
    for (target, link) in [(".", "loop"), ("nowhere", "gone"), ("/dev/zero", "z.noughts")] {
        symlink(target, folder.join(link)).unwrap();
    }
    symlink("b.text", folder.join("a.text")).unwrap();
    symlink("a.noughts", folder.join("b.noughts")).unwrap();
    test(&folder, &["--list"]).code(0).stdout("a.noughts\nb.noughts\nz.noughts\n");
    let shown = "wrote a.text\nwrote b.text\nFAIL z.noughts\nz.noughts: expected a plain file\n\
                 2 passed, 1 failed\n";
    test(&folder, &["--bless", "-j1"]).code(2).stdout(shown).stderr("");
    assert_eq!(fs::read_to_string(folder.join("b.text")).unwrap(), REPLIES);
    assert!(!folder.join("a.text").is_symlink());
}

/// Runs a tool of the system with an input. `None` where it is not installed.
fn tool(folder: &Path, words: &[&str], input: &str) -> Option<(Option<i32>, String)> {
    let (name, arguments) = words.split_first().unwrap();
    let mut tool = Command::new(name)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    tool.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = tool.wait_with_output().unwrap();
    Some((output.status.code(), utf8(output.stdout)))
}

#[cfg(unix)]
#[test]
fn patch_takes_the_diff() {
    let long: String = (0..30).map(|_| "at 0 0\n").collect();
    let replies = "OK: 0 0 is empty\n".repeat(30);
    let folder = folder(
        "patch",
        &[
            ("a/plain.noughts", OPENING),
            ("a/plain.text", WRONG),
            ("with blanks.noughts", OPENING),
            ("with blanks.text", "one\r\ntwo\n\nthree"),
            ("con\u{1b}\t\"\\é.noughts", OPENING),
            ("con\u{1b}\t\"\\é.text", ""),
            ("hunks.noughts", &long),
            ("hunks.text", &format!("x\n{}y\n{replies}", &replies[17 * 12..])),
            ("inline.noughts", "1 #= WIN\r\n2 #=  \n"),
            ("none.noughts", "# nothing\n"),
            ("none.text", REPLIES),
        ],
    );
    let output = noughts().arg("test").current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let Some((status, said)) = tool(&folder, &["patch", "-p0"], &utf8(output.stdout)) else {
        return;
    };
    assert_eq!(status, Some(0), "{said}");
    test(&folder, &[]).code(0).stdout("6 passed, 0 failed\n").stderr("");
}

#[cfg(unix)]
#[test]
fn prove_takes_the_tap() {
    let good = ("a#x \\ # TODO.noughts", "1 #= OK\n");
    for (name, files, expected) in [
        ("good", vec![good], "Result: PASS"),
        ("bad", vec![good, ("b.noughts", "1 #= WIN\n")], "Failed test:  2\n"),
    ] {
        let folder = folder(&format!("prove/{name}"), &files);
        let output = noughts().args(["test", "-ftap"]).current_dir(&folder).output().unwrap();
        fs::write(folder.join("out.tap"), output.stdout).unwrap();
        let Some((status, said)) = tool(&folder, &["prove", "out.tap"], "") else { return };
        assert_eq!((status == Some(0), said.contains(expected)), (name == "good", true), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn python_reads_the_xml() {
    let folder =
        folder("xml", &[("a\u{1}\u{1b}&<\".noughts", "1 #= \u{0}\u{8}\u{7f}\u{ffff}]]>\n")]);
    test(&folder, &["--junit", "out.xml"]).code(1);
    let program = "import xml.etree.ElementTree as E; r = E.parse('out.xml').getroot(); \
                   print(len(r.findall('.//failure')), r.get('failures'))";
    let Some((_, said)) = tool(&folder, &["python3", "-c", program], "") else { return };
    assert_eq!(said, "1 1\n");
}

/// A search that does not end by itself.
const ENDLESS: &str = "# noughts --nodes 18446744073709551615 --size 15 --win 5\n8 8\nhint #= OK\n";

#[cfg(unix)]
#[test]
fn an_interrupt_says_which_search_it_stopped() {
    let folder = folder(
        "endless",
        &[("a.noughts", "1 #= OK\n"), ("b.noughts", ENDLESS), ("c.noughts", "1")],
    );
    let mut tests = process()
        .args(["test", "-j1", "--format", "tap"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = tests.stdout.take().unwrap();
    let mut first = [0; "TAP version 13\nok 1 - a.noughts\n".len()];
    out.read_exact(&mut first).unwrap();
    let sent = Command::new("kill").args(["-TERM", &tests.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = tests.wait_with_output().unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "Bail out! 1 passed, 0 failed, 2 not run\n");
    let said = "noughts: b.noughts: stopped: a first line \"# noughts --nodes N\" limits its \
                searches\n";
    // The second script may not have begun.
    assert!([said, ""].contains(&utf8(output.stderr).as_str()));
    assert_eq!(output.status.code(), None, "ended by the signal");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let folder = folder("closed", &[("a.noughts", "1 #= WIN\n"), ("b.noughts", ENDLESS)]);
    let mut tests = process()
        .args(["test"])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = tests.stdout.take().unwrap();
    out.read_exact(&mut [0; 4]).unwrap();
    drop(out);
    let output = tests.wait_with_output().unwrap();
    assert_eq!((output.status.code(), utf8(output.stderr).as_str()), (Some(1), ""));
}

#[test]
fn what_is_held_in_memory_has_a_limit() {
    let squares = "free\n".repeat(8);
    let folder = folder("large", &[("a.noughts", &format!("new 1024 #= OK\n{squares}"))]);
    let shown =
        "FAIL a.noughts\na.noughts: the replies are larger than 64 MiB\n0 passed, 1 failed\n";
    test(&folder, &[]).code(1).stdout(shown).stderr("");
}

#[cfg(unix)]
#[test]
fn a_diff_does_not_drive_the_terminal_and_is_exact_in_a_pipe() {
    let folder = folder("terminal", &[("a.noughts", "0 0\n"), ("a.text", "\u{1b}[2J\u{7}\r\n")]);
    test(&folder, &[]).code(1).stdout(
        "FAIL a.noughts\n--- a.text\n+++ a.text\n@@ -1,1 +1,1 @@\n-\u{1b}[2J\u{7}\r\n\
         +OK: X at 0 0, O to move\r\n0 passed, 1 failed\n",
    );
    let mut command = process();
    command.arg("test").current_dir(&folder);
    let mut terminal = rexpect::session::spawn_command(command, Some(60_000)).unwrap();
    let shown = terminal.exp_eof().unwrap();
    let expected = "FAIL a.noughts\n--- a.text\n+++ a.text\n@@ -1,1 +1,1 @@\n\
                    -\\u{1b}[2J\\u{7}\n+OK: X at 0 0, O to move\n0 passed, 1 failed\n";
    assert_eq!(shown.replace('\r', ""), expected);
}
