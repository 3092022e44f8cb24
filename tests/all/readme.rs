//! The README and the pages of docs/ show what happens.
#![cfg(unix)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{binary, fresh, utf8};

/// Runs a shell's command in `dir`, with the program on the `PATH`. Returns what it prints.
fn shell(command: &str, dir: &Path) -> String {
    let bin = binary().parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path))).unwrap();
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", path)
        // There `noughts test --bless` is refused.
        .env_remove("CI")
        .current_dir(dir)
        .output()
        .unwrap();
    assert_eq!(utf8(output.stderr), "", "{command}");
    utf8(output.stdout)
}

#[test]
fn every_session_of_the_readme_and_the_docs_goes_as_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let pages: Vec<PathBuf> = docs.chain([root.join("README.md")]).collect();
    let shown: usize = pages.iter().map(|page| sessions(page)).sum();
    assert!(shown >= 10, "only {shown} commands in {pages:?}");
}

/// Runs what a page shows, and returns how many commands that is.
fn sessions(page: &Path) -> usize {
    let text = fs::read_to_string(page).unwrap();
    // Some commands leave files for the next ones.
    let name = page.file_stem().unwrap().display();
    let dir = fresh(&format!("pages/{name}"));
    fs::create_dir(&dir).unwrap();
    let mut commands = 0;
    for block in text.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let mut command = line.strip_prefix("$ ").unwrap().to_owned();
            // A here-document goes on as a shell shows it.
            while let Some(line) =
                lines.next_if(|line| command.contains("<<") && line.starts_with("> "))
            {
                command.push('\n');
                command.push_str(&line[2..]);
            }
            let mut shown = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
                shown.push_str(line);
                shown.push('\n');
            }
            let page = page.display();
            assert_eq!(shell(&command, &dir), shown, "{page}: {command}");
            commands += 1;
        }
    }
    commands
}
