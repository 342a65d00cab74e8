//! The keys and flags of a filter, and what a cell has for each.

use crate::diff::Class;
use crate::record::CellRecord;
use crate::verdict::{Fault, Outcome, Rating};
use crate::{Revision, Transport};

/// What a cell has that a term asks for and is absent.
pub(super) const NONE: &str = "none";

/// A word that stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Silent,
    Vacuous,
    Known,
    Flaky,
}

pub(super) const FLAGS: [Flag; 4] = [Flag::Silent, Flag::Vacuous, Flag::Known, Flag::Flaky];

impl Flag {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::Vacuous => "vacuous",
            Self::Known => "known",
            Self::Flaky => "flaky",
        }
    }

    pub(super) fn holds(self, cell: &CellRecord, class: Option<Class>) -> bool {
        match self {
            Self::Silent => cell.silent,
            Self::Vacuous => cell.vacuous,
            Self::Known => cell.known.is_some(),
            Self::Flaky => cell.known.as_ref().is_some_and(|known| known.flaky) || class == Some(Class::Flaky),
        }
    }
}

/// What stands before a colon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Client,
    Server,
    Scenario,
    Rating,
    Outcome,
    Fault,
    Rule,
    Negotiated,
    Transport,
    Cause,
    Known,
    Changed,
    Count,
    Since,
}

pub(super) const KEYS: [Key; 14] = [
    Key::Client,
    Key::Server,
    Key::Scenario,
    Key::Rating,
    Key::Outcome,
    Key::Fault,
    Key::Rule,
    Key::Negotiated,
    Key::Transport,
    Key::Cause,
    Key::Known,
    Key::Changed,
    Key::Count,
    Key::Since,
];

impl Key {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Scenario => "scenario",
            Self::Rating => "rating",
            Self::Outcome => "outcome",
            Self::Fault => "fault",
            Self::Rule => "rule",
            Self::Negotiated => "negotiated",
            Self::Transport => "transport",
            Self::Cause => "cause",
            Self::Known => "known",
            Self::Changed => "changed",
            Self::Count => "count",
            Self::Since => "since",
        }
    }

    /// The values of a key that has a list of them.
    pub(super) fn words(self) -> Option<Vec<&'static str>> {
        let mut words: Vec<&str> = match self {
            Self::Rating => Rating::ALL.map(Rating::as_str).to_vec(),
            Self::Outcome => Outcome::ALL.map(Outcome::as_str).to_vec(),
            Self::Transport => Transport::ALL.map(Transport::as_str).to_vec(),
            Self::Changed => Class::ALL.map(Class::as_str).to_vec(),
            Self::Fault => Fault::ALL.map(Fault::as_str).to_vec(),
            Self::Negotiated => Revision::ALL.map(Revision::as_str).to_vec(),
            Self::Client
            | Self::Server
            | Self::Scenario
            | Self::Rule
            | Self::Cause
            | Self::Known
            | Self::Count
            | Self::Since => return None,
        };
        if matches!(self, Self::Fault | Self::Negotiated) {
            words.push(NONE);
        }
        Some(words)
    }

    /// The value that a cell has, for a key that has a list of them.
    pub(super) fn word(self, cell: &CellRecord, class: Option<Class>) -> &'static str {
        match self {
            Self::Rating => cell.rating.as_str(),
            Self::Outcome => cell.outcome.as_str(),
            Self::Transport => cell.transport.as_str(),
            Self::Fault => cell.fault.map_or(NONE, Fault::as_str),
            Self::Negotiated => cell.negotiated.map_or(NONE, Revision::as_str),
            Self::Changed => class.map_or("", Class::as_str),
            Self::Client
            | Self::Server
            | Self::Scenario
            | Self::Rule
            | Self::Cause
            | Self::Known
            | Self::Count
            | Self::Since => "",
        }
    }
}
