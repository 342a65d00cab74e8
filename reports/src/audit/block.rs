//! The rows of one cause: what was returned, what is required, whom it loses, the change and the rule.

use std::collections::BTreeSet;

use mcp_compat_judge::rules;
use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, Loss, Severity};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Rating};

use super::cause::Cause;
use super::clients;
use super::expected::new_losers;
use super::view::dates;
use crate::sdk;
use crate::text::{clipped, first_of};
use crate::wording;

/// Number of characters of the arguments and of the error of a call that are shown.
const CALL: usize = 300;

/// Number of missing members that are named.
const NAMES: usize = 8;

/// A named part of a cause.
pub(crate) struct Row {
    pub(crate) label: &'static str,
    pub(crate) text: String,
    /// True for text of the server.
    pub(crate) is_code: bool,
}

impl Row {
    fn new(label: &'static str, text: String) -> Self {
        Self { label, text, is_code: false }
    }

    fn code(label: &'static str, text: &str) -> Self {
        Self { label, text: neutralised(text), is_code: true }
    }
}

/// The rows of a cause in their order.
pub(crate) fn rows(cause: &Cause<'_>, audit: &Audit) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(finding) = cause.findings.first() {
        let required =
            if finding.lacks.is_empty() { finding.required.clone() } else { Some(first_of(&finding.lacks, NAMES)) };
        let label = if finding.lacks.is_empty() { "required" } else { "missing" };
        let parts = [("returned", &finding.returned), (label, &required), ("message", &finding.refused)];
        rows.extend(parts.into_iter().filter_map(|(label, text)| Some(Row::code(label, text.as_deref()?))));
        // Where the newest revision is not concerned, the others are named.
        if !finding.at.is_empty() && audit.spoken.last().is_some_and(|newest| !finding.at.contains(newest)) {
            rows.push(Row::new("at", dates(&finding.at)));
        }
    }
    rows.extend(failed_call(cause, audit));
    let details = cause.findings.iter().skip(1).filter(|finding| finding.returned.is_none());
    rows.extend(details.map(|finding| Row::new("also", neutralised(&finding.detail))));
    rows.extend(clients_rows(cause, audit));
    let elsewhere = cause.findings.iter().find_map(|finding| finding.lost_elsewhere.as_deref());
    rows.extend(elsewhere.map(|words| {
        let label = if cause.lost_by().is_empty() { "lost by" } else { "and by" };
        Row::new(label, neutralised(words))
    }));
    if let Some(party) = cause.other_party() {
        rows.push(Row::new("fix", wording::to_fix(party).to_owned()));
    }
    rows.extend(change_row(cause, audit));
    rows.extend(cause.rules().into_iter().map(|rule| Row::new("rule", rule_words(rule, cause))));
    let takers = audit.takers.iter().filter(|taker| cause.rules().contains(&taker.rule.as_str()));
    rows.extend(takers.map(|taker| Row::new("accepted", clients::accepted(taker))));
    rows
}

/// The call of the first tool, if it came to nothing and the server's SDK does not say why.
fn failed_call(cause: &Cause<'_>, audit: &Audit) -> Option<Row> {
    let has_message = cause.findings.iter().any(|finding| finding.refused.is_some());
    let is_of_error = cause.rules().into_iter().any(|rule| rules::find(rule) == Some(&rules::TOOL_ERROR_IN_RESULT));
    let first = cause.tools.first().filter(|_| !has_message && (is_of_error || cause.radius().is_some()))?;
    match &audit.tools.iter().find(|tool| tool.name == **first)?.call {
        CallState::Failed { arguments, why, .. } => {
            let [arguments, why] = [arguments, why].map(|text| clipped(&neutralised(text), CALL));
            Some(Row::new("call", format!("with {arguments}: {why}")))
        }
        CallState::Answered { .. } | CallState::NotCalled { .. } => None,
    }
}

/// The clients that lose something, and those that do not.
fn clients_rows(cause: &Cause<'_>, audit: &Audit) -> Vec<Row> {
    let lost = cause.lost_by();
    if lost.is_empty() {
        // What comes before may take a tool, and then nobody shows what this would do.
        let is_harmless =
            |tool: &AuditedTool| matches!(tool.call, CallState::Answered { .. }) && tool.breaks().next().is_none();
        let mut tools = audit.tools.iter().filter(|tool| cause.tools.contains(&tool.name.as_str()));
        let is_elsewhere = cause.findings.iter().any(|finding| finding.lost_elsewhere.is_some());
        let is_none = cause.severity == Severity::Error && !cause.tools.is_empty() && tools.all(is_harmless);
        let is_none = is_none && !is_elsewhere;
        return is_none.then(|| Row::new("lost by", "no client that was tested".to_owned())).into_iter().collect();
    }
    let out: BTreeSet<&PeerId> = audit.shut_out.iter().map(|loss| &loss.client).collect();
    let is_of_session = cause.tools.is_empty() && lost.iter().all(|client| out.contains(client));
    let all: Vec<&PeerId> =
        audit.clients.iter().map(|client| &client.id).filter(|id| is_of_session || !out.contains(id)).collect();
    let mut kinds: Vec<((BlastRadius, bool), BTreeSet<&PeerId>)> = Vec::new();
    for (_, loss) in cause.losses.iter().filter(|(_, loss)| loss.rating == Rating::Breaks) {
        let kind = (loss.loses, loss.silent);
        // A client is named once, with the largest of its losses.
        let is_larger = |(_, other): &&(Option<&str>, &Loss)| {
            other.client == loss.client && other.rating == Rating::Breaks && (other.loses, other.silent) > kind
        };
        if cause.losses.iter().any(|it| is_larger(&it)) {
            continue;
        }
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, clients)) => _ = clients.insert(&loss.client),
            None => kinds.push((kind, BTreeSet::from([&loss.client]))),
        }
    }
    kinds.sort_by_key(|(kind, _)| std::cmp::Reverse(*kind));
    let (only, mut label, mut rows) = (kinds.len() == 1, "lost by", Vec::new());
    for ((loses, silent), clients) in kinds {
        let names = if clients.len() == all.len() && all.len() > 1 {
            format!("all {}", counted(all.len(), "client"))
        } else {
            sdk::names(clients.iter().copied(), &all)
        };
        let is_plain = only && loses == BlastRadius::Call;
        // Without an error, the user has another value, or none.
        let lost = if silent && loses == BlastRadius::Call { "the value" } else { wording::lost(loses) };
        let what = if is_plain { String::new() } else { format!(": {lost}") };
        let silent = if silent { ", without an error" } else { "" };
        rows.push(Row::new(label, format!("{names}{what}{silent}")));
        label = "";
    }
    if let Some(new) = new_losers(cause, audit) {
        rows.push(Row::new("new", format!("{}; the baseline lists the others", sdk::names(new, &all))));
    }
    // A client that lost all tools by another cause keeps nothing.
    let has_no_tools = |id: &PeerId| {
        audit
            .tools
            .iter()
            .flat_map(AuditedTool::breaks)
            .any(|loss| loss.client == *id && loss.loses >= BlastRadius::Server)
    };
    let kept: Vec<&PeerId> = all.iter().copied().filter(|id| !lost.contains(id) && !has_no_tools(id)).collect();
    if !kept.is_empty() && !is_of_session {
        let is_of = |tool: &AuditedTool| cause.tools.contains(&tool.name.as_str()) && tool.fails_in_words;
        let as_success = if audit.tools.iter().any(is_of) { ", as a success" } else { "" };
        rows.push(Row::new("kept by", format!("{}{as_success}", sdk::names(kept, &all))));
    }
    rows
}

/// The change, and the number of clients that get the value then.
fn change_row(cause: &Cause<'_>, audit: &Audit) -> Option<Row> {
    let Some(change) = cause.change else {
        let remedy = cause.findings.first().map(|finding| finding.remedy.as_str()).filter(|text| !text.is_empty())?;
        return Some(Row::new("change", neutralised(remedy)));
    };
    // What another cause takes stays lost.
    let tools = audit.tools.iter().filter(|tool| cause.tools.contains(&tool.name.as_str()));
    let mut lost = cause.lost_by();
    lost.extend(tools.flat_map(AuditedTool::breaks).map(|loss| &loss.client));
    let left = lost.iter().filter(|client| !change.frees.contains(client)).count();
    let all = if cause.tools.is_empty() { audit.clients.len() } else { audit.in_session() };
    let by_others =
        lost.iter().filter(|client| !change.frees.contains(client) && audit.together.contains(client)).count();
    let more = if by_others > 0 { format!(", {by_others} more with the other changes") } else { String::new() };
    let replayed =
        if left < lost.len() { format!(": then {} of {all}{more} (replayed)", all - left) } else { String::new() };
    Some(Row::new("change", format!("{}{replayed}", neutralised(own_remedy(cause).unwrap_or(&change.what)))))
}

/// The remedy of the one finding of a cause, where it is closer to what was seen than that of its rule.
fn own_remedy<'a>(cause: &Cause<'a>) -> Option<&'a str> {
    let [finding] = cause.findings[..] else { return None };
    let general = rules::find(&finding.rule)?.remedy;
    (finding.remedy != general).then_some(finding.remedy.as_str())
}

/// Level of a rule at the newest revision at which it was seen, and the command that explains it.
fn rule_words(rule: &str, cause: &Cause<'_>) -> String {
    let newest = cause.findings.iter().filter(|finding| finding.rule == rule).flat_map(|finding| &finding.at).max();
    let level = rules::find(rule).map(|rule| format!("{}, ", rule.level.at(newest.copied()))).unwrap_or_default();
    format!("{level}mcp-compat explain {}", neutralised(rule))
}
