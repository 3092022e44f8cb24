//! Threads that search for the computers on seats.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::game::Square;
use crate::hall::Search;
use crate::limit::Limit;
use crate::player::{
    Best, Choice, ChooseError, Kind, Level, Minimax, Player, Random, Rules, Strength,
};

/// A search that has ended, with the square that was found.
pub(super) type Found = (Search, Option<Square>);

/// The threads, and what they are to search.
pub(super) struct Workers {
    searches: Sender<Search>,
    /// The threads that have nothing to do.
    pub(super) idle: usize,
}

impl Workers {
    /// Starts so many threads, each with players of its own, and returns where they tell what they
    /// have found.
    pub(super) fn start(
        threads: usize,
        limit: Limit,
        seed: u64,
    ) -> io::Result<(Self, UnboundedReceiver<Found>)> {
        let (searches, wanted) = channel();
        let (told, found) = unbounded_channel();
        let wanted = Arc::new(Mutex::new(wanted));
        for _ in 0..threads {
            let (wanted, told) = (Arc::clone(&wanted), told.clone());
            thread::Builder::new()
                .name("search".to_owned())
                .spawn(move || work(&wanted, &told, limit, seed))?;
        }
        Ok((Self { searches, idle: threads }, found))
    }

    /// Gives a search to an idle thread.
    pub(super) fn give(&mut self, search: Search) {
        self.idle -= 1;
        // The threads live as long as the program.
        let _ = self.searches.send(search);
    }
}

/// Searches until the server is gone.
fn work(wanted: &Mutex<Receiver<Search>>, told: &UnboundedSender<Found>, limit: Limit, seed: u64) {
    let mut level = Level::new(Strength::LOWEST, seed);
    let mut best = Best::default();
    loop {
        let next = wanted.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(search) = next else { return };
        let game = &search.game;
        // What chance does follows from the seed and the game alone, whichever thread it is.
        let mut random = Random::new(seed.wrapping_add(game.version()));
        let player: &mut dyn Player = match search.kind {
            Kind::Random => &mut random,
            Kind::Rules => &mut Rules,
            Kind::Minimax => &mut Minimax,
            Kind::Level(strength) => level.of(strength),
            Kind::Best => &mut best,
        };
        let is_gone = told.clone();
        let chosen = limit.run(|_| is_gone.is_closed(), |budget| player.choose(game, budget));
        let chosen = chosen.unwrap_or(Err(ChooseError::Stopped));
        let square = chosen.ok().map(|Choice { square, .. }| square);
        if told.send((search, square)).is_err() {
            return;
        }
    }
}
