//! Puts the commit into the version, where there is one.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let commit = Path::new(".git").exists().then(|| git(&["rev-parse", "--short", "HEAD"]));
    println!("cargo::rerun-if-changed=build.rs");
    match commit.flatten() {
        Some(commit) => {
            println!("cargo::rustc-env=NOUGHTS_VERSION={version} ({commit})");
            // The log changes whenever HEAD does, by a commit as well as by a checkout.
            for name in ["HEAD", "logs/HEAD"] {
                let path = git(&["rev-parse", "--git-path", name]);
                if let Some(path) = path.filter(|path| Path::new(path).exists()) {
                    println!("cargo::rerun-if-changed={path}");
                }
            }
        }
        None => println!("cargo::rustc-env=NOUGHTS_VERSION={version}"),
    }
}

/// What git answers, if there is a git and it has an answer.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    let answer = answer.trim();
    (output.status.success() && !answer.is_empty()).then(|| answer.to_owned())
}
