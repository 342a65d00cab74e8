//! Failure message of an audited server: one block for each cause, with the names of everything that fails for it.

use std::fmt::Write as _;

use mcp_compat_model::audit::Audit;
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::stale_entry::StaleEntry;

use crate::audit::block::rows;
use crate::audit::cause::Cause;
use crate::audit::view::losers_in_words;
use crate::text::first_of;

use super::story::short;

/// Number of tools that are named in the first line, and in a list of tests.
const TOOLS: usize = 4;

/// Number of characters of an entry of the baseline that are shown.
const ENTRY: usize = 120;

/// Width of the labels.
const LABEL: usize = 9;

/// What else fails for a cause.
pub(super) enum Failing<'a> {
    /// Other tests than the one whose message it is.
    OtherTests(&'a [TestName]),
    /// Everything that fails.
    All(&'a [TestName]),
}

/// Name of a test in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestName {
    pub(super) tool: String,
    pub(super) client: String,
}

/// The block of a cause. `separator` stands between the two parts of the name of a test.
pub(super) fn block(
    cause: &Cause<'_>,
    audit: &Audit,
    failing: &Failing<'_>,
    separator: &str,
    again: &[String],
) -> String {
    let mut text = format!("FAIL {}\n", first_line(cause, audit));
    let _ = writeln!(text, "  {}", cause.title());
    for row in rows(cause, audit) {
        let _ = writeln!(text, "  {:LABEL$} {}", row.label, row.text);
    }
    for (place, way) in again.iter().enumerate() {
        let (label, or) = if place == 0 { ("again", "") } else { ("", "or, ") };
        let _ = writeln!(text, "  {label:LABEL$} {or}{way}");
    }
    match failing {
        Failing::OtherTests([]) => {}
        Failing::OtherTests(names) => {
            let many = counted(names.len(), "more test");
            let _ = writeln!(text, "  same cause in {many}: {}", braced(names, separator));
        }
        Failing::All(names) => _ = writeln!(text, "  {:LABEL$} {}", "breaks", braced(names, separator)),
    }
    text
}

/// The message of an entry of the baseline that no longer holds. `tool` is that of the first test that fails for it, and
/// `others` are the other tests.
pub(super) fn of_stale_entry(entry: &StaleEntry, tool: &str, others: &[TestName], separator: &str) -> String {
    let is_of_tool = others.iter().all(|other| other.tool == tool);
    let (tests, tool) = (others.len() + 1, neutralised(tool));
    let lose = if tests == 1 { "loses" } else { "lose" };
    let what = if is_of_tool {
        format!("{tool}: {} no longer {lose} it, but the baseline lists this", counted(tests, "client"))
    } else {
        format!("{} find no loss any more, but the baseline lists them", counted(tests, "test"))
    };
    let cause = entry.cause.as_ref().map(|cause| format!(", cause = {cause:?}")).unwrap_or_default();
    let change = match entry.still {
        0 => "remove or narrow the entry".to_owned(),
        1 => "narrow the entry: 1 of its checks still breaks".to_owned(),
        still => format!("narrow the entry: {still} of its checks still break"),
    };
    let mut text = format!("{what}\n");
    let mut row = |label: &str, words: &str| _ = writeln!(text, "  {label}: {words}");
    row("entry", &short(&neutralised(&format!("cells = {:?}{cause}", entry.cells)), ENTRY));
    row("change", &format!("{change}; MCP_COMPAT_BASELINE=update rewrites the file"));
    if !others.is_empty() {
        let many = counted(others.len(), "more test");
        let _ = writeln!(text, "  same entry in {many}: {}", braced(others, separator));
    }
    text
}

fn first_line(cause: &Cause<'_>, audit: &Audit) -> String {
    let tools: Vec<String> = cause.tools.iter().map(|tool| neutralised(tool)).collect();
    let whose = if tools.is_empty() { String::new() } else { format!("{}: ", first_of(&tools, TOOLS)) };
    format!("{whose}{}", losers_in_words(&cause.losers(), audit.in_session()))
}

/// Names of tests with what they share once: `list::{mock/dual, profile/{go@1, java@2}}`.
pub(super) fn braced(names: &[TestName], separator: &str) -> String {
    let mut tools: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        match tools.iter_mut().find(|(tool, _)| *tool == name.tool) {
            Some((_, clients)) => clients.push(&name.client),
            None => tools.push((&name.tool, vec![&name.client])),
        }
    }
    let more = tools.len().saturating_sub(TOOLS);
    let of_tool = |(tool, clients): &(&str, Vec<&str>)| format!("{}{separator}{}", neutralised(tool), folders(clients));
    let shown = tools.iter().take(TOOLS).map(of_tool).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and those of {}", counted(more, "more tool")) } else { shown }
}

/// Ids of clients, each folder once.
fn folders(clients: &[&str]) -> String {
    let mut folders: Vec<(Option<&str>, Vec<&str>)> = Vec::new();
    for client in clients {
        let (folder, name) = client.split_once('/').map_or((None, *client), |(folder, name)| (Some(folder), name));
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => folders.push((folder, vec![name])),
        }
    }
    let listed = |names: &[&str]| match names {
        [only] => (*only).to_owned(),
        names => format!("{{{}}}", names.join(", ")),
    };
    let parts: Vec<String> = folders
        .iter()
        .flat_map(|(folder, names)| match folder {
            Some(folder) => vec![format!("{folder}/{}", listed(names))],
            None => names.iter().map(|name| (*name).to_owned()).collect(),
        })
        .collect();
    listed(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The last line of a message: how many of what.
pub(super) fn sum(causes: usize, failures: usize, passed: usize, uncalled: usize) -> String {
    format!("{}, {}, {passed} passed, {uncalled} uncalled", counted(causes, "cause"), counted(failures, "failure"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_are_shortened_by_braces() {
        let name = |tool: &str, client: &str| TestName { tool: tool.to_owned(), client: client.to_owned() };
        let some = [
            name("list", "profile/go@1+auto"),
            name("list", "profile/java@2"),
            name("list", "mock/dual"),
            name("find", "sdk@1.0.0"),
        ];
        assert_eq!(braced(&some, "::"), "list::{profile/{go@1+auto, java@2}, mock/dual}, find::sdk@1.0.0");
        assert_eq!(braced(&some[..1], "-"), "list-profile/go@1+auto");
    }

    #[test]
    fn the_sum_has_a_unit_for_each_number() {
        assert_eq!(sum(1, 13, 52, 0), "1 cause, 13 failures, 52 passed, 0 uncalled");
    }
}
