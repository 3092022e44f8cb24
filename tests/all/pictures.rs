//! The pictures of the prompt in `fixtures/prompt/`: a terminal shows them when it is typed what
//! stands beside them, first the arguments, then the lines.
#![cfg(unix)]

use std::env;
use std::fmt::Write;
use std::fs;
use std::num::NonZeroU16;
use std::path::Path;

use anstyle::{Ansi256Color, Style};
use anstyle_svg::Term;
use vt100::{Cell, Color, Parser, Screen};

use crate::prompt::{end, terminal};

const ROWS: NonZeroU16 = NonZeroU16::new(24).unwrap();
const COLS: NonZeroU16 = NonZeroU16::new(72).unwrap();

/// The sequence that the line editor writes before it reads a line.
const READY: &str = "\u{1b}[?2004h";

fn style_of(cell: &Cell) -> Style {
    let style = match cell.fgcolor() {
        Color::Idx(index) => Ansi256Color(index).on_default(),
        _ => Style::new(),
    };
    let style = if cell.bold() { style.bold() } else { style };
    if cell.dim() { style.dimmed() } else { style }
}

/// Writes what a screen shows as text in styles, without what is blank at the end.
fn styled(screen: &Screen) -> String {
    let mut text = String::new();
    for row in 0..ROWS.get() {
        let mut last = Style::new();
        for cell in (0..COLS.get()).filter_map(|col| screen.cell(row, col)) {
            let style = style_of(cell);
            if style != last {
                write!(text, "{last:#}{style}").unwrap();
                last = style;
            }
            text.push_str(if cell.has_contents() { cell.contents() } else { " " });
        }
        text.truncate(text.trim_end().len());
        writeln!(text, "{last:#}").unwrap();
    }
    text.trim_end().to_owned()
}

/// Types the lines of a file at the prompt, and returns the picture of the terminal after them.
fn picture(keys: &str) -> String {
    let mut lines = keys.lines();
    let arguments: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let mut session = terminal(&format!("cols {COLS} rows {ROWS}"), &[], &arguments);
    let mut shown = session.exp_string(READY).unwrap();
    for line in lines {
        session.send_line(line).unwrap();
        shown += &session.exp_string(READY).unwrap();
    }
    shown += &session.exp_string("> ").unwrap();
    shown += "> ";
    session.send_line("quit").unwrap();
    end(session);
    let mut parser = Parser::new(ROWS, COLS, 0);
    // The terminal's reader takes each byte for a character.
    let shown: Vec<u8> = shown.chars().map(|byte| u8::try_from(byte).unwrap()).collect();
    parser.process(&shown);
    Term::new().render_svg(&styled(parser.screen()))
}

#[test]
fn the_pictures_are_what_a_terminal_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/prompt");
    let mut pictures = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "keys") {
            continue;
        }
        let shown = picture(&fs::read_to_string(&path).unwrap());
        let golden = path.with_extension("svg");
        if env::var_os("BLESS").is_some() {
            fs::write(&golden, &shown).unwrap();
        }
        assert_eq!(fs::read_to_string(&golden).unwrap(), shown, "{}", path.display());
        pictures += 1;
    }
    assert!(pictures > 0);
}
