//! Conclusions from the variations that a client does not bear.

use std::cmp::Reverse;

use mcp_compat_judge::rules;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{Conclusion, Loss};
use mcp_compat_model::count::counted;
use mcp_compat_model::excerpt::{bounded, quoted};
use mcp_compat_model::verdict::Fault;
use mcp_compat_run::black_box::error_excerpt;

use super::super::clause;
use super::Failed;
use super::left_out::LeftOut;
use super::of_plain::broken;
use super::played::LINE;
use super::row::{Basis, Lack, SPEC};
use super::verdict::Failure;
use super::words::{did, ended, lost};

/// The conclusions, those of one cause together. What most servers do comes first.
pub(super) fn conclusions(failed: &[Failed], left_out: Option<&LeftOut>) -> Vec<Conclusion> {
    let is_of_shape = |it: &&Failed| {
        let called = it.seen.tools.last().filter(|_| it.failure == Failure::NoCall && it.seen.tools.len() == 1);
        called.is_some_and(|tool| left_out.is_some_and(|left_out| left_out.explains(tool)))
    };
    let (of_shape, others): (Vec<&Failed>, Vec<&Failed>) = failed.iter().partition(is_of_shape);
    let mut together: Vec<Vec<&Failed>> = Vec::new();
    for one in others.into_iter().filter(|it| !is_explained(it, failed)) {
        let is_alike = |known: &&mut Vec<&Failed>| is_alike(known[0], one);
        match together.iter_mut().find(is_alike) {
            Some(known) => known.push(one),
            None => together.push(vec![one]),
        }
    }
    together.sort_by_key(|alike| !alike.iter().any(|it| it.row.is_common));
    let left_out = left_out.map(|left_out| of_left_out(left_out, &of_shape));
    left_out.into_iter().chain(together.iter().map(|alike| of(alike))).collect()
}

/// Number of the tools of a shape that are named.
const NAMED: usize = 6;

/// The conclusion from tools that are left out for their shape. `alone` are failures with such a tool alone.
fn of_left_out(left_out: &LeftOut, alone: &[&Failed]) -> Conclusion {
    let shape = |(feature, tools): &(_, Vec<String>)| {
        let named: Vec<String> = tools.iter().take(NAMED).map(|name| quoted(name)).collect();
        let more = if tools.len() > NAMED { format!(" and {} more", tools.len() - NAMED) } else { String::new() };
        format!("{}: {}{more}", left_out.words(feature), named.join(", "))
    };
    let shapes: Vec<String> = left_out.shapes.iter().map(shape).collect();
    let told = left_out.told.as_deref().map(|line| bounded(line.trim_end_matches('.'), LINE));
    let wrote = told.as_deref().map_or_else(String::new, |line| format!(", and wrote: {}", clause(line)));
    let number = left_out.tools().count();
    let what = format!(
        "The client took {} of the {} tools that were listed, and left {number} out. Only these have {}. Each is legal. The client \
         called or printed none of them{wrote}. Lost with such servers: {}{}. To fix in the client: take every tool that \
         is listed: each of these inputSchemas is JSON Schema, and each name is legal.",
        left_out.listed - number,
        left_out.listed,
        shapes.join("; or "),
        if number == 1 { "that tool" } else { "those tools" },
        if told.is_some() { "" } else { ", without an error" },
    );
    Conclusion {
        fault: Some(Fault::Client),
        lost: Some(Loss::Tool),
        silent: told.is_none(),
        source: Some(format!("{SPEC}schema#tool")),
        variations: left_out.variations.iter().cloned().chain(alone.iter().map(|it| it.id())).collect(),
        ..Conclusion::of_client(Severity::Error, what)
    }
}

/// Returns true if another variation shows why. A client that reads no event stream gets nothing of a server that sends one,
/// whatever is in it. One that answers no `ping` leaves a request of a method that it does not know unanswered too.
fn is_explained(one: &Failed, failed: &[Failed]) -> bool {
    let reads_no_events = failed.iter().any(|it| it.row.lacks == Some(Lack::Events));
    if reads_no_events && one.row.lacks.is_none() && one.seen.is_in_events {
        return true;
    }
    let is_silent = |it: &Failed| it.failure == Failure::NoReply && it.row.declared.is_none();
    is_silent(one) && one.row.is_practice && failed.iter().any(|it| is_silent(it) && !it.row.is_practice)
}

/// Returns true if two variations have one cause: the same thing is to be done, or the client ended with the same words in
/// both of a group, or with the same error at the list. Where a result is not shown, as much of it is lost in both.
fn is_alike(one: &Failed, other: &Failed) -> bool {
    let words = |it: &Failed| error_excerpt(&it.seen.end.words);
    let at_list = |it: &Failed| it.failure == Failure::NoCall && !it.seen.ended_well();
    if at_list(one) && at_list(other) && is_same_error(&words(one), &words(other)) {
        return true;
    }
    let has_rule = |it: &Failed| matches!(it.row.basis, Basis::Rule(_));
    let is_same_end = one.group == other.group
        && one.failure == other.failure
        && severity(one) == severity(other)
        && !words(one).is_empty()
        && words(one) == words(other)
        && !has_rule(one)
        && !has_rule(other);
    // A result of which nothing is shown, and one of which a part is, are two losses.
    let loses_alike = !matches!((&one.failure, &other.failure), (Failure::NotShown(_), Failure::NotShown(_)))
        || one.seen.shows_any() == other.seen.shows_any();
    loses_alike && (one.row.remedy == other.row.remedy || is_same_end)
}

/// Returns true if two texts are one error, but for the names that they quote. A time that is up says nothing of the cause.
fn is_same_error(one: &str, other: &str) -> bool {
    let unquoted = |words: &str| words.split(['\'', '"', '`']).step_by(2).collect::<String>();
    let is_timeout = |words: &str| ["timeout", "timed out"].iter().any(|it| words.to_lowercase().contains(it));
    !one.is_empty() && unquoted(one) == unquoted(other) && !is_timeout(one)
}

/// Number of remedies from which on they have no common one.
const REMEDIES: usize = 3;

fn severity(failed: &Failed) -> Severity {
    // A program that ends has no other request to send in a new session.
    let is_of_program = matches!(failed.failure, Failure::NotReopened { later: 0 } | Failure::NotRelisted);
    let is_undeclared = failed.failure == Failure::NoReply && failed.row.declared.is_none();
    // The server broke a rule, and the user is told.
    if failed.row.is_practice && failed.failure == Failure::Ended {
        return Severity::Note;
    }
    // No rule of MCP forbids to send more than the schema has.
    let is_mild = is_of_program || is_undeclared || matches!(failed.failure, Failure::Undeclared(_));
    // The user gets nothing at all, and is not told.
    let is_gone = matches!(failed.failure, Failure::NotShown(_)) && is_silent(failed) && !failed.seen.shows_any();
    let is_limit = matches!(failed.failure, Failure::ToolsMissed { is_limit: true, .. });
    match failed.row.severity {
        severity if is_mild => severity.min(Severity::Warning),
        severity if is_gone || is_limit => severity.max(Severity::Warning),
        severity => severity,
    }
}

/// Returns true if the user is told of no error.
fn is_silent(failed: &Failed) -> bool {
    let is_of_such = matches!(
        failed.failure,
        Failure::NotShown(_)
            | Failure::Foreign(_)
            | Failure::Dropped
            | Failure::NotRelisted
            | Failure::PagesMissed
            | Failure::ToolsMissed { .. }
    );
    is_of_such && failed.seen.ended_well() && failed.told.is_none()
}

fn of(alike: &[&Failed]) -> Conclusion {
    let badness = |it: &Failed| (severity(it), Reverse(it.failure.stage()));
    let Some(worst) = alike.iter().rev().max_by_key(|it| badness(it)) else { unreachable!("a cause has a variation") };
    let (Failed { row, failure, .. }, severity) = (worst, severity(worst));
    let mut does: Vec<&str> = alike.iter().map(|it| it.row.does).collect();
    does.dedup();
    let mut remedies: Vec<&str> = alike.iter().map(|it| it.row.remedy).collect();
    remedies.dedup();
    let others = does.len().saturating_sub(REMEDIES - 1);
    let is_of_one_error = remedies.len() >= REMEDIES;
    if is_of_one_error {
        does.truncate(REMEDIES - 1);
        remedies = vec!["mend what this error names: it is the same with each of these servers"];
    }
    if *failure == Failure::NotGivenUp {
        return given_up(worst);
    }
    let lost = lost(worst);
    let silently = if is_silent(worst) { ", without an error" } else { "" };
    let told =
        lost.as_ref().map_or_else(String::new, |(_, lost)| format!(" Lost with such servers: {lost}{silently}."));
    let what = format!(
        "The server {}{}. {} The client {}.{told} To fix in the client: {}.",
        does.join(", or it "),
        if is_of_one_error { format!(", or does {}", counted(others, "more such thing")) } else { String::new() },
        match (row.is_practice, does.len()) {
            (true, _) => "No rule allows that, but servers do it.",
            (false, 1) => "That is legal.",
            (false, _) => "Each is legal.",
        },
        did(worst),
        remedies.join("; ")
    );
    let rule = match row.basis {
        Basis::Rule(id) => rules::find(id),
        Basis::Section(_) | Basis::Address(_) => None,
    };
    Conclusion {
        is_the_clients: severity > Severity::Note,
        fault: (severity > Severity::Note).then_some(Fault::Client),
        silent: is_silent(worst),
        lost: lost.and_then(|(loss, _)| loss),
        rule: rule.map(broken),
        source: match row.basis {
            Basis::Rule(_) => None,
            Basis::Section(section) => Some(format!("{SPEC}{section}")),
            Basis::Address(address) => Some(address.to_owned()),
        },
        variations: alike.iter().map(|it| it.id()).collect(),
        ..Conclusion::of_client(severity, what)
    }
}

/// The note on a fault of servers, for clients that wait on.
fn given_up(failed: &Failed) -> Conclusion {
    let what = format!(
        "The server {}. That is a fault of the server: it may cancel only requests of its own, and owes the client an error as \
         the answer. The client breaks no rule: it waited on, and {}. Lost with such servers: the call, until the client's own \
         time limit. A client may fail such a call at once.",
        failed.row.does,
        if failed.seen.has_hung() { "was stopped".to_owned() } else { ended(failed) }
    );
    Conclusion {
        is_the_clients: false,
        lost: Some(Loss::Call),
        source: match failed.row.basis {
            Basis::Section(section) => Some(format!("{SPEC}{section}")),
            Basis::Rule(_) | Basis::Address(_) => None,
        },
        variations: vec![failed.id()],
        ..Conclusion::of_client(Severity::Note, what)
    }
}

#[cfg(test)]
mod tests {
    use super::super::left_out::left_out;
    use super::super::played::Played;
    use super::super::played::tests::{listing, played};
    use super::super::row::{Row, row};
    use super::*;

    #[test]
    fn one_error_at_many_lists_is_one_cause() {
        const BOUNDS: Row = row("bounds", "lists bounds", |_| {}).fix("accept bounds", Basis::Section("schema#tool"));
        const TUPLE: Row = row("tuple", "lists a tuple", |_| {}).fix("accept tuples", Basis::Section("schema#tool"));
        const DEFAULTS: Row =
            row("defaults", "lists defaults", |_| {}).fix("accept defaults", Basis::Section("schema#tool"));
        let failed = |row: &'static Row, words: &str| {
            let mut seen = played(&["initialize", "tools/list"], Some(1), "");
            seen.end.words = words.to_owned();
            Failed { group: row.id, row, failure: Failure::NoCall, seen, told: None }
        };
        let all = [
            failed(&BOUNDS, "error: array 'l' has no items"),
            failed(&TUPLE, "error: array 'p' has no items"),
            failed(&DEFAULTS, "error: array 'list' has no items"),
        ];
        assert!(is_alike(&all[0], &all[1]) && is_alike(&all[1], &all[2]));
        let what = of(&all.iter().collect::<Vec<_>>()).what;
        assert!(what.starts_with("The server lists bounds, or it lists a tuple, or does 1 more such thing."), "{what}");
        assert!(
            what.ends_with(
                "To fix in the client: mend what this error names: it is the same with each of these servers."
            )
        );
        assert!(!is_alike(&all[0], &failed(&TUPLE, "error: tuples are not known")));
        let late = |row| failed(row, "error: timed out");
        assert!(!is_alike(&late(&BOUNDS), &late(&TUPLE)), "that says nothing of the cause");
    }

    #[test]
    fn a_part_of_a_result_that_is_not_shown_is_not_told_as_the_whole() {
        const ALONE: Row = row("alone", "returns a value", |_| {}).fix("show it", Basis::Section("schema#tool"));
        const BESIDE: Row = row("beside", "adds a text", |_| {}).fix("show it", Basis::Section("schema#tool"));
        let failed = |row: &'static Row, output| {
            let seen = played(&["initialize", "tools/list", "tools/call"], Some(0), output);
            Failed { group: "g", row, failure: Failure::NotShown("value"), seen, told: None }
        };
        let (nothing, part) = (failed(&ALONE, "None"), failed(&BESIDE, "The sum is 8."));
        assert!(!is_alike(&nothing, &part) && is_alike(&nothing, &failed(&BESIDE, "None")));
    }

    #[test]
    fn a_client_that_reads_no_event_stream_is_not_blamed_for_what_is_in_one() {
        const PLAIN: Row = row("plain", "answers with event streams", |_| {}).lacks(Lack::Events);
        const LOG: Row = row("log", "sends a log", |_| {});
        let failed = |row: &'static Row, is_in_events| {
            let seen = Played { is_in_events, ..played(&[], None, "") };
            Failed { group: "g", row, failure: Failure::NoAnswer, seen, told: None }
        };
        let all = [failed(&PLAIN, true), failed(&LOG, true), failed(&LOG, false)];
        let explained: Vec<bool> = all.iter().map(|one| is_explained(one, &all)).collect();
        assert_eq!(explained, [false, true, false]);
        assert!(!is_explained(&all[1], &all[1..]), "it reads event streams");
    }

    #[test]
    fn tools_that_are_left_out_are_one_finding_with_their_shape() {
        const TOOLS: [(&str, &str); 4] = [
            ("plain", r#"{"type":"object","properties":{}}"#),
            ("text", r#"{"type":"object","properties":{"t":{"type":"string"}}}"#),
            ("number", r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#),
            ("any", r#"{"type":"object","properties":{"v":{}}}"#),
        ];
        let seen = listing(&TOOLS, &["plain", "text", "number"], "Skipping tool 'any': it has no types.");
        let found = conclusions(&[], left_out([&seen]).as_ref());
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].what,
            "The client took 3 of the 4 tools that were listed, and left 1 out. Only these have a parameter without `type` (nothing \
             in its place): `any`. Each is legal. The client called or printed none of them, and wrote: Skipping tool 'any': \
             it has no types. Lost with such servers: that tool. To fix in the client: take every tool that is listed: each of \
             these inputSchemas is JSON Schema, and each name is legal."
        );
        assert_eq!((found[0].lost, found[0].silent), (Some(Loss::Tool), false));
    }

    #[test]
    fn a_result_that_is_gone_without_a_word_is_a_warning_at_least() {
        const QUIET: Row = row("value", "returns a value", |_| {}).severity(Severity::Note);
        let failed = |output| {
            let seen = played(&["initialize", "tools/list", "tools/call"], Some(0), output);
            Failed { group: "g", row: &QUIET, failure: Failure::NotShown("value"), seen, told: None }
        };
        assert_eq!(
            (severity(&failed("None")), severity(&failed("The sum is 8."))),
            (Severity::Warning, Severity::Note)
        );
    }
}
