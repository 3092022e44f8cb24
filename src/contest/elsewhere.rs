//! Systems without process groups: a program there could leave others behind, so none is started.

use std::io::{self, ErrorKind};

use super::{Program, StartError, Terms};
use crate::game::Shape;
use crate::player::Player;

/// The programs that run: none.
#[derive(Clone, Default, Debug)]
pub struct Processes(());

impl Program {
    /// Starts nothing.
    ///
    /// # Errors
    ///
    /// [`StartError::Io`]
    pub fn start(
        &self,
        name: String,
        _: Shape,
        _: Terms,
        _: &Processes,
    ) -> Result<Box<dyn Player + Send>, StartError> {
        let error = io::Error::new(ErrorKind::Unsupported, "this system has no process groups");
        Err(StartError::Io(name, error))
    }
}
