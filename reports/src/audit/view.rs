//! The content of an audit's report, each item once: findings by rule, losses by cause, tools by what is known of them.

use std::collections::{BTreeSet, HashMap};

use mcp_compat_judge::rules;
use mcp_compat_model::audit::{Audit, AuditFinding, AuditedTool, CallState, CutShort, Loss, Severity};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Outcome};
use mcp_compat_model::{PeerId, Revision};

use super::more;
use crate::text::clipped;

/// An audit, with each item once.
pub(super) struct View<'a> {
    pub(super) problems: Vec<Problem<'a>>,
    pub(super) damages: Vec<Damage<'a>>,
}

/// A rule that is violated, by however many tools.
pub(super) struct Problem<'a> {
    /// Finding about the first of the tools.
    pub(super) example: &'a AuditFinding,
    /// Tools that violate it; empty if it concerns the server as a whole.
    pub(super) tools: Vec<&'a str>,
    /// Number of findings of this rule about the server as a whole that are not shown.
    pub(super) more: usize,
    pub(super) at: BTreeSet<Revision>,
}

/// Number of findings of one rule about the server as a whole that are shown.
const GENERAL: usize = 5;

/// Losses of one cause, by the same clients.
pub(super) struct Damage<'a> {
    pub(super) example: &'a Loss,
    /// Tools that are affected; empty if no session was opened.
    pub(super) tools: Vec<&'a str>,
    pub(super) clients: BTreeSet<&'a PeerId>,
    pub(super) at: BTreeSet<Revision>,
}

impl<'a> View<'a> {
    pub(super) fn of(audit: &'a Audit) -> Self {
        let mut view = Self { problems: Vec::new(), damages: Vec::new() };
        let mut known = HashMap::new();
        let mut general: HashMap<&str, (usize, usize)> = HashMap::new();
        for finding in &audit.findings {
            let (many, last) = general.entry(&finding.rule).or_default();
            *many += 1;
            if *many > GENERAL {
                view.problems[*last].more += 1;
                continue;
            }
            *last = view.problems.len();
            let at = finding.at.iter().copied().collect();
            view.problems.push(Problem { example: finding, tools: Vec::new(), more: 0, at });
        }
        view.damages_of(&audit.shut_out, None, &mut known);
        for tool in &audit.tools {
            for finding in &tool.findings {
                view.problem(finding, &tool.name);
            }
            view.damages_of(&tool.losses, Some(&tool.name), &mut known);
        }
        view.problems.sort_by_key(|problem| std::cmp::Reverse(problem.example.severity));
        view.damages.sort_by_key(|damage| {
            let loss = damage.example;
            std::cmp::Reverse((loss.severity(), loss.loses, loss.silent, damage.clients.len()))
        });
        view
    }

    fn problem(&mut self, finding: &'a AuditFinding, tool: &'a str) {
        let same = |known: &&mut Problem<'_>| {
            let AuditFinding { rule, severity, way, .. } = known.example;
            (rule, *severity, way) == (&finding.rule, finding.severity, &finding.way) && !known.tools.is_empty()
        };
        match self.problems.iter_mut().find(same) {
            Some(known) => {
                known.tools.push(tool);
                known.at.extend(&finding.at);
            }
            None => {
                let at = finding.at.iter().copied().collect();
                self.problems.push(Problem { example: finding, tools: vec![tool], more: 0, at });
            }
        }
    }

    /// Adds the losses of one tool, or of the server as a whole. Tools are one entry if the same clients have the same
    /// loss by the same cause.
    fn damages_of(&mut self, losses: &'a [Loss], tool: Option<&'a str>, known: &mut Known<'a>) {
        let mut by_cause: Vec<(String, Damage<'a>)> = Vec::new();
        for loss in losses {
            // A client without a session has no revision at which it loses the tool.
            let at = if loss.outcome == Outcome::Unreachable { None } else { loss.negotiated };
            // The debug text is the key, because the values have neither an order nor a hash.
            let cause = format!("{:?}", (&loss.signature, loss.loses, loss.outcome, loss.rating, loss.fault));
            match by_cause.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, damage)) => {
                    damage.clients.insert(&loss.client);
                    damage.at.extend(at);
                }
                None => {
                    let (tools, clients) = (tool.into_iter().collect(), BTreeSet::from([&loss.client]));
                    let at = at.into_iter().collect();
                    by_cause.push((cause, Damage { example: loss, tools, clients, at }));
                }
            }
        }
        for (cause, damage) in by_cause {
            let place = *known.entry((cause, damage.clients.clone())).or_insert(self.damages.len());
            match self.damages.get_mut(place) {
                Some(same) => {
                    same.tools.extend(damage.tools);
                    same.at.extend(damage.at);
                }
                None => self.damages.push(damage),
            }
        }
    }
}

/// Index of the damage of a cause to a set of clients.
type Known<'a> = HashMap<(String, BTreeSet<&'a PeerId>), usize>;

impl Damage<'_> {
    /// Name of what is lost.
    pub(super) const fn words(&self) -> &'static str {
        lost(self.example.loses)
    }
}

/// Name of what is lost.
pub(super) const fn lost(loses: BlastRadius) -> &'static str {
    match loses {
        BlastRadius::Call => "the call",
        BlastRadius::Tool => "the tool",
        BlastRadius::Server => "all tools of the server",
        BlastRadius::Session => "the whole session",
    }
}

/// Number of tools without an outputSchema that are shown one by one.
const PLAIN: usize = 5;

/// Parts the tools into those that are shown one by one and those that are shown in one line, because they declare no
/// outputSchema, have no problem and no client loses them.
pub(super) fn one_by_one(audit: &Audit) -> (Vec<&AuditedTool>, Vec<&AuditedTool>) {
    let is_plain = |tool: &&AuditedTool| !tool.declares_output && is_safe(tool);
    let (plain, alone): (Vec<_>, Vec<_>) = audit.tools.iter().partition(is_plain);
    if plain.len() > PLAIN { (alone, plain) } else { (audit.tools.iter().collect(), Vec::new()) }
}

/// Returns whether nothing is wrong with a tool and no client loses it, as far as that is known.
pub(super) fn is_safe(tool: &AuditedTool) -> bool {
    let wrong = tool.findings.iter().any(|finding| finding.severity > Severity::Note);
    !wrong && tool.losses.is_empty() && tool.not_played + tool.not_known == 0 && !tool.unchecked
}

/// Line about the tools without an outputSchema that are not shown one by one.
pub(super) fn in_one_line(audit: &Audit, plain: &[&AuditedTool]) -> Option<String> {
    if plain.is_empty() {
        return None;
    }
    let gain = match plain.iter().filter(|tool| tool.hides_value).count() {
        0 => String::new(),
        gain => format!("; {} of them would gain from one", thousands(gain as u64)),
    };
    let not_called = plain.iter().filter(|tool| matches!(tool.call, CallState::NotCalled { .. })).count();
    let calls = match not_called {
        0 => String::new(),
        many => {
            let many = thousands(many as u64);
            format!(". {many} of them were not called; call them with --call TOOL='{{…}}' or --calls FILE")
        }
    };
    let many = counted(plain.len(), "tool");
    Some(if plain.len() == audit.tools.len() {
        format!("{many}, none declares an outputSchema, so structured output cannot break{gain}{calls}")
    } else {
        format!("{many} declare no outputSchema, and no client loses them{gain}{calls}")
    })
}

/// The clients that lose all tools because of one tool.
pub(super) fn without_list(audit: &Audit) -> BTreeSet<&PeerId> {
    let losses = audit.tools.iter().flat_map(|tool| &tool.losses);
    losses.filter(|loss| loss.loses >= BlastRadius::Server).map(|loss| &loss.client).collect()
}

/// Number of clients that lose nothing with a tool, and losses of the others. `without_list` are the clients that lose
/// all tools.
pub(super) fn clients_of(tool: &AuditedTool, audit: &Audit, without_list: &BTreeSet<&PeerId>) -> String {
    let all = counted(audit.in_session(), "client");
    let others = [(tool.not_played, "not played"), (tool.not_known, "not known")].into_iter();
    let others: String = others.filter(|(many, _)| *many > 0).map(|(many, how)| format!(", {many} {how}")).collect();
    if tool.fine + tool.losses.len() == 0 && tool.not_replayable {
        return "not replayed to clients".to_owned();
    }
    if matches!(tool.call, CallState::Answered { .. }) {
        return format!("{} of {all} fine{others}", tool.fine);
    }
    // A client that loses the list because of another tool does not list this one either.
    let is_of_the_call = |loss: &&Loss| loss.loses == BlastRadius::Call && !without_list.contains(&loss.client);
    let of_the_call = || tool.losses.iter().filter(is_of_the_call);
    let mut text = format!("{} of {all} list it{others}", tool.fine + of_the_call().count());
    let masked = of_the_call().filter(|loss| loss.outcome == Outcome::Masked).count();
    for (many, one, more) in [
        (masked, "replaces the error of the call with its own", "replace the error of the call with their own"),
        (of_the_call().count() - masked, "loses the call", "lose the call"),
    ] {
        if many > 0 {
            text = format!("{text}; {many} {}", if many == 1 { one } else { more });
        }
    }
    text
}

/// The clients that all changes together fix, each written by `show`.
pub(super) fn together(audit: &Audit, show: impl Fn(&str) -> String) -> Option<String> {
    let ids: Vec<String> = audit.together.iter().map(|client| show(client.as_str())).collect();
    let many = counted(ids.len(), "client");
    (!ids.is_empty()).then(|| format!("All changes together fix {many}: {}", ids.join(", ")))
}

/// The last line of a report.
pub(super) fn sum(audit: &Audit) -> String {
    let losers = losers(audit);
    let most: Vec<&str> = audit.lost_to_most().map(|tool| tool.name.as_str()).collect();
    let most = if most.is_empty() { String::new() } else { format!("; most clients lose {}", named(most, 3)) };
    let number = audit.clients.len();
    let clients = counted(number, "client");
    let real = match audit.real_clients().count() {
        0 => String::new(),
        real => format!(" ({real} real)"),
    };
    let lose = |how_many: usize| if how_many == 1 { "loses" } else { "lose" };
    let has_result = audit.tools.iter().any(|tool| matches!(tool.call, CallState::Answered { .. }));
    let all_known = audit.tools.iter().all(|tool| tool.not_known == 0);
    let all_played = audit.cut_short.is_none_or(|cut| cut.not_played == 0);
    let is_whole = has_result && all_known && all_played && audit.tool_limit.is_none() && beyond_tools(audit).is_none();
    let lost = match losers {
        0 if is_whole => format!("{clients}{real} {} nothing", lose(number)),
        0 => "no loss was found in what was played".to_owned(),
        losers => format!("{losers} of {clients}{real} {} something", lose(losers)),
    };
    let partly = audit.cut_short.is_some_and(|cut| cut.not_checked > 0);
    let checked = if partly { " in what was checked" } else { "" };
    format!("{}{checked}; {lost}{most}{}", tally(audit), unanswered(audit))
}

/// Note that no tool returned a result, or on the number of calls that failed.
fn unanswered(audit: &Audit) -> String {
    let many = |is: fn(&CallState) -> bool| audit.tools.iter().filter(|tool| is(&tool.call)).count();
    let answered = many(|call| matches!(call, CallState::Answered { .. }));
    let failed = many(|call| matches!(call, CallState::Failed { .. }));
    match (answered, failed) {
        (0, _) if !audit.tools.is_empty() => "; no tool returned a result".to_owned(),
        (_, 0) => String::new(),
        (_, failed) => format!("; {} failed", counted(failed, "call")),
    }
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

/// State of a tool in a few words: its calls, and whether the rules were checked.
pub(super) fn state(tool: &AuditedTool) -> String {
    let unchecked = if tool.unchecked { ", not checked by the rules" } else { "" };
    format!("{}{unchecked}", called(tool))
}

/// Result of the calls of a tool in a few words.
fn called(tool: &AuditedTool) -> String {
    match &tool.call {
        CallState::Answered { at, again, failed, .. } => {
            let again = if *again { ", twice at the newest" } else { "" };
            let failed: Vec<&str> = failed.iter().map(|revision| revision.as_str()).collect();
            let failed = if failed.is_empty() { String::new() } else { format!(", failed at {}", failed.join(", ")) };
            format!("called at {}{again}{failed}", counted(at.len(), "revision"))
        }
        CallState::Failed { .. } if tool.losses.iter().any(|loss| loss.outcome == Outcome::Hung) => {
            "no answer to the call".to_owned()
        }
        CallState::Failed { .. } => "the call failed".to_owned(),
        CallState::NotCalled { .. } => "not called".to_owned(),
    }
}

/// Number of tools that were not audited, and the reason; `None` if all were.
pub(super) fn passed_over(audit: &Audit) -> Option<String> {
    let more = match audit.passed_over.len() {
        0 => return None,
        many => more(many),
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
    audit.findings.iter().any(is_about_list).then_some(
        "Each tool was played in a list of its own. A client that rejects the list as it is loses all tools.",
    )
}

/// Number of characters of the arguments and of the error of a call that are shown.
const SHOWN: usize = 400;

/// Beginning of a text of any length.
fn shown(text: &str) -> String {
    clipped(&neutralised(text), SHOWN)
}

/// Returns the reason why there is no result of a tool, and the option that calls it.
pub(super) fn missing_result(tool: &AuditedTool) -> Option<(String, Option<&str>)> {
    match &tool.call {
        CallState::Answered { .. } => None,
        CallState::Failed { arguments, why, option } => {
            let why = format!("failed with {}: {}", shown(arguments), shown(why));
            Some((why, option.as_deref()))
        }
        CallState::NotCalled { why, option } => Some((format!("not called: {}", shown(why)), option.as_deref())),
    }
}

/// Returns whether no tool was called although an option would call several of them.
pub(super) fn could_call_all(audit: &Audit) -> bool {
    let is_left = |tool: &AuditedTool| matches!(tool.call, CallState::NotCalled { .. });
    let could_be = |tool: &&AuditedTool| matches!(tool.call, CallState::NotCalled { option: Some(_), .. });
    audit.cut_short.is_none() && audit.tools.iter().all(is_left) && audit.tools.iter().filter(could_be).count() > 1
}

/// Names in code marks, the first few of many.
pub(super) fn named<'n>(names: impl IntoIterator<Item = &'n str>, most: usize) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", neutralised(name))).collect();
    let more = names.len().saturating_sub(most);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Revisions, parted by commas.
pub(super) fn dates<'r>(revisions: impl IntoIterator<Item = &'r Revision>) -> String {
    revisions.into_iter().map(|revision| revision.as_str()).collect::<Vec<_>>().join(", ")
}

/// `2 errors, 1 warning, no notes`.
pub(super) fn tally(audit: &Audit) -> String {
    let of = |severity: Severity| match audit.count(severity) {
        0 => format!("no {severity}s"),
        number => counted(number, severity.as_str()),
    };
    [Severity::Error, Severity::Warning, Severity::Note].map(of).join(", ")
}

/// Number of clients that lose something.
pub(super) fn losers(audit: &Audit) -> usize {
    let losses = audit.shut_out.iter().chain(audit.tools.iter().flat_map(|tool| &tool.losses));
    losses.map(|loss| &loss.client).collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::Rating;

    use super::*;

    fn loss(client: &str, outcome: Outcome) -> Loss {
        Loss {
            client: PeerId::new(client).unwrap(),
            negotiated: Some(Revision::V2025_11_25),
            rating: Rating::Breaks,
            outcome,
            silent: false,
            loses: BlastRadius::Call,
            fault: None,
            signature: None,
            reason: String::new(),
        }
    }

    #[test]
    fn tools_are_one_entry_if_the_same_clients_lose_them() {
        let of = |clients: &[&str]| clients.iter().map(|client| loss(client, Outcome::Rejected)).collect();
        let [both, one, again]: [Vec<Loss>; 3] = [of(&["a", "b"]), of(&["a"]), of(&["b", "a"])];
        let mut view = View { problems: Vec::new(), damages: Vec::new() };
        let mut known = HashMap::new();
        for (tool, losses) in [("wide", &both), ("narrow", &one), ("wide_too", &again)] {
            view.damages_of(losses, Some(tool), &mut known);
        }
        let shown: Vec<_> = view.damages.iter().map(|damage| (damage.tools.clone(), damage.clients.len())).collect();
        assert_eq!(shown, [(vec!["wide", "wide_too"], 2), (vec!["narrow"], 1)]);
    }

    #[test]
    fn a_client_without_a_session_loses_nothing_at_a_revision() {
        for (outcome, at) in [(Outcome::Rejected, vec![Revision::V2025_11_25]), (Outcome::Unreachable, vec![])] {
            let losses = [loss("a", outcome), loss("b", outcome)];
            let mut view = View { problems: Vec::new(), damages: Vec::new() };
            view.damages_of(&losses, Some("wide"), &mut HashMap::new());
            let shown: Vec<Vec<_>> = view.damages.iter().map(|damage| damage.at.iter().copied().collect()).collect();
            assert_eq!(shown, [at], "{outcome}");
        }
    }

    #[test]
    fn tools_that_violate_a_rule_in_different_ways_are_different_entries() {
        let finding = |way: Option<&str>| AuditFinding {
            severity: Severity::Warning,
            rule: "text-fallback".to_owned(),
            detail: String::new(),
            way: way.map(str::to_owned),
            at: Vec::new(),
            source: None,
            remedy: String::new(),
            wire: None,
        };
        let tools_of = |ways: [Option<&str>; 3]| {
            let findings = ways.map(finding);
            let mut view = View { problems: Vec::new(), damages: Vec::new() };
            for (found, tool) in findings.iter().zip(["a", "b", "c"]) {
                view.problem(found, tool);
            }
            view.problems.iter().map(|problem| problem.tools.concat()).collect::<Vec<_>>()
        };
        assert_eq!(tools_of([Some("empty text"), Some("prose"), Some("empty text")]), ["ac", "b"]);
        assert_eq!(tools_of([None; 3]), ["abc"], "the first is an example of the others");
    }

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
