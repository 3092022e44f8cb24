//! What is said of tests: text for people, TAP and JSON for programs, and `JUnit`'s XML.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use super::Tally;
use super::script::Finding;
use crate::shell::printable;

/// The format of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// The tests that failed, and the count.
    Text,
    /// The Test Anything Protocol, version 13.
    Tap,
    /// One object a line.
    Json,
}

/// The report of a run, written while it goes on.
pub(super) struct Report<W> {
    format: ReportFormat,
    is_terminal: bool,
    out: W,
    /// The tests so far.
    count: usize,
}

impl<W: Write> Report<W> {
    pub const fn new(format: ReportFormat, is_terminal: bool, out: W) -> Self {
        Self { format, is_terminal, out, count: 0 }
    }

    /// Tells of the next test.
    pub fn add(&mut self, path: &Path, finding: &Finding) -> io::Result<()> {
        self.count += 1;
        let mut text = Vec::new();
        let diff = if self.is_terminal {
            Cow::Owned(printable_lines(&finding.diff))
        } else {
            Cow::Borrowed(finding.diff.as_slice())
        };
        match self.format {
            ReportFormat::Text => {
                for wrote in &finding.wrote {
                    writeln!(text, "wrote {}", printable(wrote))?;
                }
                if !finding.is_passed() {
                    writeln!(text, "FAIL {}", printable(path))?;
                    write_details(finding, &diff, &mut text)?;
                }
            }
            ReportFormat::Tap => {
                if self.count == 1 {
                    writeln!(text, "TAP version 13")?;
                }
                let not = if finding.is_passed() { "" } else { "not " };
                // A number sign would begin a directive.
                let name = printable(path).replace('\\', "\\\\").replace('#', "\\#");
                writeln!(text, "{not}ok {} - {name}", self.count)?;
                let mut details = Vec::new();
                for wrote in &finding.wrote {
                    writeln!(details, "wrote {}", printable(wrote))?;
                }
                write_details(finding, &diff, &mut details)?;
                for line in details.split_inclusive(|byte| *byte == b'\n') {
                    text.extend_from_slice(b"# ");
                    text.extend_from_slice(line);
                }
            }
            ReportFormat::Json => {
                let result = if finding.is_passed() { "passed" } else { "failed" };
                let name = serde_json::to_string(&path.to_string_lossy())?;
                write!(text, r#"{{"test":{name},"result":"{result}""#)?;
                if !finding.faults.is_empty() {
                    let faults = serde_json::to_string(&finding.faults)?;
                    write!(text, r#","faults":{faults}"#)?;
                }
                if !finding.diff.is_empty() {
                    let diff = serde_json::to_string(&String::from_utf8_lossy(&finding.diff))?;
                    write!(text, r#","diff":{diff}"#)?;
                }
                if !finding.wrote.is_empty() {
                    let wrote = finding.wrote.iter().map(|path| path.to_string_lossy());
                    let wrote = serde_json::to_string(&wrote.collect::<Vec<_>>())?;
                    write!(text, r#","wrote":{wrote}"#)?;
                }
                writeln!(text, "}}")?;
            }
        }
        self.write(&text)
    }

    /// Tells how many passed.
    pub fn end(&mut self, tally: &Tally) -> io::Result<()> {
        let Tally { passed, failed, left, .. } = tally;
        let text = match self.format {
            ReportFormat::Text => format!("{tally}\n"),
            // A plan would say that the run is whole.
            ReportFormat::Tap if *left > 0 => format!("Bail out! {tally}\n"),
            ReportFormat::Tap => format!("1..{}\n# {tally}\n", self.count),
            ReportFormat::Json if *left > 0 => {
                format!("{{\"passed\":{passed},\"failed\":{failed},\"not_run\":{left}}}\n")
            }
            ReportFormat::Json => format!("{{\"passed\":{passed},\"failed\":{failed}}}\n"),
        };
        self.write(text.as_bytes())
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(text)?;
        self.out.flush()
    }
}

/// Writes a line for each fault, then the diffs.
fn write_details(finding: &Finding, diff: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    for fault in &finding.faults {
        writeln!(out, "{fault}")?;
    }
    out.write_all(diff)
}

/// Returns lines with their control characters escaped. `patch` would not take them.
fn printable_lines(lines: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(lines);
    text.lines().flat_map(|line| (printable(line) + "\n").into_bytes()).collect()
}

/// A report in the XML that `JUnit` writes and that programs for continuous integration read.
#[derive(Default)]
pub(super) struct JUnit {
    cases: String,
    passed: usize,
    failures: usize,
    errors: usize,
    time: Duration,
}

impl JUnit {
    /// Tells of the next test.
    pub fn add(&mut self, path: &Path, finding: &Finding) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = escaped(&folder.unwrap_or(Path::new(".")).to_string_lossy());
        let name = escaped(&path.file_name().unwrap_or_default().to_string_lossy());
        let time = finding.time.as_secs_f64();
        self.time += finding.time;
        // Writing to a string does not fail.
        let _ = write!(
            self.cases,
            r#"    <testcase classname="{folder}" name="{name}" time="{time:.3}""#
        );
        let (kind, count) = if finding.is_passed() {
            self.passed += 1;
            self.cases.push_str("/>\n");
            return;
        } else if finding.is_broken {
            ("error", &mut self.errors)
        } else {
            ("failure", &mut self.failures)
        };
        *count += 1;
        let message = finding.faults.first().map_or("other replies than expected", String::as_str);
        let message = escaped(message);
        let mut details = Vec::new();
        // Nor does writing to memory.
        let _ = write_details(finding, &finding.diff, &mut details);
        let details = escaped(&String::from_utf8_lossy(&details)).replace("&#10;", "\n");
        let _ = writeln!(
            self.cases,
            ">\n      <{kind} message=\"{message}\" type=\"{kind}\">{details}</{kind}>\n    </testcase>"
        );
    }

    /// The whole report.
    pub fn end(self) -> String {
        let Self { cases, passed, failures, errors, time } = self;
        let tests = passed + failures + errors;
        let time = time.as_secs_f64();
        let counts =
            format!(r#"tests="{tests}" failures="{failures}" errors="{errors}" time="{time:.3}""#);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <testsuites {counts}>\n  <testsuite name=\"noughts\" {counts}>\n\
             {cases}  </testsuite>\n</testsuites>\n"
        )
    }
}

/// Escapes a text for XML. What cannot be a character there, not even escaped, is replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(char),
        }
    }
    escaped
}
