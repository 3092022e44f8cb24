//! Where a server listens.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::shell::printable;

/// The address of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Address {
    /// A Unix socket: the path has a `/`.
    Unix(PathBuf),
    /// `HOST:PORT`
    Tcp(String),
}

impl Address {
    /// `noughts.sock` in `$XDG_RUNTIME_DIR`, where that is set.
    #[must_use]
    pub fn usual() -> Option<Self> {
        let folder = env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty())?;
        Some(Self::Unix(PathBuf::from(folder).join("noughts.sock")))
    }
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word.contains('/') {
            return Ok(Self::Unix(word.into()));
        }
        let has_port = |word: &str| {
            word.rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        };
        if has_port(word) {
            return Ok(Self::Tcp(word.to_owned()));
        }
        Err("expected HOST:PORT, or the path of a Unix socket, which has a \"/\"")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => f.write_str(&printable(path)),
            Self::Tcp(address) => f.write_str(&printable(address)),
        }
    }
}
