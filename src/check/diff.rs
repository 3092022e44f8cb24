//! Expected and actual output: compared by lines, and told apart by a unified diff.

use std::path::Path;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// The lines around a change.
const CONTEXT: usize = 3;

/// Tells whether two texts are the same but for the ends of their lines.
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    lines(one).map(key).eq(lines(other).map(key))
}

/// Ends the lines of `actual` as those of `expected` end.
pub(super) fn with_ends_of(expected: &[u8], actual: Vec<u8>) -> Vec<u8> {
    if !lines(expected).next().is_some_and(|line| line.ends_with(b"\r\n")) {
        return actual;
    }
    let ended = |line| match key(line) {
        (text, true) => [text, b"\r\n"].concat(),
        (text, false) => text.to_owned(),
    };
    lines(&actual).flat_map(ended).collect()
}

/// Appends the unified diff of the file at `path` that makes `new` of `old`.
pub(super) fn write(path: &Path, old: &[u8], new: &[u8], out: &mut Vec<u8>) {
    for sign in ["--- ", "+++ "] {
        out.extend_from_slice(sign.as_bytes());
        write_name(path, out);
        out.push(b'\n');
    }
    let [old, new] = [old, new].map(|text| lines(text).collect::<Vec<_>>());
    let [old_keys, new_keys] =
        [&old, &new].map(|lines| lines.iter().map(|line| key(line)).collect::<Vec<_>>());
    let changes = capture_diff_slices(Algorithm::Myers, &old_keys, &new_keys);
    for hunk in group_diff_ops(changes, CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let range = |start: usize, end: usize| {
            // An empty range is named by the line before it.
            let len = end - start;
            format!("{},{len}", if len > 0 { start + 1 } else { start })
        };
        let before = range(first.old_range().start, last.old_range().end);
        let after = range(first.new_range().start, last.new_range().end);
        out.extend_from_slice(format!("@@ -{before} +{after} @@\n").as_bytes());
        for change in &hunk {
            let removed = old.get(change.old_range()).unwrap_or_default();
            let added = new.get(change.new_range()).unwrap_or_default();
            if let DiffOp::Equal { .. } = change {
                write_lines(b' ', removed, out);
            } else {
                write_lines(b'-', removed, out);
                write_lines(b'+', added, out);
            }
        }
    }
}

fn write_lines(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Appends the name of a file as `patch` and git read it: with a tab after blanks, and quoted as in
/// C where more than that is in it.
fn write_name(path: &Path, out: &mut Vec<u8>) {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_plain = |byte: &u8| !byte.is_ascii_control() && !b"\"\\".contains(byte);
    if bytes.iter().all(is_plain) && path.to_str().is_some() {
        out.extend_from_slice(bytes);
        out.extend(bytes.contains(&b' ').then_some(b'\t'));
        return;
    }
    out.push(b'"');
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            b' '..=b'~' => out.push(*byte),
            _ => out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    out.push(b'"');
}

/// The lines of a text, with their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// The line without its end, and whether it has one.
fn key(line: &[u8]) -> (&[u8], bool) {
    match line.strip_suffix(b"\n") {
        Some(text) => (text.strip_suffix(b"\r").unwrap_or(text), true),
        None => (line, false),
    }
}
