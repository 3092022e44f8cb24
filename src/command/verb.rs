//! The verbs: one row each, with all that is said about it.

use std::str::FromStr;

use super::CommandError;

/// Defines [`Verb`] from its rows: variant, name, synonyms, arguments, summary, details.
macro_rules! verbs {
    ($($verb:ident $name:literal [$($synonym:literal)*] $arguments:literal $summary:literal $details:literal)*) => {
        /// The first word of a command.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Verb {
            $($verb,)*
        }

        impl Verb {
            /// Every verb, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$verb),*];

            /// The names and synonyms, with what they mean.
            const WORDS: &'static [(&'static str, Self)] =
                &[$(($name, Self::$verb),)* $($(($synonym, Self::$verb),)*)*];

            const fn row(self) -> Row {
                match self {
                    $(Self::$verb => Row {
                        name: $name,
                        arguments: $arguments,
                        summary: $summary,
                        details: $details,
                    },)*
                }
            }

            /// The verb of a word in lower case. The compiler turns the `match` into comparisons of
            /// whole words.
            fn of_lower_case(word: &str) -> Option<Self> {
                match word {
                    $($name $(| $synonym)* => Some(Self::$verb),)*
                    _ => None,
                }
            }
        }
    };
}

struct Row {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    details: &'static str,
}

verbs! {
    Play "play" []
        "[MARK] ROW COL|NUMBER [@VERSION]"
        "move to a square; \"0 2\" alone does it too"
        "Rows and columns count from 0 at the top left: on a 3 x 3 board \"play 0 2\" is the\n\
         top right corner. \"play 3\" is the same square by number, from 1, row by row.\n\
         \"play\" may be left out: \"0 2\", \"0,2\" and \"3\" are moves.\n\
         With a MARK, X or O, the move is refused on the other mark's turn. With @VERSION it\n\
         is refused as STALE unless the game is at that version; \"status\" tells it."
    Undo "undo" []
        "[N] [@VERSION]"
        "take back the last move, or the last N"
        "Works out of a won or drawn game too. More moves than were made are refused, and\n\
         then none is taken back."
    Redo "redo" []
        "[N] [@VERSION]"
        "play an undone move again, or N of them"
        "A new move forgets the undone ones."
    New "new" ["reset"]
        "[SIZE [K]] [@VERSION]"
        "start a fresh game"
        "SIZE is a number, \"3\", or rows and columns, \"6x7\": sides from 1 to 1024. K is how\n\
         many in a row win, the shorter side if left out. Without a SIZE the board and K\n\
         stay. \"new 15 5\" is gomoku. \"reset\" is another word for it."
    Replay "replay" []
        "ROW COL ... [@VERSION]"
        "start a fresh game with these moves"
        "\"replay 0 0 1 1 0 1\" plays three moves on a fresh board of the same size. The reply\n\
         is the verdict of the last one. If any is refused, the old game stands."
    Moves "moves" []
        ""
        "list the moves so far, as \"replay\" reads them"
        "A game that was set up with \"position\" lists the moves since then."
    Position "position" []
        "DIAGRAM [K] [@VERSION]"
        "set a board up"
        "DIAGRAM has the rows from the top with \"/\" between them: X, O, and \".\", \"-\" or \"_\"\n\
         for an empty square, or a number for so many of them. \"XX./.O./O..\" and \"XX1/1O1/O2\"\n\
         are the same. Who moves follows from the counts. K stays if the size does, else it\n\
         is the shorter side. A board that no game can reach is refused."
    Board "board" ["show"]
        ""
        "draw the board"
        "\"show\" is another word for it."
    At "at" []
        "ROW COL|NUMBER"
        "say who occupies a square"
        "Takes a number too: \"at 5\" is the centre of a 3 x 3 board."
    Free "free" []
        ""
        "list the empty squares"
        "Row by row."
    Status "status" []
        ""
        "say how the game stands"
        "Tells whose turn it is or who won, the size, the number of moves and the version,\n\
         which goes up by one at each change."
    Seat "seat" []
        "MARK PLAYER"
        "let a player move for X or O from now on"
        "\"seat O best\" makes the computer move for O as soon as it is its turn, in every game;\n\
         \"seat O human\" ends that. PLAYER is human, random (any square), rules (wins, blocks,\n\
         else takes the middle), minimax (the textbook search) or best (as well as it can)."
    Go "go" []
        "[PLAYER] [@VERSION]"
        "let a computer player make this move"
        "PLAYER is random, rules, minimax or best, which is the default. \"help seat\" tells who is who."
    Hint "hint" []
        "[PLAYER]"
        "say what a computer player would play"
        "Tells the move and what it is worth, and leaves the game as it is. PLAYER is random,\n\
         rules, minimax or best, which is the default."
    Analyze "analyze" []
        ""
        "say what every move is worth"
        "Draws the board with a sign on every empty square: what the side to move gets by\n\
         playing there, and in how many moves, counting that one."
    Perft "perft" []
        "DEPTH"
        "count the move sequences of a length"
        "\"perft 9\" counts the games of nine moves from here. A finished game is not extended."
    Game "game" []
        "[NAME]"
        "go over to another game, or say which one this is"
        "A session holds many games. \"game NAME\" goes over to one of them, made on first\n\
         use; the first is called main. Names have up to 64 bytes."
    Games "games" []
        ""
        "list the games of this session"
        "In the order of their names."
    Drop "drop" []
        "NAME"
        "forget a game"
        "Dropping the game that is being played goes over to main. A game of that name, main\n\
         included, starts afresh at version 0 when it is used again."
    Help "help" []
        "[COMMAND]"
        "explain a command, or list them all"
        "\"help play\" explains how to move."
    Quit "quit" ["exit"]
        ""
        "leave"
        "So does the end of the input. \"exit\" is another word for it."
}

impl Verb {
    /// The verb in full, as replies name it.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The arguments, as usage lines write them: `[N] [@VERSION]`. Empty where there are none.
    pub const fn arguments(self) -> &'static str {
        self.row().arguments
    }

    /// The usage line: `undo [N] [@VERSION]`.
    pub fn usage(self) -> String {
        let Row { name, arguments, .. } = self.row();
        format!("{name} {arguments}").trim_end().to_owned()
    }

    /// The help for this command, several lines.
    pub fn help(self) -> String {
        let Row { summary, details, .. } = self.row();
        format!("{}: {summary}\n{details}", self.usage())
    }

    /// The verb or synonym that differs least from `word`, by two slips of the finger at most.
    pub(super) fn nearest(word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let longest = Self::WORDS.iter().map(|(name, _)| name.len()).max()?;
        if word.len() > longest + 2 {
            return None;
        }
        Self::WORDS
            .iter()
            .map(|(name, _)| (strsim::osa_distance(&word, name), *name))
            .filter(|(slips, name)| *slips <= 2 && slips * 2 < name.len())
            .min_by_key(|(slips, _)| *slips)
            .map(|(_, name)| name)
    }
}

impl FromStr for Verb {
    type Err = CommandError;

    /// Reads a verb or a synonym in any case.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let in_any_case = || {
            let mut words = Self::WORDS.iter();
            let (_, verb) = words.find(|(name, _)| name.eq_ignore_ascii_case(word))?;
            Some(*verb)
        };
        Self::of_lower_case(word).or_else(in_any_case).ok_or_else(|| CommandError::unknown(word))
    }
}

/// The help for the whole program: a first lesson and a line a command.
pub fn overview() -> String {
    let width = Verb::ALL.iter().map(|verb| verb.usage().len()).max();
    let width = width.unwrap_or_default();
    let line = |verb: &Verb| format!("  {:width$}  {}\n", verb.usage(), verb.row().summary);
    let lines: String = Verb::ALL.iter().map(line).collect();
    format!(
        "type a square to move there, or a command\n\
         \"0 2\" is row 0, column 2, counted from the top left; \"3\" is the same square by number.\n\
         {lines}\
         Words are separated by blanks, tabs or commas; # starts a comment. \"help COMMAND\" says more."
    )
}
