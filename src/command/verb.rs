//! The verbs, by their names and synonyms, and the help for them.

use std::str::FromStr;

use super::CommandError;

/// The help: a paragraph a verb, of the usage line, a summary, and what else there is to say.
const HELP: &str = include_str!("help.txt");

/// Defines [`Verb`] from its rows: variant, name, synonyms.
macro_rules! verbs {
    ($($verb:ident $name:literal [$($synonym:literal)*])*) => {
        /// The first word of a command.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Verb {
            $($verb,)*
        }

        impl Verb {
            /// Every verb, in the order of the help.
            pub const ALL: &'static [Self] = &[$(Self::$verb),*];

            /// The names, then the synonyms.
            const WORDS: &'static [&'static str] = &[$($name,)* $($($synonym,)*)*];

            /// The verb in full, as replies name it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$verb => $name,)*
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

verbs! {
    Play "play" []
    Undo "undo" ["u" "back"]
    Redo "redo" []
    New "new" ["reset"]
    Replay "replay" []
    Moves "moves" []
    Position "position" []
    Board "board" ["show"]
    At "at" []
    Free "free" []
    Status "status" []
    Seat "seat" []
    Coords "coords" []
    Go "go" []
    Hint "hint" []
    Analyze "analyze" []
    Perft "perft" []
    Game "game" []
    Games "games" []
    Drop "drop" []
    Save "save" []
    Load "load" []
    Help "help" ["?"]
    Quit "quit" ["exit" "q"]
}

/// Words that people type, and the commands that they want.
const MEANT: [(&str, &str); 12] = [
    ("level", "seat O level3"),
    ("computer", "seat O level3"),
    ("player", "seat O level3"),
    ("swap", "seat swap"),
    ("sides", "seat swap"),
    ("restart", "new"),
    ("start", "new"),
    ("resign", "new"),
    ("size", "new 15 5"),
    ("gomoku", "new 15 5"),
    ("letters", "coords letters"),
    ("score", "status"),
];

/// The verbs that share a line of the overview with the verb before them, and its summary.
const SHARED: [(Verb, &str); 2] = [
    (Verb::Drop, "list the games of this session, or forget one"),
    (Verb::Load, "keep the game in a file, or go on from one"),
];

impl Verb {
    /// The paragraph of [`HELP`] on the verb, split after its first line.
    fn paragraph(self) -> (&'static str, &'static str) {
        let is_own = |text: &&str| text.split_whitespace().next() == Some(self.name());
        let own = HELP.split("\n\n").find(is_own).unwrap_or_default();
        own.trim_end().split_once('\n').unwrap_or_default()
    }

    /// The usage line: `undo [N] [@VERSION]`.
    pub fn usage(self) -> &'static str {
        self.paragraph().0
    }

    /// The arguments, as the usage line has them: `[N] [@VERSION]`. Empty where there are none.
    pub fn arguments(self) -> &'static str {
        self.usage().split_once(' ').unwrap_or_default().1
    }

    /// The help for this command, several lines.
    pub fn help(self) -> String {
        let (usage, rest) = self.paragraph();
        format!("{usage}: {rest}")
    }

    /// True for the verbs that change a game, and so take a version.
    pub(super) const fn is_change(self) -> bool {
        use Verb::{Go, New, Play, Position, Redo, Replay, Undo};
        matches!(self, Play | Undo | Redo | New | Replay | Position | Go)
    }

    /// The verb or synonym that differs least from `word`, by two slips of the finger at most.
    pub(super) fn nearest(word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        if let Some((_, meant)) = MEANT.iter().find(|(typed, _)| *typed == word) {
            return Some(meant);
        }
        let names = Self::WORDS.iter().filter(|name| word.len() <= name.len() + 2);
        names
            .map(|name| (strsim::osa_distance(&word, name), *name))
            .filter(|(slips, name)| *slips <= 2 && slips * 2 < name.len())
            .min_by_key(|(slips, _)| *slips)
            .map(|(_, name)| name)
    }
}

impl FromStr for Verb {
    type Err = CommandError;

    /// Reads a verb or a synonym in any case.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let in_any_case = || Self::of_lower_case(&word.to_ascii_lowercase());
        Self::of_lower_case(word).or_else(in_any_case).ok_or_else(|| CommandError::unknown(word))
    }
}

/// The help for the whole program: a first lesson and a line a command.
pub fn overview() -> String {
    let short = |verb: Verb| verb.usage().trim_end_matches(" [@VERSION]");
    let mut rows: Vec<(String, &str)> = Vec::new();
    for &verb in Verb::ALL {
        let shared = SHARED.iter().find(|(second, _)| *second == verb);
        if let (Some((_, both)), Some((usage, summary))) = (shared, rows.last_mut()) {
            usage.push_str(", ");
            usage.push_str(short(verb));
            *summary = both;
        } else {
            let summary = verb.paragraph().1.lines().next().unwrap_or_default();
            rows.push((short(verb).to_owned(), summary));
        }
    }
    let width = rows.iter().map(|(usage, _)| usage.len()).max().unwrap_or_default();
    let line = |(usage, summary): &(String, &str)| format!("  {usage:width$}  {summary}\n");
    let lines: String = rows.iter().map(line).collect();
    format!(
        "a square is a move: \"0 2\" (row, column from the top left), \"3\" or \"a1\"\n\
         {lines}\
         Blanks, tabs, commas divide words; # starts a comment. \"help COMMAND\" says more"
    )
}
