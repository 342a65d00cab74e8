//! The content of an audit's report, the same in each format: head, a line for each tool that has something, and the
//! last line.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_judge::rules;
use mcp_compat_model::audit::{Audit, AuditFinding, AuditedTool, CallState, CutShort, Loss, Severity};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Level, Rating};
use mcp_compat_model::{PeerId, Revision};

use super::Options;
use super::cause::{Cause, by_loss};
use super::expected::{is_known, is_known_loss, not_met};
use crate::sdk;
use crate::style::Tone;
use crate::text::{clipped, first_of};
use crate::wording;

/// Number of tools of one kind that are named; more are counted.
const NAMED: usize = 4;

/// Number of tools with a cause that have a line of their own.
const LINES: usize = 20;

/// Number of notes that are shown in short.
const NOTES: usize = 3;

/// Number of tools in the title of a cause.
const TITLED: usize = 4;

/// Number of characters of an error or of arguments that are shown.
const SHOWN: usize = 200;

/// Name, version, transport and revisions of the server.
pub(super) fn head(audit: &Audit) -> String {
    let server = &audit.server;
    let name = if server.name.is_empty() { "a server without a name" } else { &server.name };
    let title = format!("{} {}", neutralised(name), neutralised(&server.version));
    let refused: Vec<&str> = audit.refused.iter().map(|refused| refused.revision.as_str()).collect();
    let not = if refused.is_empty() { String::new() } else { format!(" (not {})", refused.join(", ")) };
    if audit.spoken.is_empty() {
        return format!("{}, {}, no session at any revision", title.trim_end(), server.transport);
    }
    format!("{}, {}, {}{not}", title.trim_end(), server.transport, span(&audit.spoken))
}

/// Revisions: the first and the last where they have no gap.
fn span(revisions: &[Revision]) -> String {
    let all: Vec<&Revision> = Revision::ALL.iter().filter(|revision| revisions.contains(revision)).collect();
    let place = |revision: &Revision| Revision::ALL.iter().position(|known| known == revision);
    match all[..] {
        [first, .., last] if place(last).zip(place(first)).is_some_and(|(to, from)| to - from + 1 == all.len()) => {
            format!("{first} to {last}")
        }
        _ => dates(revisions),
    }
}

/// The clients that are counted, where that is not plain.
pub(super) fn counted_clients(audit: &Audit) -> Vec<String> {
    let mut lines = Vec::new();
    let out = audit.modern_out_of_reach().count();
    if out > 0 && !audit.spoken.is_empty() {
        let speak = if out == 1 { "speaks" } else { "speak" };
        // The server gives some no session, whatever they speak.
        let losses = audit.tools.iter().flat_map(AuditedTool::breaks).filter(|loss| loss.loses == BlastRadius::Session);
        let refused: BTreeSet<&PeerId> = losses.map(|loss| &loss.client).collect();
        let can = audit.in_session().saturating_sub(refused.len());
        let mut parts = vec![format!("{} can connect", counted(can, "client"))];
        let others = refused.len() + audit.shut_out.len() - out;
        if others > 0 {
            parts.push(format!("{} cannot", counted(others, "other")));
        }
        parts.push(format!("{out} that {speak} only {} cannot (it is optional)", Revision::NEWEST));
        lines.push(if can == 0 { "no client can connect".to_owned() } else { parts.join("; ") });
    }
    let real: Vec<&PeerId> = audit.real_clients().collect();
    if !real.is_empty() {
        lines.push(format!("real clients: {}", sdk::names(real.iter().copied(), &real)));
    }
    lines
}

/// Mark of a tool or a cause.
pub(super) const fn mark(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "✗",
        Severity::Warning => "!",
        Severity::Note => "-",
    }
}

/// A tool that has something, or several others of one kind.
pub(super) struct ToolLine {
    pub(super) severity: Severity,
    /// Name of the tool, or the number of several; empty for a line that names them itself.
    pub(super) name: String,
    /// True if `name` is a number.
    pub(super) is_number: bool,
    pub(super) text: String,
    /// Option that calls the tool.
    pub(super) option: Option<String>,
}

impl ToolLine {
    fn about(text: String) -> Self {
        Self { severity: Severity::Note, name: String::new(), is_number: false, text, option: None }
    }
}

/// Lines about the tools: first those with a cause, then the others by kind.
pub(super) fn tool_lines(audit: &Audit, causes: &[Cause<'_>]) -> Vec<ToolLine> {
    let without_list = without_list(audit);
    // The causes are sorted, the worst first; what is known comes last.
    let worst_of = |name: &str| {
        let mut its = causes.iter().filter(|cause| cause.severity > Severity::Note && cause.tools.contains(&name));
        its.clone().find(|cause| !is_known(cause, audit)).or_else(|| its.next())
    };
    let (wrong, others): (Vec<&AuditedTool>, Vec<&AuditedTool>) =
        audit.tools.iter().partition(|tool| worst_of(&tool.name).is_some());
    let mut lines: Vec<ToolLine> = wrong
        .iter()
        .filter_map(|tool| {
            let worst = worst_of(&tool.name)?;
            let text = with_cause(tool, worst, audit, &without_list);
            let severity = if is_known(worst, audit) { Severity::Note } else { worst.severity };
            let text = if is_known_loss(tool, audit) { format!("{text} (known)") } else { text };
            Some(ToolLine { severity, name: neutralised(&tool.name), is_number: false, text, option: None })
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.severity));
    let mut lines = alike_together(lines);
    if lines.len() > LINES {
        let more = lines.len() - LINES;
        lines.truncate(LINES);
        lines.push(ToolLine::about(format!("{} with these causes", counted(more, "more tool"))));
    }
    let of_server = of_server(audit, causes);
    let losers = by_loss(of_server.iter().copied());
    if !losers.is_empty() {
        let text = losers_in_words(&losers, audit.in_session());
        lines.insert(0, ToolLine { severity: Severity::Error, ..ToolLine::about(text) });
    }
    let is_lost_to_all = losers.iter().map(|(_, clients)| clients).sum::<usize>() == audit.in_session();
    let is_left = |tool: &&AuditedTool| !is_lost_to_all || !matches!(tool.call, CallState::Answered { .. });
    let others: Vec<&AuditedTool> = others.into_iter().filter(is_left).collect();
    lines.extend(others_by_kind(audit, &others));
    lines
}

/// Losses of the session or of all tools by what is wrong with the server as a whole.
fn of_server<'a>(audit: &'a Audit, causes: &[Cause<'a>]) -> Vec<&'a Loss> {
    let is_whole = |cause: &&Cause<'_>| cause.tools.is_empty() && !cause.findings.is_empty() && !is_known(cause, audit);
    let losses = causes.iter().filter(is_whole).flat_map(|cause| cause.losses.iter().map(|(_, loss)| *loss));
    losses.filter(|loss| loss.loses >= BlastRadius::Server && loss.rating == Rating::Breaks).collect()
}

/// Lines that say the same but for the name of the tool, as one if there are many.
fn alike_together(lines: Vec<ToolLine>) -> Vec<ToolLine> {
    let mut groups: Vec<Vec<ToolLine>> = Vec::new();
    for line in lines {
        let is_same = |known: &&mut Vec<ToolLine>| known.first().is_some_and(|first| is_alike(first, &line));
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    let one = |group: Vec<ToolLine>| {
        if group.len() <= NAMED {
            return group;
        }
        let name = counted(group.len(), "tool");
        group.into_iter().take(1).map(|line| ToolLine { name: name.clone(), is_number: true, ..line }).collect()
    };
    groups.into_iter().flat_map(one).collect()
}

/// Returns true if two lines differ in the name of the tool alone, and in where it made them be cut.
fn is_alike(one: &ToolLine, other: &ToolLine) -> bool {
    let bare = |line: &ToolLine| line.text.replace(&line.name, "");
    let (one_text, other_text) = (bare(one), bare(other));
    let is_same = match (one_text.strip_suffix('…'), other_text.strip_suffix('…')) {
        (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
        _ => one_text == other_text,
    };
    one.severity == other.severity && is_same
}

/// Result of a tool that has a cause.
fn with_cause(tool: &AuditedTool, cause: &Cause<'_>, audit: &Audit, without_list: &BTreeSet<&PeerId>) -> String {
    let all = audit.in_session();
    let breaks: BTreeSet<&PeerId> = tool.breaks().map(|loss| &loss.client).collect();
    let degraded = tool.losses.iter().filter(|loss| loss.rating != Rating::Breaks);
    let degraded = degraded.filter(|loss| !without_list.contains(&loss.client)).count();
    let unknown = match tool.not_played + tool.not_known {
        0 => String::new(),
        many => format!("; {many} not known"),
    };
    if breaks.is_empty() {
        let of_all = [&rules::SERVER_SPEAKS_JSON_RPC, &rules::FAILED_CALL_IS_MARKED].map(Some);
        let is_of_all = cause.findings.iter().any(|finding| of_all.contains(&rules::find(&finding.rule)));
        // A cause has the sentence of its first tool.
        let own = tool.findings.iter().find(|own| cause.findings.first().is_some_and(|first| own.rule == first.rule));
        let is_of_another = cause.tools.first().is_some_and(|first| *first != tool.name);
        let title = match own.filter(|_| is_of_another) {
            Some(own) if cause.title() == neutralised(&cause.findings[0].detail) => neutralised(&own.detail),
            Some(_) | None => cause.title(),
        };
        let got = match &tool.call {
            // Clients that are played do not see printed lines, and take a failure for the value.
            CallState::Answered { .. } if unknown.is_empty() && !is_of_all => {
                format!("{}; ", getting(tool, all, all))
            }
            CallState::Answered { .. } => String::new(),
            CallState::Failed { .. } => "the call failed; ".to_owned(),
            CallState::NotCalled { .. } => "not called; ".to_owned(),
        };
        return format!("{got}{}{unknown}", clipped(&title, SHOWN));
    }
    let got = match &tool.call {
        CallState::Answered { .. } => getting(tool, tool.fine + degraded, all),
        CallState::Failed { .. } | CallState::NotCalled { .. } => {
            losers_in_words(&by_loss(tool.breaks()), audit.in_session())
        }
    };
    let losers = by_loss(tool.breaks());
    let is_answered = matches!(tool.call, CallState::Answered { .. });
    let of_all = if is_answered && losers.iter().any(|(loses, _)| *loses >= BlastRadius::Server) {
        format!("; {}", losers.iter().map(|losers| losing(*losers, "")).collect::<Vec<_>>().join(", "))
    } else {
        String::new()
    };
    format!("{got}{of_all}{unknown}")
}

/// `6 of 13 clients get the value`.
fn getting(tool: &AuditedTool, some: usize, all: usize) -> String {
    let get = if all == 1 { "gets" } else { "get" };
    let what = if tool.fails_in_words { "the text, as a success" } else { "the value" };
    format!("{some} of {} {get} {what}", counted(all, "client"))
}

/// The tools without a cause, by what is known of them.
fn others_by_kind(audit: &Audit, tools: &[&AuditedTool]) -> Vec<ToolLine> {
    let declares_none = audit.tools.iter().all(|tool| !tool.declares_output);
    let mut lines = Vec::new();
    let untested = |tool: &AuditedTool| tool.not_played > 0 || tool.unchecked;
    let is = |test: &dyn Fn(&AuditedTool) -> bool| {
        tools.iter().copied().filter(|tool| test(tool)).collect::<Vec<&AuditedTool>>()
    };
    let answered = |tool: &AuditedTool| matches!(tool.call, CallState::Answered { .. });
    let is_called = |tool: &AuditedTool| answered(tool) && !untested(tool) && tool.not_known == 0;
    // A note says by what.
    let may_have_failed = |tool: &AuditedTool| {
        tool.findings.iter().any(|finding| rules::find(&finding.rule) == Some(&rules::FAILED_CALL_IS_MARKED))
    };
    let is_fine = |tool: &AuditedTool| is_called(tool) && !may_have_failed(tool);
    let mut add = |some: Vec<&AuditedTool>, text: &str| {
        if !some.is_empty() {
            lines.push(ToolLine::about(format!("{}{text}", subject(&some))));
        }
    };
    add(is(&|tool| is_fine(tool) && tool.declares_output), ": called, fine");
    add(is(&|tool| is_fine(tool) && !tool.declares_output), ": no outputSchema; called, fine");
    add(is(&|tool| is_called(tool) && may_have_failed(tool)), ": called; the result may be a failure");
    add(
        is(&|tool| answered(tool) && !untested(tool) && tool.not_known > 0),
        ": not known whether every client gets the value",
    );
    let ended = match audit.cut_short.map(|cut| cut.after_ms) {
        Some(None) => ": not tested (interrupted)",
        Some(Some(_)) | None => ": not tested (time ran out)",
    };
    add(is(&untested), ended);
    let is_failed = |tool: &AuditedTool| matches!(tool.call, CallState::Failed { .. }) && !untested(tool);
    let is_left = |tool: &AuditedTool| matches!(tool.call, CallState::NotCalled { .. }) && !untested(tool);
    for (some, what) in [(is(&is_failed), "failed"), (is(&is_left), "not called")] {
        if some.len() <= NAMED {
            lines.extend(some.into_iter().filter_map(without_result));
        } else {
            let reason = common_reason(&some).map(|reason| format!(", {reason}")).unwrap_or_default();
            lines.push(ToolLine::about(format!("{} {what}{reason}", counted(some.len(), "tool"))));
        }
    }
    if declares_none && !audit.tools.is_empty() {
        let is_open = |tool: &AuditedTool| matches!(tool.call, CallState::NotCalled { .. });
        let is_whole = !audit.tools.iter().any(is_open);
        let seen = if is_whole { "" } else { "; results of tools that were not called are not known" };
        lines.push(ToolLine::about(format!("no tool declares an outputSchema{seen}")));
    }
    lines
}

/// The reason that these tools share but for their names. Of calls that failed, most may share it.
fn common_reason(tools: &[&AuditedTool]) -> Option<String> {
    let nameless = |tool: &AuditedTool| Some(clipped(&without_name(&neutralised(reason(tool)?), &tool.name), SHOWN));
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for reason in tools.iter().filter_map(|tool| nameless(tool)) {
        *counts.entry(reason).or_default() += 1;
    }
    let (reason, many) = counts.into_iter().max_by_key(|(_, many)| *many)?;
    let words = reason.strip_prefix("the tool failed: ").unwrap_or(&reason);
    let is_failed = tools.iter().any(|tool| matches!(tool.call, CallState::Failed { .. }));
    match (is_failed, many == tools.len()) {
        (true, true) => Some(format!("each: {words}")),
        (true, false) => (2 * many > tools.len()).then(|| format!("{many} of them: {words}")),
        (false, true) => Some(format!("each because {words}")),
        (false, false) => None,
    }
}

/// Names of tools, or their number.
fn subject(tools: &[&AuditedTool]) -> String {
    if tools.len() > NAMED {
        return counted(tools.len(), "tool");
    }
    tools.iter().map(|tool| neutralised(&tool.name)).collect::<Vec<_>>().join(", ")
}

/// Reason why there is no result of a tool.
fn why(tool: &AuditedTool) -> Option<String> {
    reason(tool).map(|text| clipped(&neutralised(text), SHOWN))
}

fn reason(tool: &AuditedTool) -> Option<&str> {
    match &tool.call {
        CallState::Answered { .. } => None,
        CallState::Failed { why, .. } | CallState::NotCalled { why, .. } => Some(why),
    }
}

/// A text with `…` in the place of a name, where the name is a word of its own.
fn without_name(text: &str, name: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_word = !before.ends_with(is_part) && !after.starts_with(is_part);
        shown.push_str(before);
        shown.push_str(if is_word { "…" } else { name });
        rest = after;
    }
    shown + rest
}

/// Line about a tool whose result was not seen.
fn without_result(tool: &AuditedTool) -> Option<ToolLine> {
    let why = why(tool)?;
    let (text, option) = match &tool.call {
        CallState::Answered { .. } => return None,
        CallState::Failed { arguments, expected: true, .. } => {
            let arguments = clipped(&neutralised(arguments), SHOWN);
            (format!("refused {arguments}, as expected: {why}"), None)
        }
        CallState::Failed { arguments, option, .. } => {
            let arguments = clipped(&neutralised(arguments), SHOWN);
            (format!("called with {arguments}: {why}"), option.clone())
        }
        CallState::NotCalled { option, .. } => (format!("not called: {why}"), option.clone()),
    };
    let option = option.map(|option| neutralised(&option));
    Some(ToolLine { severity: Severity::Note, name: neutralised(&tool.name), is_number: false, text, option })
}

/// Further lines about the tools as a whole.
pub(super) fn about_tools(audit: &Audit) -> Vec<String> {
    let mut lines: Vec<String> = passed_over(audit).into_iter().collect();
    lines.extend(beyond_tools(audit).map(str::to_owned));
    lines
}

/// The command that calls the tools that were left out, if they are several.
pub(super) fn call_all(audit: &Audit, options: Options<'_>) -> Option<String> {
    let left = audit.tools.iter().filter(|tool| matches!(tool.call, CallState::NotCalled { option: Some(_), .. }));
    let is_tip = audit.cut_short.is_none() && left.count() > 1 && !options.server.is_empty();
    is_tip.then(|| format!("mcp-compat audit --call '*' --guess {}", options.server))
}

/// The first notes, a sentence each, if they are not shown whole. A note about something that the specification allows is
/// left out.
pub(super) fn short_notes(audit: &Audit, causes: &[Cause<'_>], options: Options<'_>) -> Vec<String> {
    if options.notes {
        return Vec::new();
    }
    let is_allowed = |cause: &Cause<'_>| {
        let mut rules = cause.rules().into_iter().filter_map(rules::find);
        rules.any(|rule| rule.level.newest() == Level::May)
    };
    let notes = causes.iter().filter(|cause| cause.severity == Severity::Note);
    let told = notes.filter(|cause| !is_known(cause, audit) && !is_allowed(cause));
    told.take(NOTES).map(|cause| format!("{}{}", whose(cause), cause.title())).collect()
}

/// The tools of a cause, as its title begins.
pub(super) fn whose(cause: &Cause<'_>) -> String {
    let tools: Vec<String> = cause.tools.iter().map(|tool| neutralised(tool)).collect();
    if tools.is_empty() { String::new() } else { format!("{}: ", first_of(&tools, TITLED)) }
}

/// Sentence before the command of `call_all`.
pub(super) const CALL_ALL: &str = "To call all tools that are not marked destructive (they may change something):";

/// The number of clients that get everything once all changes are made, if no single change does it.
pub(super) fn together(audit: &Audit) -> Option<String> {
    let out: BTreeSet<&PeerId> = audit.shut_out.iter().map(|loss| &loss.client).collect();
    let freed: Vec<&PeerId> = audit.together.iter().filter(|client| !out.contains(client)).collect();
    let is_enough = |frees: &[PeerId]| freed.iter().all(|client| frees.contains(client));
    if freed.is_empty() || audit.changes.iter().any(|change| is_enough(&change.frees)) {
        return None;
    }
    let lost: BTreeSet<&PeerId> = audit.tools.iter().flat_map(AuditedTool::breaks).map(|loss| &loss.client).collect();
    let left = lost.iter().filter(|client| !freed.contains(client)).count();
    let all = audit.in_session();
    Some(format!("All changes together: {} of {all} clients lose nothing (replayed)", all - left))
}

/// The last line: whether the audit fails, and the number of causes that are shown.
pub(super) struct Verdict {
    /// `FAILED`, `OK`, or `UNPROVEN` if no tool returned a result and none is lost.
    pub(super) word: &'static str,
    pub(super) tone: Tone,
    pub(super) text: String,
}

pub(super) fn verdict(audit: &Audit, causes: &[Cause<'_>], options: Options<'_>) -> Verdict {
    let (known, new): (Vec<&Cause<'_>>, Vec<&Cause<'_>>) = causes.iter().partition(|cause| is_known(cause, audit));
    let of = |severity: Severity| new.iter().filter(|cause| cause.severity == severity).count();
    let lost_to_most = audit.lost_to_most().filter(|tool| !is_known_loss(tool, audit));
    let most: Vec<&str> = lost_to_most.map(|tool| tool.name.as_str()).collect();
    let is_bad = of(Severity::Error) > 0 || !most.is_empty() || audit.cut_short.is_some();
    let failed = options.failed.unwrap_or(is_bad);
    let wrong = [Severity::Error, Severity::Warning].map(|severity| (of(severity), severity));
    let mut text = if wrong.iter().all(|(many, _)| *many == 0) {
        "no errors, no warnings".to_owned()
    } else {
        let some = wrong.into_iter().filter(|(many, _)| *many > 0);
        some.map(|(many, severity)| counted(many, severity.as_str())).collect::<Vec<_>>().join(", ")
    };
    if audit.cut_short.is_some_and(|cut| cut.not_checked > 0) {
        text.push_str(" in what was checked");
    }
    if !failed && of(Severity::Error) > 0 {
        text.push_str(" (the options let it pass)");
    }
    let others = not_met(audit).count();
    if others > 0 {
        text.push_str(&format!("; {} not met", counted(others, "expectation")));
    }
    if !known.is_empty() {
        text.push_str(&format!("; {} in the baseline", counted(known.len(), "known cause")));
    }
    if of(Severity::Error) == 0 && !most.is_empty() {
        text.push_str(&format!("; most clients lose {}", named(most, 3)));
    }
    if !has_result(audit) && !audit.tools.is_empty() {
        text.push_str("; no result was judged: no tool returned one");
    }
    let is_told = |tool: &AuditedTool| {
        let mut causes = causes.iter().filter(|cause| cause.severity > Severity::Note);
        causes.any(|cause| cause.tools.contains(&tool.name.as_str()))
    };
    let failed_calls = audit
        .tools
        .iter()
        .filter(|tool| matches!(tool.call, CallState::Failed { expected: false, .. }) && !is_told(tool))
        .count();
    if failed_calls > 0 {
        text.push_str(&format!("; {} failed", counted(failed_calls, "call")));
    }
    let notes = of(Severity::Note) + usize::from(!audit.profile_differences.is_empty());
    if notes > 0 {
        let hint = if options.notes { "" } else { " (--notes)" };
        text.push_str(&format!("; {}{hint}", counted(notes, "note")));
    }
    let (word, tone) = match (failed, is_unproven(audit)) {
        (true, _) => ("FAILED", Tone::Bad),
        (false, true) => ("UNPROVEN", Tone::Warning),
        (false, false) => ("OK", Tone::Good),
    };
    Verdict { word, tone, text }
}

fn has_result(audit: &Audit) -> bool {
    audit.tools.iter().any(|tool| matches!(tool.call, CallState::Answered { .. }))
}

/// Returns whether only the lists were judged: no tool returned a result, and none is lost. A loss is shown even where every
/// call fails.
pub(crate) fn is_unproven(audit: &Audit) -> bool {
    !has_result(audit) && audit.tools.iter().all(|tool| tool.losses.is_empty())
}

/// Clients that lose all tools because of one tool.
fn without_list(audit: &Audit) -> BTreeSet<&PeerId> {
    let losses = audit.tools.iter().flat_map(|tool| &tool.losses);
    losses.filter(|loss| loss.loses >= BlastRadius::Server).map(|loss| &loss.client).collect()
}

/// `6 of 13 clients lose all tools, 7 lose the call`.
pub(crate) fn losers_in_words(losers: &[(BlastRadius, usize)], all: usize) -> String {
    let of = format!(" of {}", counted(all, "client"));
    let part = |place: usize, losers: &(BlastRadius, usize)| losing(*losers, if place == 0 { &of } else { "" });
    losers.iter().enumerate().map(|(place, losers)| part(place, losers)).collect::<Vec<_>>().join(", ")
}

/// `7 lose the call`, with the whole between the number and the verb.
fn losing((loses, clients): (BlastRadius, usize), of: &str) -> String {
    format!("{clients}{of} {} {}", if clients == 1 { "loses" } else { "lose" }, wording::lost(loses))
}

/// Note on what an audit that ended early did not play, and what to do; `None` if the audit is complete.
pub(super) fn cut_short(audit: &Audit) -> Option<String> {
    audit.cut_short.map(|cut| incomplete(cut, !audit.changes.is_empty()))
}

fn incomplete(cut: CutShort, has_changes: bool) -> String {
    let CutShort { after_ms, not_called, not_played, not_checked } = cut;
    let advice = "Use a longer --audit-timeout, or select tools with --tool.";
    let (why, advice) = match after_ms {
        None => ("The audit was interrupted".to_owned(), ""),
        Some(ms @ 0..1_000) => (format!("Time ran out after {ms} ms"), advice),
        Some(ms @ 1_000..120_000) => (format!("Time ran out after {} s", ms / 1_000), advice),
        Some(ms @ 120_000..) => (format!("Time ran out after {} min", ms / 60_000), advice),
    };
    if not_called + not_played + not_checked == 0 {
        let lacks =
            if has_changes { "not every call was repeated" } else { "it may not say all that is to be changed" };
        return format!("{why}, so this report is incomplete: {lacks}. {advice}").trim_end().to_owned();
    }
    let (tools, plays) = (counted(not_called, "tool"), counted(not_played, "play"));
    let mut skipped = format!("{tools} not called, {plays} of a tool to a client skipped");
    if not_checked > 0 {
        skipped.push_str(&format!(", {} not checked by the rules", counted(not_checked, "tool")));
    }
    format!("{why}, so this report is incomplete: {skipped}. {advice}").trim_end().to_owned()
}

/// Number of tools that were not audited, and the reason; `None` if all were.
pub(super) fn passed_over(audit: &Audit) -> Option<String> {
    let more = match audit.passed_over.len() {
        0 => return None,
        many => counted(many, "more tool"),
    };
    Some(match audit.tool_limit {
        None => format!("{more} not selected"),
        Some(limit) => {
            format!("{more} not audited: an audit covers the first {limit} tools. To audit others, give --tool NAME")
        }
    })
}

/// Note that the numbers of the tools do not count an error in the list itself; `None` if it has none.
pub(super) fn beyond_tools(audit: &Audit) -> Option<&'static str> {
    let is_about_list = |finding: &AuditFinding| rules::find(&finding.rule) == Some(&rules::TOOLS_LIST_SHAPE);
    (!audit.tools.is_empty() && audit.findings.iter().any(is_about_list)).then_some(
        "Each tool was played in a list of its own. A client that rejects the list as it is loses all tools.",
    )
}

/// Names in code marks, the first few of many.
pub(super) fn named<'n>(names: impl IntoIterator<Item = &'n str>, most: usize) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", neutralised(name))).collect();
    first_of(&names, most)
}

/// Revisions, parted by commas.
pub(crate) fn dates<'r>(revisions: impl IntoIterator<Item = &'r Revision>) -> String {
    revisions.into_iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_that_ended_early_names_what_it_did_not_play() {
        let cut = CutShort { after_ms: None, not_called: 0, not_played: 26, not_checked: 0 };
        let begin = "The audit was interrupted, so this report is incomplete: 0 tools not called, 26 plays of a tool to a \
                     client skipped";
        assert_eq!(incomplete(cut, false), format!("{begin}."));
        assert_eq!(
            incomplete(CutShort { not_checked: 1, ..cut }, false),
            format!("{begin}, 1 tool not checked by the rules.")
        );
        let nothing = CutShort { not_played: 0, ..cut };
        let [repeated, changed] = [true, false].map(|has_changes| incomplete(nothing, has_changes));
        assert!(repeated.ends_with("so this report is incomplete: not every call was repeated."), "{repeated}");
        assert!(changed.ends_with("incomplete: it may not say all that is to be changed."), "{changed}");
        let late = incomplete(CutShort { after_ms: Some(2_000), ..cut }, false);
        assert!(late.starts_with("Time ran out after 2 s, so this report is incomplete: "), "{late}");
        assert!(late.ends_with(" Use a longer --audit-timeout, or select tools with --tool."), "{late}");
    }
}
