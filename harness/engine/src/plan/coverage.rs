//! Which cells a coverage takes, where *reference* peers are the mocks that everything is held against and the *smoke*
//! scenarios are the first of each class:
//!
//! | coverage | every client × reference servers, reference clients × every server | every client × every server |
//! |---|---|---|
//! | `smoke` | the smoke scenarios, over the quickest transport of each pair | – |
//! | `pairwise` | all scenarios over the quickest transport; with real peers and among reference peers, the smoke scenarios over the others too | the smoke scenarios, over the quickest transport |
//! | `full` | all scenarios, every transport | all scenarios, every transport |
//! | `once` | all scenarios, over the quickest transport of each pair | the same |
//!
//! `once` asks how clients read what they get, not whether the pair gets on: it leaves out scenarios that are newer than
//! every revision of the client as well.
//!
//! The mocks share what carries their messages, so the reference peers show it for all of them.
//!
//! A *heavy* scenario, from hundreds of kilobytes on, is never a smoke scenario, and before `full` it is played by real
//! and reference peers only: what a mock of another policy does with a value does not hang on its size.

/// How much of the matrix is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// One scenario of each class, against the reference peers.
    Smoke,
    /// Every scenario against the reference peers, and every pair of peers once for each class.
    #[default]
    Pairwise,
    /// Everything.
    Full,
    /// Every scenario with every pair that knows its revision, once.
    Once,
}

impl Coverage {
    /// The name used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Pairwise => "pairwise",
            Self::Full => "full",
            Self::Once => "once",
        }
    }
}

/// What the plan makes of a scenario.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Smoke,
    Heavy,
    Other,
}

/// What the plan makes of a client and a server.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// Whether one of them is what everything is held against.
    pub(super) has_reference: bool,
    /// Whether no other mock says what these two do.
    pub(super) stands_for_mocks: bool,
}

/// The table at the head of this file, as code.
pub(super) const fn wanted(coverage: Coverage, pair: Pair, kind: Kind, quickest: bool) -> bool {
    match (coverage, kind) {
        (Coverage::Full | Coverage::Once, _) => true,
        (Coverage::Smoke, Kind::Smoke) => pair.has_reference && quickest,
        (Coverage::Smoke, Kind::Heavy | Kind::Other) => false,
        (Coverage::Pairwise, Kind::Smoke) if quickest => true,
        (Coverage::Pairwise, Kind::Other) => pair.has_reference && quickest,
        (Coverage::Pairwise, Kind::Heavy) => pair.has_reference && pair.stands_for_mocks && quickest,
        (Coverage::Pairwise, Kind::Smoke) => pair.has_reference && pair.stands_for_mocks,
    }
}
