//! The scripts of `fixtures/`, run and compared byte for byte by `noughts test`.

use std::fs;
use std::path::Path;

use crate::support::{noughts, utf8};

#[test]
fn every_script_has_the_expected_replies_in_both_formats() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = noughts().args(["test", "--list", "fixtures"]).current_dir(root).output().unwrap();
    let scripts = utf8(output.stdout);
    let count = scripts.lines().count();
    assert!(count >= 20, "only {count} scripts");
    for script in scripts.lines().map(|script| root.join(script)) {
        // Line ends are all that `noughts test` forgives.
        for expected in ["text", "json"].map(|format| script.with_extension(format)) {
            let replies = fs::read(&expected).expect("an expected transcript");
            assert!(!replies.contains(&b'\r'), "{}", expected.display());
        }
    }
    let passed = format!("{count} passed, 0 failed\n");
    noughts()
        .args(["test", "fixtures"])
        .current_dir(root)
        .assert()
        .code(0)
        .stdout(passed)
        .stderr("");
}
