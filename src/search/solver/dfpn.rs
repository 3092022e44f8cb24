//! Depth-first proof-number search (df-pn; Nagai 2002) for a hold: the attacker never gets a line.
//!
//! It searches the real game or, where that is enough, the Maker-Breaker game, in which the
//! defender's own lines count for nothing. A hold there is a hold in the real game too. A win there
//! says nothing: the first player gets a line on the 3 x 3 board.
//!
//! A proof names its *relevance zone*: the defender holds even if all other squares are the
//! attacker's. So an answer to one move of the attacker answers every move outside of its zone (the
//! must-play region of Hex; relevance zones, Hsu and others 2020).

use std::sync::Arc;

use super::hypergraph::{Hypergraph, Vertex};
use super::node::{Child, NEVER, Node, Numbers};
use super::pairing::pairing;
use super::position::{Position, Turn};
use super::symmetry::Symmetries;
use super::table::ProofTable;
use super::windows::{FULL, Windows};
use super::word::Word;
use crate::search::{Budget, Spent};

/// The number of moves of the attacker, and of the defender, that are open at a time. The next ones
/// wait until these have failed, which loses nothing.
///
/// Each move of the attacker must be refuted anyhow, or falls to the zone of another. Of the
/// defender's few are worth a try: with 8 of them 4 x 7, k = 4 takes three times as many positions,
/// and 7 x 7, k = 5 twice as many.
const WIDTH: [usize; 2] = [1, 4];

/// The proof-number search of one game, and what it proved.
pub struct Dfpn<W> {
    pub(super) windows: Windows<W>,
    pub(super) symmetries: Arc<Symmetries<W>>,
    /// The tables by the side to move.
    tables: [ProofTable<W, Numbers<W>>; 2],
    pub(super) hypergraph: Hypergraph<W>,
    /// Memory for the windows of a position.
    open: Vec<W>,
    /// Nodes that no position is using.
    spare: Vec<Node<W>>,
}

impl<W: Word> Dfpn<W> {
    /// A search of the game of `windows`. Its tables take up to `bytes`.
    pub fn new(windows: Windows<W>, symmetries: Arc<Symmetries<W>>, bytes: usize) -> Self {
        Self {
            windows,
            symmetries,
            tables: [(); 2].map(|()| ProofTable::new(bytes / 2)),
            hypergraph: Hypergraph::default(),
            open: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// True if the defender holds.
    pub fn holds(&mut self, position: Position<W>, budget: &mut Budget) -> Result<bool, Spent> {
        // In the Maker-Breaker game an overlong run is a line, which the real game may go on with.
        if !self.windows.counter && self.windows.has_line(position.attacker) {
            return Ok(false);
        }
        let numbers = self.prove(position, budget)?;
        // Proof numbers that have grown to their limit end a search as an empty budget does.
        if numbers.is_proved() { Ok(numbers.wanted(Turn::Defender) == 0) } else { Err(Spent) }
    }

    /// True if the table has it that the defender holds.
    pub(super) fn is_hold(&self, position: Position<W>) -> bool {
        self.known(position).is_some_and(|numbers| numbers.wanted(Turn::Defender) == 0)
    }

    /// True if the table has it that the defender holds the position without its twins.
    pub(super) fn is_simply_hold(&mut self, position: Position<W>) -> bool {
        let (simple, twins) = self.hypergraph.simplify(&self.windows, position);
        let simple = if twins.is_empty() { simple } else { self.windows.reduced(simple) };
        self.hypergraph.attackers == 0 || simple != position && self.is_hold(simple)
    }

    /// The slots of the tables that are used, in percent.
    pub fn percent(&self) -> usize {
        self.tables.iter().map(ProofTable::percent).sum::<usize>() / 2
    }

    /// Searches until either is proved.
    fn prove(&mut self, position: Position<W>, budget: &mut Budget) -> Result<Numbers<W>, Spent> {
        budget.spend()?;
        let position = self.windows.reduced(position);
        let [turn, other] = [position.turn, position.turn.other()];
        let threats = self.threats(position);
        let [own, forced] = [turn, other].map(|side| threats[side as usize]);
        // A side wins at once, or with two threats at once.
        if !own.is_empty() {
            return Ok(Numbers::proved(turn, W::bit(own.first())));
        }
        if forced.is_several() {
            let zone = self.secured(position, forced.first_two());
            return Ok(Numbers::proved(other, zone));
        }
        self.search(position, [NEVER; 2], budget)
    }

    /// The empty squares that complete a line of the attacker, and of the defender where that
    /// counts.
    pub(super) fn threats(&self, position: Position<W>) -> [W; 2] {
        let (Position { attacker, defender, empty, .. }, windows) = (position, &self.windows);
        let blocks = if windows.counter { windows.threats(defender, empty) } else { W::ZERO };
        [windows.threats(attacker, empty), blocks]
    }

    /// Searches a position in which no side wins at once, until it is proved or one of its numbers
    /// reaches its limit: first that of what the side to move wants, then that of what it does not.
    fn search(
        &mut self,
        position: Position<W>,
        limits: [u32; 2],
        budget: &mut Budget,
    ) -> Result<Numbers<W>, Spent> {
        let mut node = self.spare.pop().unwrap_or_default();
        let found = self.expand(&mut node, position, limits, budget);
        self.spare.push(node);
        found
    }

    /// Searches as [`Self::search`] does, with `node` for memory.
    fn expand(
        &mut self,
        node: &mut Node<W>,
        position: Position<W>,
        [wanted_limit, unwanted_limit]: [u32; 2],
        budget: &mut Budget,
    ) -> Result<Numbers<W>, Spent> {
        let (before, turn) = (budget.spent(), position.turn);
        if let Some(numbers) = self.enter(node, position) {
            return Ok(numbers);
        }
        loop {
            self.look(node, budget)?;
            let effort = budget.spent() - before;
            let mut children = node.children.iter();
            if let Some(child) = children.find(|child| child.numbers.wanted(turn) == 0) {
                let zone = child.numbers.zone | child.square;
                return Ok(self.conclude(node, Numbers::proved(turn, zone), effort));
            }
            if node.drop_refuted() && !node.remaining.is_empty() {
                continue;
            }
            // Weak proof numbers (Ueda and others 2008): the moves that are left mostly fall
            // together, so that only the hardest counts.
            let hard = node.children.iter().map(|child| child.numbers.wanted(turn.other()));
            let unwanted = hard.max().unwrap_or(0) + node.remaining.count().saturating_sub(1);
            let Some((child, second)) = node.best() else {
                let zone = self.refuted_zone(node);
                return Ok(self.conclude(node, Numbers::proved(turn.other(), zone), effort));
            };
            let wanted = child.numbers.wanted(turn);
            if wanted >= wanted_limit || unwanted >= unwanted_limit {
                let mut both = [unwanted; 2];
                both[turn as usize] = wanted;
                return Ok(self.keep(node.original, Numbers::open(both), effort));
            }
            // A little more than the second best, so as not to jump to and fro (Pawlewicz and Lew
            // 2007).
            let limits = [
                unwanted_limit - unwanted + child.numbers.wanted(turn.other()),
                wanted_limit.min(second + second / 4 + 1),
            ];
            child.numbers = self.search(child.position, limits, budget)?;
        }
    }

    /// Makes `node` the position `original`, with all its moves before it. The proof if it needs
    /// none.
    fn enter(&mut self, node: &mut Node<W>, original: Position<W>) -> Option<Numbers<W>> {
        let (mut position, twins) = self.hypergraph.simplify(&self.windows, original);
        if !twins.is_empty() {
            position = self.windows.reduced(position);
        }
        (node.original, node.position, node.twins) = (original, position, twins);
        if let Some(numbers) = self.settled(node) {
            return Some(self.keep(original, node.with_twins(numbers), 1));
        }
        node.forced = self.threats(position)[position.turn.other() as usize];
        node.potential = self.hypergraph.weigh();
        node.zone = W::ZERO;
        node.children.clear();
        node.dominated.clear();
        // Where a longer run does not win, a mark more may hurt, so that neither dominance nor
        // zones hold. Zones of the attacker's wins say nothing about the defender's own lines.
        let free = node.forced.is_empty() && !self.windows.exact;
        node.prunes = free && (position.turn == Turn::Attacker || !self.windows.counter);
        node.remaining = if node.forced.is_empty() { position.empty } else { node.forced };
        if free {
            // Nothing is lost: the squares that dominate are at least as good for either side.
            self.hypergraph.dominated(node.remaining, &mut node.dominated);
            for &(square, _) in &node.dominated {
                node.remaining &= !square;
            }
        }
        node.moves.clear();
        let vertices = node.remaining.squares();
        node.moves.extend(vertices.map(|index| self.hypergraph.vertices[index as usize]));
        // A move that makes two threats at once mostly decides.
        node.moves.sort_unstable_by_key(|vertex| {
            let forks = vertex.follow_ups[position.turn as usize].is_several();
            (forks, vertex.weight, !vertex.square)
        });
        None
    }

    /// The proof of a position that is decided without a look at its moves.
    fn settled(&mut self, node: &Node<W>) -> Option<Numbers<W>> {
        let position = node.position;
        if self.hypergraph.attackers == 0 {
            return Some(Numbers::proved(Turn::Defender, W::ZERO));
        }
        if position != node.original
            && let Some(known) = self.known(position)
            && known.is_proved()
        {
            return Some(known);
        }
        if position.turn == Turn::Defender {
            return None;
        }
        self.open.clear();
        self.windows.list(position.attacker, position.empty, &mut self.open);
        let zone = pairing(&self.open, position.empty)?;
        Some(Numbers::proved(Turn::Defender, zone))
    }

    /// Looks at the next moves of `node`, as many as [`WIDTH`] lets be open.
    fn look(&mut self, node: &mut Node<W>, budget: &mut Budget) -> Result<(), Spent> {
        let turn = node.position.turn;
        if turn == Turn::Defender && !node.children.is_empty() {
            return Ok(());
        }
        while node.children.len() < WIDTH[turn as usize]
            && let Some(next) = node.moves.pop()
        {
            if node.remaining.meets(next.square) {
                budget.spend()?;
                node.children.push(self.child(node, &next));
            }
        }
        Ok(())
    }

    /// The position after a move, with what is known about it or seen at once.
    fn child(&mut self, node: &Node<W>, vertex: &Vertex<W>) -> Child<W> {
        let square = vertex.square;
        let position = self.windows.reduced(node.position.after(square));
        let [wins, counters] = vertex.follow_ups;
        // Threats of the defender that the attacker leaves open; any others the move answers.
        let unblocked = node.forced & !square;
        let numbers = match node.position.turn {
            Turn::Attacker if !unblocked.is_empty() => {
                Numbers::proved(Turn::Defender, W::bit(unblocked.first()))
            }
            turn @ Turn::Attacker if wins.is_several() => Numbers::proved(turn, wins.first_two()),
            turn @ Turn::Defender if counters.is_several() => {
                Numbers::proved(turn, self.secured(position, counters.first_two()))
            }
            turn => self.known(position).unwrap_or_else(|| {
                // Below `enough` the defender holds, by the theorem of Erdős and Selfridge (1973).
                let (potential, enough) = match turn {
                    Turn::Attacker => (node.potential + vertex.potential, FULL),
                    Turn::Defender => (node.potential - vertex.potential, FULL / 2),
                };
                if potential < enough {
                    return Numbers::proved(Turn::Defender, position.empty);
                }
                Numbers::open([1 + 8 * enough / potential, 1 + 2 * potential / enough])
            }),
        };
        Child { square, position, numbers }
    }

    /// The zone of a node all of whose moves are refuted.
    fn refuted_zone(&mut self, node: &Node<W>) -> W {
        if node.position.turn == Turn::Attacker && self.windows.exact {
            return node.position.empty;
        }
        // A dominated square is only worse while the better ones are open.
        let dominated = node.dominated.iter();
        let zone = dominated.fold(node.zone | node.forced, |zone, &(_, better)| zone | better);
        if node.forced.is_empty() { zone } else { self.secured(node.position, zone) }
    }

    /// The zone with more squares, so that the attacker, if to move, could not win at once if all
    /// others were its own.
    fn secured(&mut self, position: Position<W>, mut zone: W) -> W {
        if position.turn == Turn::Defender {
            return zone;
        }
        self.open.clear();
        self.windows.list(position.attacker, position.empty, &mut self.open);
        for &window in &self.open {
            if !(window & zone).is_several() {
                zone |= window;
            }
        }
        zone
    }

    /// Keeps a proof of the simplified position and of the original one.
    fn conclude(&mut self, node: &Node<W>, numbers: Numbers<W>, effort: u64) -> Numbers<W> {
        if node.position != node.original {
            self.keep(node.position, numbers, effort);
        }
        self.keep(node.original, node.with_twins(numbers), effort)
    }

    /// Keeps the numbers of a position, and so of all its symmetric images.
    fn keep(&mut self, position: Position<W>, mut numbers: Numbers<W>, effort: u64) -> Numbers<W> {
        numbers.effort = u32::try_from(effort).unwrap_or(u32::MAX);
        let (key, symmetry) = self.symmetries.canonical(position.key());
        let zone = self.symmetries.image(symmetry, numbers.zone);
        self.tables[position.turn as usize].put(key, Numbers { zone, ..numbers });
        numbers
    }

    /// The numbers of a position that are known, perhaps from a symmetric image of it.
    fn known(&self, position: Position<W>) -> Option<Numbers<W>> {
        let (key, symmetry) = self.symmetries.canonical(position.key());
        let numbers = self.tables[position.turn as usize].get(key)?;
        let zone = self.symmetries.preimage(symmetry, numbers.zone);
        Some(Numbers { zone, ..numbers })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::super::plain::{Plain, shapes};
    use super::*;
    use crate::game::Shape;

    /// Both games on small boards, with a search and a plain one. The Maker-Breaker game is never
    /// played with lines of exactly k; the real one is if `exact`.
    fn games(exact: bool) -> impl Iterator<Item = (Shape, bool, Dfpn<u64>, Plain)> {
        let games = [true, false].into_iter();
        let games = games.flat_map(move |own| shapes(own && exact).map(move |shape| (shape, own)));
        games.map(|(shape, counter)| {
            let symmetries = Arc::new(Symmetries::new(shape));
            let search = Dfpn::new(Windows::new(shape, counter), symmetries, 1 << 20);
            (shape, counter, search, Plain::new(shape, counter))
        })
    }

    #[test]
    fn the_defender_holds_where_plain_minimax_finds_no_line() {
        let mut found = [0; 2];
        for (shape, counter, mut search, mut plain) in games(true) {
            for position in plain.positions(shape.k().into(), 1..=10, 200) {
                let holds = !plain.wins(position, u32::MAX);
                let answer = search.holds(position, &mut Budget::nodes(u64::MAX));
                assert_eq!(answer, Ok(holds), "{shape:?} {counter} {position:x?}");
                found[usize::from(holds)] += 1;
            }
        }
        assert!(found.iter().all(|&times| times > 300), "{found:?}");
    }

    #[test]
    fn a_proof_holds_with_all_squares_outside_of_its_zone_given_away() {
        let mut checked = [0; 3];
        for (shape, counter, mut search, mut plain) in games(false) {
            for position in plain.positions(shape.k().into(), 1..=10, 300) {
                let budget = &mut Budget::nodes(u64::MAX);
                let numbers = search.prove(position, budget).unwrap();
                let outside = position.empty & !numbers.zone;
                let mut given = position;
                given.empty &= numbers.zone;
                let case = format!("{shape:?} {counter} {position:x?} {numbers:x?}");
                if numbers.wanted(Turn::Defender) == 0 {
                    given.attacker |= outside;
                    // The real game may be over before the defender could move.
                    if counter && given.turn == Turn::Defender && plain.has_line(given.attacker) {
                        continue;
                    }
                    assert!(!plain.wins(given, u32::MAX), "{case}");
                    checked[usize::from(counter)] += u32::from(outside != 0);
                } else if !counter {
                    given.defender |= outside;
                    assert!(plain.wins(given, u32::MAX), "{case}");
                    checked[2] += u32::from(outside != 0);
                }
            }
        }
        assert!(checked.iter().all(|&times| times > 100), "{checked:?}");
    }
}
