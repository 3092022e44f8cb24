//! The scripts of `fixtures/`, run by the program in both formats and compared byte for byte.
//!
//! `NAME.noughts` is the input; `NAME.text` and `NAME.json` are what comes out. A first line such
//! as `# noughts --exact` names flags. `BLESS=1 cargo test` rewrites the expected files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{noughts, utf8};

fn scripts() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let entries = fs::read_dir(dir).expect("a directory of fixtures");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut scripts: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|name| name == "noughts")).collect();
    scripts.sort();
    scripts
}

fn flags(script: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(script);
    let first = text.lines().next().unwrap_or_default();
    let flags = first.strip_prefix("# noughts ").unwrap_or_default();
    flags.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn every_script_has_the_expected_replies_in_both_formats() {
    let scripts = scripts();
    assert!(scripts.len() >= 20, "only {} scripts", scripts.len());
    for script in scripts {
        for format in ["text", "json"] {
            let input = fs::read(&script).expect("a script");
            let expected = script.with_extension(format);
            let output = noughts()
                .args(["--format", format])
                .args(flags(&input))
                .write_stdin(input)
                .output()
                .expect("the binary runs");
            if std::env::var_os("BLESS").is_some() {
                fs::write(&expected, &output.stdout).expect("a writable fixture");
            }
            let name = expected.display();
            let replies = utf8(output.stdout);
            let wanted = fs::read_to_string(&expected).expect("an expected transcript");
            assert_eq!(replies, wanted, "{name}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
            let bad = replies.lines().any(|line| {
                line.starts_with("BAD_COMMAND") || line.contains(r#""result":"BAD_COMMAND""#)
            });
            assert_eq!(output.status.code(), Some(i32::from(bad)), "{name}");
        }
    }
}
