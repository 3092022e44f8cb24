//! The program from outside, and files for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use assert_cmd::Command;
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Returns the path of the program.
pub fn binary() -> &'static Path {
    Path::new(assert_cmd::cargo::cargo_bin!("noughts"))
}

/// Returns the program, to be run to its end.
pub fn noughts() -> Command {
    Command::new(binary())
}

/// Returns the program, to be run beside the test.
pub fn process() -> std::process::Command {
    std::process::Command::new(binary())
}

/// Starts the program with these arguments, and pipes for all that goes in and out.
pub fn driven<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Child {
    let mut process = process();
    process.args(arguments);
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.spawn().expect("the program starts")
}

/// Returns a path for one test, where nothing is, in a folder that is there.
pub fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    let _ = fs::remove_file(&path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
    path
}

/// Makes a file for one test, with this content.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = fresh(name);
    fs::write(&path, content).expect("a writable file");
    path
}

/// Reads the output of a program as text.
pub fn utf8(output: Vec<u8>) -> String {
    String::from_utf8(output).expect("the program writes UTF-8")
}

/// Returns a configuration for so many random cases, the same in every run.
pub fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
