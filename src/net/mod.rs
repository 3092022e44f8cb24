//! The network: a server around the hall, and a client of it.
//!
//! The server is one thread, which reads lines, has the hall answer them and writes the replies;
//! searches run on threads of their own.

mod address;
mod connection;
mod join;
mod listener;
mod log;
mod serve;
mod workers;

pub use self::address::Address;
pub use self::join::{JoinError, join};
pub use self::serve::{Options, ServeError, serve};
