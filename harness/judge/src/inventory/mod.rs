//! What the specification asks of peers about structured output: every MUST and SHOULD, and what becomes of it here.
//!
//! The rules say what is judged. This says what there is to judge, page by page, in our words and with the address, so
//! that nobody has to take it on trust that the rules are all there are: each statement names the rules that hold peers
//! to it, or the verdict that shows it without a rule, or why it cannot be judged. A statement belongs here if it
//! decides whether a structured result may be sent, what it looks like, or how it gets to the user; how a resource is
//! read or a token renewed does not.
//!
//! The pages of 2025-06-18, 2025-11-25 and 2026-07-28 were read. A statement stands once, with the address in the
//! newest of the revisions in which it holds.

mod before_answers;
mod caching;
mod interim;
mod json_schema;
mod messages;
mod meta;
mod pagination;
mod schema;
mod tools;
mod transports;
mod versioning;

use std::fmt;

use mcp_compat_model::Revision;
use mcp_compat_model::verdict::Level;

use crate::rules::RevisionRange;

/// Something that the specification asks.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// How binding it is.
    pub level: Level,
    /// Of whom it is asked.
    pub whom: Whom,
    /// The revisions that ask it, of those with structured output.
    pub revisions: RevisionRange,
    /// The page and the place in it, as it follows `/specification/` in the address.
    place: &'static str,
    /// What is asked, so that it reads on after "must" or "should".
    pub asks: &'static str,
    /// What becomes of it here.
    pub judged: Judged,
}

/// Of whom something is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Each side.
    Both,
}

/// What becomes of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// These rules hold peers to it.
    ByRules(&'static [&'static str]),
    /// The verdict shows it without a rule: how.
    ByVerdict(&'static str),
    /// It is not judged: for want of what, and what that means here.
    Not(Gap, &'static str),
}

/// Why a statement cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// The text leaves open what would break it.
    Open,
    /// It can be seen, and nothing that is played makes it happen.
    Unplayed,
    /// It takes a clock, and every cell is the same at any time.
    Time,
    /// It happens inside a peer, out of sight of the wire and of the client's API.
    Inside,
    /// It is asked of the program around the client, or of people.
    Host,
}

impl Gap {
    /// Every one, from what could be mended here to what could not.
    pub const ALL: [Self; 5] = [Self::Unplayed, Self::Open, Self::Time, Self::Inside, Self::Host];

    /// Why statements with this gap are not judged, in a sentence.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Open => "The specification leaves open what would break it, or the wire cannot tell.",
            Self::Unplayed => "It would show, but nothing that is played makes it happen.",
            Self::Time => "It takes a clock, and every cell gives the same at any time.",
            Self::Inside => "It happens inside a peer, where neither the wire nor the client's API shows it.",
            Self::Host => "It is asked of the program around the client, or of people.",
        }
    }
}

impl Whom {
    /// The subject of a sentence.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "client and server",
        }
    }
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Statement {
    /// Where it stands.
    #[must_use]
    pub fn address(&self) -> String {
        format!("https://modelcontextprotocol.io/specification/{}", self.place)
    }

    /// The page that it stands on, without the revision.
    #[must_use]
    pub fn page(&self) -> &'static str {
        let page = self.place.split('#').next().unwrap_or(self.place);
        page.split_once('/').map_or(page, |(_, page)| page)
    }
}

const SINCE_2025_11_25: RevisionRange = RevisionRange { from: Revision::V2025_11_25, to: Revision::NEWEST };

const fn must(
    whom: Whom,
    revisions: RevisionRange,
    place: &'static str,
    asks: &'static str,
    judged: Judged,
) -> Statement {
    Statement { level: Level::Must, whom, revisions, place, asks, judged }
}

const fn should(
    whom: Whom,
    revisions: RevisionRange,
    place: &'static str,
    asks: &'static str,
    judged: Judged,
) -> Statement {
    Statement { level: Level::Should, whom, revisions, place, asks, judged }
}

/// Every statement, the pages in reading order.
pub fn all() -> impl Iterator<Item = &'static Statement> {
    let pages = [
        tools::STATEMENTS,
        schema::STATEMENTS,
        json_schema::STATEMENTS,
        messages::STATEMENTS,
        meta::STATEMENTS,
        versioning::STATEMENTS,
        pagination::STATEMENTS,
        caching::STATEMENTS,
        before_answers::STATEMENTS,
        interim::STATEMENTS,
        transports::STATEMENTS,
    ];
    pages.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules;

    fn named() -> impl Iterator<Item = &'static str> {
        all()
            .flat_map(|statement| match statement.judged {
                Judged::ByRules(ids) => ids,
                Judged::ByVerdict(_) | Judged::Not(..) => &[],
            })
            .copied()
    }

    #[test]
    fn a_statement_names_rules_that_there_are() {
        for id in named() {
            assert!(rules::find(id).is_some(), "{id}");
        }
        assert!(all().all(|statement| statement.judged != Judged::ByRules(&[])));
    }

    #[test]
    fn every_rule_holds_peers_to_a_statement() {
        let named: BTreeSet<&str> = named().collect();
        // What is only allowed is no statement; it is told because it surprises.
        let binding = rules::all().iter().filter(|rule| rule.level != Level::May);
        let idle: Vec<&str> = binding.map(|rule| rule.id).filter(|id| !named.contains(id)).collect();
        assert_eq!(idle, [""; 0]);
    }

    #[test]
    fn a_rule_holds_where_its_statement_does_and_binds_whom_it_binds() {
        for statement in all() {
            let Judged::ByRules(ids) = statement.judged else { continue };
            for rule in ids.iter().filter_map(|id| rules::find(id)) {
                let overlap =
                    rule.revisions.from <= statement.revisions.to && statement.revisions.from <= rule.revisions.to;
                assert!(overlap, "{} and {}", rule.id, statement.asks);
            }
        }
    }

    #[test]
    fn a_statement_reads_on_and_stands_in_the_newest_of_its_revisions() {
        let mut places = BTreeSet::new();
        for statement in all() {
            let Statement { place, asks, revisions, .. } = statement;
            assert!(place.starts_with(revisions.to.as_str()) || revisions.to == Revision::NEWEST_LEGACY, "{place}");
            assert!(revisions.from >= Revision::V2025_06_18, "{asks}");
            assert!(!asks.ends_with('.') && asks.starts_with(|c: char| c.is_lowercase()), "{asks}");
            assert!(places.insert((place, asks)), "{asks} stands twice");
            match statement.judged {
                Judged::ByVerdict(how) | Judged::Not(_, how) => assert!(how.ends_with('.') && how.len() > 20, "{how}"),
                Judged::ByRules(_) => {}
            }
        }
    }
}
