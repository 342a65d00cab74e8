//! Selects the cells of a coverage, where *reference* peers are the mocks that every peer is played with, and the
//! *smoke* scenarios are the few that say so of themselves:
//!
//! | coverage | every client × reference servers, reference clients × every server | every client × every server |
//! |---|---|---|
//! | `smoke` | the smoke scenarios, over the quickest transport of each pair | the same, where both are real |
//! | `pairwise` | all scenarios over the quickest transport; with real peers and among reference peers, the smoke scenarios over the others too | the smoke scenarios, over the quickest transport |
//! | `full` | all scenarios, every transport; of a real server over stdio, the smoke scenarios | the smoke scenarios and the first of each class, over the quickest transport; among mocks, all of them |
//! | `everything` | all scenarios, every transport | the same |
//!
//! The last one is for a few named peers, and for everything that may be played.
//!
//! Where two reference peers would speak the same revision with a real peer, the one that speaks more revisions holds for
//! both.
//!
//! `full` is what a fleet of five languages takes an hour for. Over stdio a real server is a process for each cell, which
//! takes a hundred times what the cell does; and what two real peers make of each other is what each makes of a reference
//! peer, but for what one of each class shows.
//!
//! The mocks share what carries their messages, so the reference peers show it for all of them.
//!
//! A *heavy* scenario, of 128 KiB or more, is never a smoke scenario, and before `full` only reference peers
//! play it with each other, and those that are named on both sides.

/// Share of the matrix that is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coverage {
    /// The smoke scenarios: against the reference peers, and of real peers against each other.
    Smoke,
    /// Every scenario against the reference peers, and the smoke scenarios with every pair of peers.
    #[default]
    Pairwise,
    /// Every scenario over every transport against the reference peers, as far as it starts no real server for each cell;
    /// and one scenario of each class with every pair of peers.
    Full,
    /// Every scenario with every pair over every transport.
    Everything,
}

impl Coverage {
    /// The name used on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Pairwise => "pairwise",
            Self::Full => "full",
            Self::Everything => "everything",
        }
    }
}

/// Kind of a scenario for the plan.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Smoke,
    First,
    Heavy,
    Other,
}

/// Kind of a pair for the plan.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// True if one of them is a reference peer.
    pub(super) has_reference: bool,
    /// True if both of them are.
    pub(super) is_of_references: bool,
    /// True if no other mock says what these two do.
    pub(super) represents_mocks: bool,
    /// True if neither is a mock.
    pub(super) is_real: bool,
    /// True if both are honest mocks.
    pub(super) is_mocked: bool,
}

/// A transport that a client and a server have in common.
#[derive(Clone, Copy)]
pub(super) struct Way {
    /// True if none is quicker.
    pub(super) quickest: bool,
    /// True if each cell starts a process of a real server.
    pub(super) starts: bool,
}

/// The table at the head of this file, as code.
pub(super) const fn wanted(coverage: Coverage, pair: Pair, kind: Kind, way: Way) -> bool {
    let Way { quickest, starts } = way;
    match (coverage, kind) {
        (Coverage::Everything, _) => true,
        (Coverage::Full, Kind::Smoke) => pair.has_reference || quickest,
        (Coverage::Full, Kind::First) if !pair.has_reference => quickest,
        (Coverage::Full, Kind::First | Kind::Heavy | Kind::Other) => {
            pair.is_of_references || (pair.has_reference && (quickest || !starts)) || (pair.is_mocked && quickest)
        }
        (Coverage::Smoke, Kind::Smoke) => (pair.has_reference || pair.is_real) && quickest,
        (Coverage::Smoke, Kind::First | Kind::Heavy | Kind::Other) => false,
        (Coverage::Pairwise, Kind::Smoke) if quickest => true,
        (Coverage::Pairwise, Kind::First | Kind::Other) => pair.has_reference && quickest,
        (Coverage::Pairwise, Kind::Heavy) => pair.is_of_references && quickest,
        (Coverage::Pairwise, Kind::Smoke) => pair.has_reference && pair.represents_mocks,
    }
}
