//! Words for what a client did with a variation, and for what is lost with such servers.

use mcp_compat_model::client_audit::Loss;
use mcp_compat_model::count::counted;
use mcp_compat_run::black_box::error_excerpt;

use super::super::clause;
use super::Failed;
use super::played::Played;
use super::row::{Kind, Lack};
use super::rows_of_results::SHOWN;
use super::verdict::{Failure, Mistyped};

/// Action of the client, after the words "the client".
pub(super) fn did(failed: &Failed) -> String {
    let seen = &failed.seen;
    let ended = || ended(failed);
    let and_ended = || if seen.ended_well() { wrote(failed) } else { format!(", and {}", ended()) };
    match &failed.failure {
        Failure::Hung => hung(failed),
        Failure::NoList => format!("got no list of tools, and {}", ended()),
        Failure::NoCall => format!("called nothing after the list, and {}", ended()),
        Failure::NoAnswer => format!("got no answer to its call, and {}", ended()),
        // An error may quote the result.
        Failure::Ended if seen.shows(SHOWN) && !error_excerpt(&seen.end.words).contains(SHOWN) => {
            format!("showed the result, and {}", ended())
        }
        Failure::Ended => format!("was sent the answer to its call, and {}", ended()),
        Failure::NotShown(text) if seen.shows_any() => {
            format!("showed the rest of the result, and not `{text}`{}", and_ended())
        }
        Failure::NotShown(text) => format!("showed nothing of the result (`{text}`){}", and_ended()),
        Failure::Foreign(text) => {
            format!("showed `{text}`, which is not the answer to its call, in place of the result")
        }
        Failure::NotTold => format!("did not show the message of the error, and {}", ended()),
        Failure::NotReopened { later: 0 } => format!("opened no new session, and {}", ended()),
        Failure::NotReopened { later } => {
            format!("opened no new session, and sent {} with the id of the old one", counted(*later, "more request"))
        }
        Failure::Stayed => "went on at this revision".to_owned(),
        Failure::OtherRevision(version) => format!("went on with MCP-Protocol-Version: {version}"),
        Failure::NotResumed => format!("did not resume the stream{}", and_ended()),
        Failure::ToolsMissed { called, listed, is_limit } => {
            let always = if *is_limit { ", and as many of other lists that have more" } else { "" };
            format!("called {called} of the {listed} tools{always}")
        }
        Failure::PagesMissed => format!("did not ask for every page{}", and_ended()),
        Failure::Unlisted(name) => format!("called `{name}`, which the server does not list"),
        Failure::Missing { tool, names } => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("called `{tool}` without {}, which its inputSchema requires", names.join(", "))
        }
        Failure::Dropped => "wrote the same as for an empty result".to_owned(),
        Failure::NoReply => "sent no answer to it".to_owned(),
        Failure::Unserved => "answered it with the error -32601: it does not know the method".to_owned(),
        Failure::Waited => "ended only after the stream had ended".to_owned(),
        Failure::NotRelisted => "called a tool again later, and asked for no new list".to_owned(),
        Failure::Undeclared(name) => format!("sent the argument `{name}`, which the inputSchema does not declare"),
        Failure::NotGivenUp => "waited on for the answer".to_owned(),
        Failure::WrongTypes(found) => format!("sent {}", found.iter().map(mistyped).collect::<Vec<_>>().join("; and ")),
    }
}

/// Place at which a client had to be stopped.
fn hung(failed: &Failed) -> String {
    let seen = &failed.seen;
    let stage = match seen {
        _ if !seen.listed() => "got no list of tools",
        _ if !seen.called() => "called nothing after the list",
        _ if !seen.answered() => "got no answer to its call",
        _ if seen.has_text() && seen.shows(SHOWN) => "showed the result",
        _ => "was sent the answer to its call",
    };
    format!("{stage}, did not end in time and was stopped{}", wrote(failed))
}

fn mistyped(Mistyped { name, due, sent }: &Mistyped) -> String {
    if let Kind::Object(member) = due
        && sent.starts_with('{')
    {
        return format!("`{name}` as {sent}, and its schema requires the member `{member}`");
    }
    format!("`{name}` as {sent}, and its schema has the type {}", due.name())
}

/// The line of an error that a client wrote, at the end of a clause.
fn wrote(failed: &Failed) -> String {
    failed.told.as_deref().map_or_else(String::new, |line| format!(", and wrote: {}", clause(line)))
}

/// End of the client, after the words "the client", with its error.
pub(super) fn ended(failed: &Failed) -> String {
    let seen = &failed.seen;
    let Some(exit) = seen.end.exit else { return format!("did not end{}", wrote(failed)) };
    let words = clause(&error_excerpt(&seen.end.words));
    match () {
        () if seen.ended_well() => match &failed.told {
            Some(line) => format!("ended with {exit} and wrote: {}", clause(line)),
            None => format!("ended with {exit}"),
        },
        () if words.is_empty() => format!("ended with {exit}"),
        () => format!("ended with {exit}: {words}"),
    }
}

/// The end of what a plain server showed of a client, which has no line to be compared with.
pub(super) fn ended_with(plain: &Played) -> String {
    let words = clause(&error_excerpt(&plain.end.words));
    let how = plain.end.exit.map_or_else(|| "did not end".to_owned(), |exit| format!("ended with {exit}"));
    if words.is_empty() || plain.ended_well() { how } else { format!("{how}: {words}") }
}

/// Loss with such servers, in words too. It has no name if only some of these servers cause it.
pub(super) fn lost(failed: &Failed) -> Option<(Option<Loss>, &'static str)> {
    let (row, seen) = (failed.row, &failed.seen);
    let is_told = failed.told.is_some() || !seen.ended_well();
    let (loss, words) = match &failed.failure {
        Failure::Hung if !seen.called() => (Loss::Session, "the session: the client goes on waiting"),
        Failure::Hung if seen.has_text() && seen.shows(SHOWN) => {
            (Loss::Call, "the end of the session: it does not close")
        }
        Failure::Hung => (Loss::Session, "the call and all after it: the client goes on waiting"),
        Failure::NoList => (Loss::Session, "the session"),
        Failure::NoCall if row.is_of_tool => (Loss::Tool, "the tool"),
        Failure::NoCall => (Loss::Tools, "all tools"),
        Failure::NoAnswer | Failure::Ended | Failure::NotResumed => (Loss::Call, "the call"),
        Failure::NotShown(_) if row.lacks == Some(Lack::Events) => (Loss::Call, "every answer"),
        Failure::NotShown(_) => match (seen.shows_any(), is_told) {
            (false, true) => (Loss::Call, "the call"),
            (false, false) => (Loss::Call, "the whole result"),
            (true, _) => (Loss::Value, "this part of the result"),
        },
        Failure::Unlisted(_) => (Loss::Tool, "the tools with such names"),
        Failure::Missing { .. } => (Loss::Call, "the call, if they validate arguments"),
        Failure::Dropped => (Loss::Call, "the whole result"),
        Failure::Foreign(_) => (Loss::Value, "the result: its user gets a wrong one"),
        Failure::NotTold => (Loss::Value, "the reason of the error"),
        Failure::NotReopened { later } => {
            let words = "every call after a restart or an expiry, until the client is started again";
            return Some(((*later > 0).then_some(Loss::Session), words));
        }
        Failure::NoReply if row.declared.is_some() || row.is_practice => {
            (Loss::Call, "the call: the server waits for the answer")
        }
        Failure::NoReply => return Some((None, "the session, if the server ends those that do not answer")),
        Failure::Unserved if row.declared.is_some() => {
            (Loss::Call, "the call: the server relied on what the client declared")
        }
        Failure::Unserved => {
            return Some((None, "the session, if the server takes the error for a client that is gone"));
        }
        Failure::Waited => return Some((None, "the call, until the stream ends")),
        Failure::NotRelisted => (Loss::Tool, "the new tools, and calls of removed ones"),
        Failure::WrongTypes(_) => (
            Loss::Call,
            "the call, if they validate arguments. One that does not takes a wrong value, without an error",
        ),
        Failure::Undeclared(_) => (Loss::Call, "the call, if they refuse unknown arguments, as FastMCP does"),
        Failure::NotGivenUp => (Loss::Call, "the call, until the client's own time limit"),
        Failure::PagesMissed => (Loss::Tool, "the tools of the other pages"),
        Failure::ToolsMissed { is_limit: true, .. } => (Loss::Tool, "the other tools"),
        Failure::ToolsMissed { is_limit: false, .. } => (Loss::Tool, "the other tools, if it did not choose these"),
        Failure::OtherRevision(_) => (Loss::Session, "the session, with servers that check the header"),
        Failure::Stayed => return None,
    };
    Some((Some(loss), words))
}

#[cfg(test)]
mod tests {
    use mcp_compat_drive::{CommandEnd, Exit};

    use super::super::played::tests::played;
    use super::super::row::{Row, row};
    use super::*;

    const ROW: Row = row("log", "sends a log", |_| {});
    const ALL: [&str; 3] = ["initialize", "tools/list", "tools/call"];

    /// A client that wrote this after a result with a second text, and the sentence about it.
    fn told(failure: Failure, methods: &[&str], exit: Option<i32>, output: &str) -> (String, Option<&'static str>) {
        let seen = played(methods, exit, output);
        let seen = Played { texts: vec!["The sum is 8.".to_owned(), "second-block".to_owned()], ..seen };
        let told = seen.told(&played(&ALL, Some(0), "The sum is 8."));
        let failed = Failed { group: "g", row: &ROW, failure, seen, told };
        (did(&failed), lost(&failed).map(|(_, words)| words))
    }

    #[test]
    fn a_result_that_is_not_shown_is_told_apart_by_what_is_shown() {
        let not_shown = |output| told(Failure::NotShown("The sum is 8"), &ALL, Some(0), output);
        assert_eq!(
            not_shown("add failed: tools/call timed out"),
            (
                "showed nothing of the result (`The sum is 8`), and wrote: add failed: tools/call timed out".to_owned(),
                Some("the call")
            )
        );
        assert_eq!(
            not_shown("None"),
            ("showed nothing of the result (`The sum is 8`)".to_owned(), Some("the whole result"))
        );
        assert_eq!(
            not_shown("second-block"),
            ("showed the rest of the result, and not `The sum is 8`".to_owned(), Some("this part of the result"))
        );
        assert_eq!(
            not_shown("second-block\nwarning: a block was skipped").1,
            Some("this part of the result"),
            "the user is told"
        );
    }

    #[test]
    fn a_client_that_hangs_is_told_with_the_step_and_the_time() {
        let hung = |methods: &[&str], output| told(Failure::Hung, methods, None, output);
        assert_eq!(
            hung(&ALL[..1], ""),
            (
                "got no list of tools, did not end in time and was stopped".to_owned(),
                Some("the session: the client goes on waiting")
            )
        );
        assert_eq!(hung(&ALL, "").1, Some("the call and all after it: the client goes on waiting"));
        assert_eq!(
            hung(&ALL, "The sum is 8."),
            (
                "showed the result, did not end in time and was stopped".to_owned(),
                Some("the end of the session: it does not close")
            )
        );
    }

    #[test]
    fn arguments_of_wrong_types_are_all_named() {
        let of = |name, due, sent: &str| Mistyped { name, due, sent: sent.to_owned() };
        let both = vec![of("tags", Kind::Array, "\"[]\""), of("map", Kind::Object("depth"), "{}")];
        assert_eq!(
            told(Failure::WrongTypes(both), &ALL, Some(0), "").0,
            "sent `tags` as \"[]\", and its schema has the type array; and `map` as {}, and its schema requires the member \
             `depth`"
        );
    }

    #[test]
    fn an_end_is_told_with_its_error() {
        let mut seen = played(&ALL, Some(2), "");
        seen.end = CommandEnd { exit: Some(Exit::Status(2)), words: "error: no".to_owned(), output: String::new() };
        let failed = Failed { group: "g", row: &ROW, failure: Failure::NoCall, seen, told: None };
        assert_eq!(did(&failed), "called nothing after the list, and ended with exit status 2: error: no");
    }
}
