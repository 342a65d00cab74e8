//! Address of a rule in the revision that was negotiated. A rule names one section of one revision.
//!
//! The other revisions have a section of the same name, or one whose page was moved, or none: the schema has pages from
//! 2025-06-18 on, and is a file before.

use std::borrow::Cow;

use mcp_compat_model::Revision;

use super::rule::Rule;

/// The address of a rule in a revision; where the revision has no such section, the one that the rule names.
pub fn source_at(rule: &Rule, revision: Option<Revision>) -> Cow<'static, str> {
    section_at(rule.source, revision)
}

/// Beginning of the address of every page of the specification.
const PAGES: &str = "https://modelcontextprotocol.io/specification/";

/// Address of the schema of a revision that has no page for it.
const SCHEMAS: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/";

/// The address of a section of the specification in another revision; where that has no such page, and where it is a page
/// of another standard, the address itself. Whether the page has the section there is for the caller to know.
pub fn section_at(source: &'static str, revision: Option<Revision>) -> Cow<'static, str> {
    let moved = || {
        let (named, section) = source.strip_prefix(PAGES)?.split_once('/')?;
        let revision = revision.filter(|revision| revision.as_str() != named)?;
        address(section, revision)
    };
    moved().map_or(Cow::Borrowed(source), Cow::Owned)
}

/// The address of the counterpart that a section of another revision has.
fn address(section: &str, revision: Revision) -> Option<String> {
    if section.starts_with("schema#") && revision < Revision::V2025_06_18 {
        return Some(format!("{SCHEMAS}{revision}/schema.ts"));
    }
    Some(format!("{PAGES}{revision}/{}", counterpart(section, revision)?))
}

/// The section of a revision that says what a section of another one says.
fn counterpart(section: &str, revision: Revision) -> Option<Cow<'_, str>> {
    let (page, heading) = section.split_once('#')?;
    let is_legacy = revision <= Revision::NEWEST_LEGACY;
    match page {
        "basic/index" if revision < Revision::V2025_11_25 && heading == "schema-validation" => None,
        "basic/index" if revision == Revision::V2024_11_05 && heading == "messages" => {
            Some(Cow::Borrowed("basic/messages"))
        }
        "basic/index" if revision == Revision::V2024_11_05 => Some(Cow::Owned(format!("basic/messages#{heading}"))),
        "basic/patterns/progress" if is_legacy => Some(Cow::Owned(format!("basic/utilities/progress#{heading}"))),
        "basic/transports/streamable-http" if is_legacy && heading == "sending-messages" => {
            Some(Cow::Borrowed("basic/transports#sending-messages-to-the-server"))
        }
        "schema" if heading == "initializeresult" && !is_legacy => None,
        "schema" if heading == "discoverresult" && is_legacy => None,
        "basic/index"
        | "basic/transports"
        | "schema"
        | "server/tools"
        | "server/utilities/logging"
        | "server/utilities/pagination" => Some(Cow::Borrowed(section)),
        "basic/lifecycle" if is_legacy => Some(Cow::Borrowed(section)),
        // What only one revision has, and the changes that a revision made.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules;

    /// The sections of the specification that rules lead to, each looked up in the published pages of its revision.
    const SECTIONS: &str = include_str!("sections.txt");

    /// The rules whose requirement a revision has no section for, although it holds there.
    const WITHOUT: [(&str, &[Revision]); 7] = [
        ("input-schema-valid", &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18]),
        ("output-schema-valid", &[Revision::V2025_06_18]),
        (
            "discover-members",
            &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25],
        ),
        ("initialize-members", &[Revision::V2026_07_28]),
        ("initialize-names-a-handshake-revision", &Revision::ALL),
        ("client-leaves-unknown-revision", &[Revision::V2026_07_28]),
        ("structured-output-known", &[Revision::V2024_11_05, Revision::V2025_03_26]),
    ];

    fn in_force() -> impl Iterator<Item = (&'static Rule, Revision)> {
        let of_rule = |rule: &'static Rule| {
            let holds = |revision: &Revision| rule.revisions.holds_at(Some(*revision));
            Revision::ALL.into_iter().filter(holds).map(move |revision| (rule, revision))
        };
        rules::all().iter().copied().flat_map(of_rule)
    }

    #[test]
    fn each_rule_leads_to_the_revision_that_was_negotiated() {
        for (rule, revision) in in_force().filter(|(rule, _)| rule.source.starts_with(PAGES)) {
            let source = source_at(rule, Some(revision));
            let is_own = source.starts_with(&format!("{PAGES}{revision}/"))
                || *source == *format!("{SCHEMAS}{revision}/schema.ts");
            let is_without = WITHOUT.iter().any(|(id, at)| *id == rule.id && at.contains(&revision));
            assert!(is_own || (is_without && source == rule.source), "{} at {revision}: {source}", rule.id);
        }
    }

    #[test]
    fn each_section_exists() {
        let known: BTreeSet<&str> = SECTIONS.lines().collect();
        let used: BTreeSet<String> = in_force()
            .filter_map(|(rule, revision)| Some(source_at(rule, Some(revision)).strip_prefix(PAGES)?.to_owned()))
            .collect();
        let unknown: Vec<&String> = used.iter().filter(|section| !known.contains(section.as_str())).collect();
        assert!(unknown.is_empty(), "look these up in the specification, and add them: {unknown:#?}");
        let unused: Vec<&str> = known.into_iter().filter(|section| !used.contains(*section)).collect();
        assert!(unused.is_empty(), "no rule leads to {unused:#?}");
    }

    #[test]
    fn an_address_stays_where_no_revision_was_negotiated_or_it_is_of_another_standard() {
        for rule in rules::all() {
            assert_eq!(source_at(rule, None), rule.source);
        }
        let other = rules::find("value-keys-unique").unwrap();
        assert_eq!(source_at(other, Some(Revision::V2025_06_18)), other.source);
    }

    #[test]
    fn a_page_that_was_moved_is_followed() {
        let at = |id: &str, revision| source_at(rules::find(id).unwrap(), Some(revision)).into_owned();
        for (id, revision, section) in [
            ("server-speaks-json-rpc", Revision::V2024_11_05, "basic/messages"),
            ("request-id-fresh", Revision::V2024_11_05, "basic/messages#requests"),
            ("progress-increases", Revision::V2025_11_25, "basic/utilities/progress#progress-flow"),
            ("http-accept", Revision::V2025_03_26, "basic/transports#sending-messages-to-the-server"),
            ("client-validates", Revision::V2025_06_18, "server/tools#output-schema"),
            ("content-blocks", Revision::V2025_11_25, "schema#contentblock"),
        ] {
            assert_eq!(at(id, revision), format!("{PAGES}{revision}/{section}"));
        }
        assert_eq!(
            at("tool-definition-members", Revision::V2025_03_26),
            "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/2025-03-26/schema.ts"
        );
    }
}
