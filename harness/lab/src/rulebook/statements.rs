//! Requirements of the specification about structured output: every MUST and SHOULD, and how each is judged here.
//!
//! Rules define the checks. Statements list everything that could be checked, page by page, with the address in the
//! specification, so that a missing rule can be found. Each statement names the rules that check it, the verdict that
//! shows it without a rule, or the reason why it cannot be judged. A statement belongs here if it decides whether a
//! structured result may be sent, what it looks like, or how it reaches the user; reading resources and renewing tokens
//! are out of scope.
//!
//! The statements are data, in `statements.toml`, and cover 2025-06-18, 2025-11-25 and 2026-07-28. Each is listed
//! once, with its address in the newest revision to which it applies.

use std::fmt;

use mcp_compat_judge::rules::RevisionRange;
use mcp_compat_model::Revision;
use mcp_compat_model::verdict::Level;
use serde::Deserialize;

/// Requirement of the specification.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) level: Level,
    pub(super) party: BoundParty,
    /// The revisions with structured output that require it.
    pub(super) revisions: RevisionRange,
    /// The page and the anchor, as they follow `/specification/` in the address.
    place: String,
    /// The requirement, as it continues after "must" or "should".
    pub(super) asks: String,
    /// The way in which it is judged here.
    pub(super) judged: Judged,
}

/// Party that a statement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BoundParty {
    Client,
    Server,
    Both,
}

/// Way in which a statement is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// Checked by these rules.
    ByRules(Vec<String>),
    /// Shown by the verdict without a rule, with an explanation.
    ByVerdict(String),
    /// Not judged, with the kind of gap and an explanation.
    Not(Gap, String),
}

/// Reason why a statement cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Gap {
    /// The text leaves open what would violate it.
    Open,
    /// It would be visible, but no scenario causes it.
    Unplayed,
    /// It depends on time, but a cell gives the same result at any time.
    Time,
    /// It happens inside a peer, where neither the wire nor the client's API shows it.
    Inside,
    /// It is required of the program around the client, or of people.
    Host,
}

impl Gap {
    /// All gaps, starting with those that could be closed here.
    pub(super) const ALL: [Self; 5] = [Self::Unplayed, Self::Open, Self::Time, Self::Inside, Self::Host];

    /// Returns the reason why statements with this gap are not judged, in a sentence.
    pub(super) const fn meaning(self) -> &'static str {
        match self {
            Self::Open => "The specification does not say what would violate it, or the wire does not show it.",
            Self::Unplayed => "It would show, but nothing that is played makes it happen.",
            Self::Time => "It takes a clock, and every cell gives the same at any time.",
            Self::Inside => "It happens inside a peer, where neither the wire nor the client's API shows it.",
            Self::Host => "It is asked of the program around the client, or of people.",
        }
    }
}

impl BoundParty {
    /// Returns the party as the subject of a sentence.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Both => "client and server",
        }
    }
}

impl fmt::Display for BoundParty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Statement {
    /// Returns the address of the statement.
    pub(super) fn address(&self) -> String {
        format!("https://modelcontextprotocol.io/specification/{}", self.place)
    }

    /// Returns the page of the statement, without the revision.
    pub(super) fn page(&self) -> &str {
        let page = self.place.split('#').next().unwrap_or(&self.place);
        page.split_once('/').map_or(page, |(_, page)| page)
    }
}

/// Data file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    statement: Vec<Entry>,
}

/// Statement in the data file: with `rules`, with `verdict`, or with `gap` and `why`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    level: Level,
    party: BoundParty,
    from: Revision,
    /// The newest revision if it is absent.
    to: Option<Revision>,
    place: String,
    asks: String,
    rules: Option<Vec<String>>,
    verdict: Option<String>,
    gap: Option<Gap>,
    why: Option<String>,
}

impl TryFrom<Entry> for Statement {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Self, String> {
        let judged = match (entry.rules, entry.verdict, entry.gap, entry.why) {
            (Some(rules), None, None, None) => Judged::ByRules(rules),
            (None, Some(how), None, None) => Judged::ByVerdict(how),
            (None, None, Some(gap), Some(why)) => Judged::Not(gap, why),
            _ => return Err(format!("{:?}: one of `rules`, `verdict`, or `gap` with `why`", entry.asks)),
        };
        let revisions = RevisionRange { from: entry.from, to: entry.to.unwrap_or(Revision::NEWEST) };
        let Entry { level, party, place, asks, .. } = entry;
        Ok(Self { level, party, revisions, place, asks, judged })
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<Statement>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    file.statement.into_iter().map(Statement::try_from).collect()
}

/// Returns all statements, in reading order of the pages.
pub(super) fn all() -> Vec<Statement> {
    parse(include_str!("statements.toml")).unwrap_or_else(|error| unreachable!("a test reads the file: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use mcp_compat_judge::rules;

    fn named() -> BTreeSet<String> {
        all().iter().flat_map(rules_of).cloned().collect()
    }

    fn rules_of(statement: &Statement) -> &[String] {
        match &statement.judged {
            Judged::ByRules(ids) => ids,
            Judged::ByVerdict(_) | Judged::Not(..) => &[],
        }
    }

    #[test]
    fn a_statement_is_judged_in_one_way() {
        let written = |judged: &str| {
            let text = "[[statement]]\nlevel = 'MUST'\nparty = 'both'\nfrom = '2025-06-18'\nplace = 'a'\nasks = 'b'\n";
            parse(&format!("{text}{judged}"))
        };
        assert!(written("rules = ['content-array']").is_ok() && written("gap = 'open'\nwhy = 'c'").is_ok());
        for wrong in ["", "gap = 'open'", "verdict = 'a'\nrules = []", "rule = 'content-array'"] {
            assert!(written(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_statement_names_rules_that_there_are() {
        for id in named() {
            assert!(rules::find(&id).is_some(), "{id}");
        }
        assert!(all().iter().all(|statement| statement.judged != Judged::ByRules(Vec::new())));
    }

    #[test]
    fn every_rule_holds_peers_to_a_statement() {
        let named = named();
        // A MAY is not a statement, and what JSON Schema demands is not in the specification of MCP.
        let of_mcp = |rule: &&&rules::Rule| rule.source.starts_with("https://modelcontextprotocol.io/");
        let binding = rules::all().iter().filter(|rule| rule.level.newest() != Level::May).filter(of_mcp);
        let idle: Vec<&str> = binding.map(|rule| rule.id).filter(|id| !named.contains(*id)).collect();
        assert_eq!(idle, [""; 0]);
    }

    #[test]
    fn a_rule_holds_where_its_statement_does_and_binds_whom_it_binds() {
        for statement in all() {
            for rule in rules_of(&statement).iter().filter_map(|id| rules::find(id)) {
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
            let Statement { place, asks, revisions, .. } = &statement;
            assert!(place.starts_with(revisions.to.as_str()) || revisions.to == Revision::NEWEST_LEGACY, "{place}");
            assert!(revisions.from >= Revision::V2025_06_18, "{asks}");
            assert!(!asks.ends_with('.') && asks.starts_with(|c: char| c.is_lowercase()), "{asks}");
            assert!(places.insert((place.clone(), asks.clone())), "{asks} stands twice");
            match &statement.judged {
                Judged::ByVerdict(how) | Judged::Not(_, how) => assert!(how.ends_with('.') && how.len() > 20, "{how}"),
                Judged::ByRules(_) => {}
            }
        }
    }
}
