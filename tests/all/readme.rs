//! What the README shows is what happens.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a shell prints for `command` in `dir`, with the binary on the `PATH`.
fn shell(command: &str, dir: &Path) -> String {
    let bin = Path::new(assert_cmd::cargo::cargo_bin!("noughts"))
        .parent()
        .unwrap()
        .to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path))).unwrap();
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        .current_dir(dir)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{command}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_session_of_the_readme_goes_as_shown() {
    let readme = include_str!("../../README.md");
    // Some commands leave files for the next ones.
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    let mut commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ ").unwrap();
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push_str(line);
                shown.push('\n');
            }
            assert_eq!(shell(command, &dir), shown, "{command}");
            commands += 1;
        }
    }
    assert!(commands >= 5, "only {commands} commands");
}
