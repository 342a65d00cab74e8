//! Comparison of what a client did in a variation with what it did with the plain server. Pure.

use std::time::Duration;

use mcp_compat_mocks::server::varied::{Exchange, Refusal, Verb};

use super::arguments::{missing, mistyped, undeclared, unlisted};
use super::played::Played;
use super::row::{Due, Kind};
use super::rows_of_results::SHOWN;

/// Time after which a client that was told of a new list has had time to ask for it.
const TIME_TO_RELIST: Duration = Duration::from_secs(1);

/// Time in which a client that gives a call up does so.
pub(super) const GIVE_UP: Duration = Duration::from_secs(2);

/// Number of further tools after which a client calls each of a long list.
const BUSY: usize = 5;

/// Mistake of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It had to be stopped.
    Hung,
    /// It did not get the list.
    NoList,
    /// It listed and called nothing.
    NoCall,
    /// Its call was refused, or the answer never fetched.
    NoAnswer,
    /// It ended with an error after the answer.
    Ended,
    /// A text of the result was not shown.
    NotShown(&'static str),
    /// The text of another answer was shown in the place of the result.
    Foreign(&'static str),
    /// The message of an error was not shown.
    NotTold,
    /// It opened no new session. `later` is the number of requests that it still sent in the old one.
    NotReopened { later: usize },
    /// It went on at an unknown revision.
    Stayed,
    /// It went on and named another revision.
    OtherRevision(String),
    /// It did not resume the stream of its call.
    NotResumed,
    /// It asked for fewer pages than there are.
    PagesMissed,
    /// It called several tools, and not all that were listed. `is_limit`: it called as many of each list that has more.
    ToolsMissed { called: usize, listed: usize, is_limit: bool },
    /// It called a tool by a name that the server does not list.
    Unlisted(String),
    /// It sent a call without arguments that the tool requires.
    Missing { tool: String, names: Vec<String> },
    /// It wrote the same as for an empty result.
    Dropped,
    /// It sent no answer to a request of the server.
    NoReply,
    /// It answered a request of the server with the error -32601: it does not know the method.
    Unserved,
    /// It waited for the end of a stream.
    Waited,
    /// It asked for no new list, and called again.
    NotRelisted,
    /// It sent an argument that the schema does not declare.
    Undeclared(String),
    /// It waited on for the answer to a call that the server had given up.
    NotGivenUp,
    /// It sent arguments of other types than the schema asks for.
    WrongTypes(Vec<Mistyped>),
}

/// An argument of another type than the schema asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mistyped {
    pub(super) name: &'static str,
    pub(super) due: Kind,
    pub(super) sent: String,
}

impl Failure {
    /// Number of stages of a session that the client passed: the fewer, the more is lost.
    pub(super) fn stage(&self) -> u8 {
        match self {
            Self::Hung => 0,
            Self::NoList => 1,
            Self::NoCall => 2,
            Self::NoAnswer => 3,
            Self::Ended
            | Self::NotShown(_)
            | Self::Foreign(_)
            | Self::NotTold
            | Self::NotReopened { .. }
            | Self::Stayed
            | Self::OtherRevision(_)
            | Self::NotResumed
            | Self::PagesMissed
            | Self::ToolsMissed { .. }
            | Self::Unlisted(_)
            | Self::Missing { .. }
            | Self::Dropped
            | Self::NoReply
            | Self::Unserved
            | Self::Waited
            | Self::NotRelisted
            | Self::Undeclared(_)
            | Self::NotGivenUp
            | Self::WrongTypes(_) => 4,
        }
    }

    /// Returns true if a busy machine can be the reason.
    pub(super) fn may_be_load(&self) -> bool {
        match self {
            Self::Hung
            | Self::NoList
            | Self::NoCall
            | Self::NoAnswer
            | Self::Ended
            | Self::NoReply
            | Self::Waited
            | Self::NotGivenUp => true,
            Self::NotShown(_)
            | Self::Foreign(_)
            | Self::NotTold
            | Self::NotReopened { .. }
            | Self::Stayed
            | Self::OtherRevision(_)
            | Self::NotResumed
            | Self::PagesMissed
            | Self::ToolsMissed { .. }
            | Self::Unlisted(_)
            | Self::Missing { .. }
            | Self::Dropped
            | Self::Unserved
            | Self::NotRelisted
            | Self::Undeclared(_)
            | Self::WrongTypes(_) => false,
        }
    }
}

/// The JSON-RPC code of a method that is not known.
const METHOD_NOT_FOUND: i64 = -32601;

/// The mistake of a client. `None` if it did what is due. `first` is the first variation of the same group.
pub(super) fn failure(due: Due, plain: &Played, first: Option<&Played>, seen: &Played) -> Option<Failure> {
    if due == Due::GiveUp {
        let usual = plain.time_after_call().unwrap_or_default();
        let waited = seen.time_after_call().is_some_and(|waited| waited >= GIVE_UP + usual);
        // One that was stopped sooner may have waited, or not.
        return if waited { Some(Failure::NotGivenUp) } else { seen.has_hung().then_some(Failure::Hung) };
    }
    if seen.has_hung() {
        // One that calls each tool of a long list takes longer.
        let is_busy = seen.tools_called().len() > plain.tools_called().len() + BUSY;
        return (!is_busy).then_some(Failure::Hung);
    }
    match due {
        Due::Work => unlike(plain, seen),
        Due::Listed => unlike(plain, seen).or_else(|| unlisted(plain, seen)),
        Due::Mention => unlike(plain, seen).or_else(|| {
            let is_same = first.is_some_and(|first| first.ended_well() && seen.writes_as(first));
            (is_same && plain.shows(SHOWN)).then_some(Failure::Dropped)
        }),
        Due::Show(texts) => unlike(plain, seen).or_else(|| {
            let missing = texts.iter().find(|text| !seen.shows(text));
            missing.filter(|_| plain.shows(SHOWN)).map(|text| Failure::NotShown(text))
        }),
        Due::Tell(text) => {
            let is_lost = !text.is_empty() && first.is_some_and(|first| first.shows(text)) && !seen.shows(text);
            is_lost.then_some(Failure::NotTold)
        }
        Due::Pages(number) => {
            let asked = seen.exchanges.iter().filter(|it| it.is_request("tools/list") && it.is_accepted()).count();
            let missed = (seen.listed() && asked < number).then_some(Failure::PagesMissed);
            missed.or_else(|| unlike(plain, seen))
        }
        Due::Follow(revision) => {
            // A client of both eras asks for the newer one before.
            let later = seen.exchanges.iter().skip_while(|it| !it.is_request("initialize")).skip(1);
            let other = later.filter_map(|it| it.version.as_deref()).find(|version| *version != revision);
            other.map(|version| Failure::OtherRevision(version.to_owned()))
        }
        Due::Reopen => not_reopened(seen),
        Due::Resume => {
            let call = seen.exchanges.iter().position(|it| it.is_request("tools/call"));
            let is_resumed = call
                .is_some_and(|call| seen.exchanges[call..].iter().any(|it| it.verb == Verb::Get && it.is_accepted()));
            if call.is_some() && !is_resumed { Some(Failure::NotResumed) } else { unlike(plain, seen) }
        }
        Due::Leave => (seen.listed() || seen.called()).then_some(Failure::Stayed),
        Due::Answer(id) => unlike(plain, seen).or_else(|| unanswered(id, seen)),
        Due::Serve(id) => unlike(plain, seen).or_else(|| unanswered(id, seen)).or_else(|| {
            let is_refused = seen.exchanges.iter().any(|it| it.is_answer_to(id) && it.code == Some(METHOD_NOT_FOUND));
            is_refused.then_some(Failure::Unserved)
        }),
        // A client that takes long between the list and the call takes longer beside others.
        Due::NoWait(open) => {
            let waits = seen.pause_before_call() >= open.max(2 * plain.pause_before_call());
            unlike(plain, seen).or_else(|| waits.then_some(Failure::Waited))
        }
        Due::Relist => unlike(plain, seen).or_else(|| is_stale(seen).then_some(Failure::NotRelisted)),
        Due::Fill(parameters) => {
            mistyped(parameters, plain, seen).or_else(|| missing(plain, seen)).or_else(|| unlike(plain, seen))
        }
        Due::WorkOrTell(text) => unlike(plain, seen).filter(|_| !seen.shows(text)),
        Due::Ignore(foreign) => {
            let is_foreign = |failure: &Failure| matches!(failure, Failure::NotShown(_)) && seen.shows(foreign);
            unlike(plain, seen).map(|found| if is_foreign(&found) { Failure::Foreign(foreign) } else { found })
        }
        Due::ShowInstead(text) => match unlike(plain, seen) {
            Some(Failure::NotShown(_)) | None if plain.shows(SHOWN) => {
                (!seen.shows(text)).then_some(Failure::NotShown(text))
            }
            other => other,
        },
        Due::CallEach(listed) => unlike(plain, seen).or_else(|| {
            // One that called two tools chose them.
            let called = seen.tools_called().len();
            (called > 2 && called < listed).then_some(Failure::ToolsMissed { called, listed, is_limit: false })
        }),
        Due::Only(names) => unlike(plain, seen).or_else(|| undeclared(names, seen)),
        Due::GiveUp => None,
    }
}

fn unlike(plain: &Played, seen: &Played) -> Option<Failure> {
    if !seen.listed() {
        return Some(Failure::NoList);
    }
    if !seen.called() {
        return Some(Failure::NoCall);
    }
    if !seen.answered() {
        return Some(Failure::NoAnswer);
    }
    if !seen.ended_well() {
        return Some(Failure::Ended);
    }
    (seen.has_text() && plain.shows(SHOWN) && !seen.shows(SHOWN)).then_some(Failure::NotShown(SHOWN))
}

fn unanswered(id: &str, seen: &Played) -> Option<Failure> {
    (!seen.exchanges.iter().any(|it| it.is_answer_to(id))).then_some(Failure::NoReply)
}

/// Returns true if a client went on with the list that it had before its first call, and was told in the answer to that call
/// that there is a new one.
fn is_stale(seen: &Played) -> bool {
    let Some(call) = seen.exchanges.iter().position(|it| it.is_request("tools/call")) else { return false };
    let told = seen.exchanges[call].at;
    let later = &seen.exchanges[call + 1..];
    let is_late = |it: &Exchange| it.is_request("tools/call") && it.at.duration_since(told) >= TIME_TO_RELIST;
    later.iter().any(is_late) && !later.iter().any(|it| it.is_request("tools/list"))
}

fn not_reopened(seen: &Played) -> Option<Failure> {
    let is_lost = |it: &Exchange| it.refused == Some(Refusal::Session) && it.status == 404 && it.id.is_some();
    let at = seen.exchanges.iter().position(is_lost)?;
    let rest = &seen.exchanges[at + 1..];
    let is_new = rest.iter().any(|it| it.is_request("initialize") && it.session.is_none());
    let later = rest.iter().filter(|it| it.verb == Verb::Post && is_lost(it)).count();
    (!is_new).then_some(Failure::NotReopened { later })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::played::tests::{exchange, played};
    use super::*;

    const ALL: [&str; 3] = ["initialize", "tools/list", "tools/call"];

    fn plain() -> Played {
        played(&ALL, Some(0), "The sum is 8.")
    }

    #[rstest]
    #[case::as_with_the_plain_server(&ALL, Some(0), "The sum is 8.", None)]
    #[case::stopped(&ALL, None, "The sum is 8.", Some(Failure::Hung))]
    #[case::no_list(&["initialize"], Some(1), "", Some(Failure::NoList))]
    #[case::no_call(&["initialize", "tools/list"], Some(0), "", Some(Failure::NoCall))]
    #[case::ended_with_an_error(&ALL, Some(1), "The sum is 8.", Some(Failure::Ended))]
    #[case::nothing_shown(&ALL, Some(0), "None", Some(Failure::NotShown(SHOWN)))]
    fn a_client_has_to_do_as_with_the_plain_server(
        #[case] methods: &[&str],
        #[case] exit: Option<i32>,
        #[case] output: &str,
        #[case] expected: Option<Failure>,
    ) {
        assert_eq!(failure(Due::Work, &plain(), None, &played(methods, exit, output)), expected);
    }

    #[test]
    fn texts_count_only_if_the_client_shows_texts() {
        let due = Due::Show(&["Zürich"]);
        let silent = played(&ALL, Some(0), "");
        assert_eq!(failure(due, &silent, None, &silent), None);
        assert_eq!(failure(due, &plain(), None, &plain()), Some(Failure::NotShown("Zürich")));
        for shown in ["The sum is 8. Zürich", r"The sum is 8. Z\u00fcrich", r"The sum is 8. Z\u00FCrich"] {
            assert_eq!(failure(due, &plain(), None, &played(&ALL, Some(0), shown)), None, "{shown}");
        }
    }

    #[test]
    fn an_error_is_told_as_the_first_one_of_its_group_was() {
        let (told, lost) = (played(&ALL, Some(1), "failure-1"), played(&ALL, Some(1), "400"));
        let due = Due::Tell("failure-1");
        assert_eq!(failure(due, &plain(), Some(&told), &lost), Some(Failure::NotTold));
        assert_eq!(failure(due, &plain(), Some(&told), &told), None);
        assert_eq!(failure(due, &plain(), Some(&lost), &lost), None, "it shows no messages at all");
    }

    #[test]
    fn after_404_a_new_session_is_opened_without_the_old_id() {
        let lost = |method: &str| Exchange {
            session: Some("s".to_owned()),
            status: 404,
            refused: Some(Refusal::Session),
            ..exchange(method)
        };
        let seen = |rest: Vec<Exchange>| Played {
            exchanges: [lost("tools/call")].into_iter().chain(rest).collect(),
            ..plain()
        };
        let failed = |rest| failure(Due::Reopen, &plain(), None, &seen(rest));
        assert_eq!(failed(vec![exchange("initialize")]), None);
        assert_eq!(failed(vec![]), Some(Failure::NotReopened { later: 0 }));
        assert_eq!(failed(vec![lost("tools/call"), lost("tools/list")]), Some(Failure::NotReopened { later: 2 }));
        assert_eq!(failed(vec![lost("initialize")]), Some(Failure::NotReopened { later: 1 }));
        assert_eq!(failure(Due::Reopen, &plain(), None, &plain()), None, "nothing was asked for in the ended session");
    }

    #[test]
    fn a_request_is_served_by_any_answer_but_that_its_method_is_not_known() {
        let answering = |code: Option<i64>| {
            let answer = Exchange { id: Some("\"ping-1\"".to_owned()), method: None, code, ..exchange("") };
            let mut seen = plain();
            seen.exchanges.push(answer);
            failure(Due::Serve("\"ping-1\""), &plain(), None, &seen)
        };
        assert_eq!((answering(None), answering(Some(-1))), (None, None));
        assert_eq!(answering(Some(METHOD_NOT_FOUND)), Some(Failure::Unserved));
        assert_eq!(failure(Due::Serve("\"ping-1\""), &plain(), None, &plain()), Some(Failure::NoReply));
    }

    #[test]
    fn the_revision_of_the_answer_counts() {
        let named = |version: &str| Played {
            exchanges: vec![
                exchange("initialize"),
                Exchange { version: Some(version.to_owned()), ..exchange("tools/list") },
            ],
            ..plain()
        };
        let failed = |seen| failure(Due::Follow("2025-03-26"), &plain(), None, &seen);
        assert_eq!(failed(named("2025-03-26")), None);
        assert_eq!(failed(named("2025-11-25")), Some(Failure::OtherRevision("2025-11-25".to_owned())));
        let leaves = |methods: &[&str]| failure(Due::Leave, &plain(), None, &played(methods, Some(1), ""));
        assert_eq!((leaves(&["initialize"]), leaves(&ALL)), (None, Some(Failure::Stayed)));
    }

    #[test]
    fn every_page_is_asked_for_and_every_ping_answered() {
        let pages = |number| failure(Due::Pages(number), &plain(), None, &plain());
        assert_eq!((pages(1), pages(2)), (None, Some(Failure::PagesMissed)));
        assert_eq!(failure(Due::Answer("\"ping-1\""), &plain(), None, &plain()), Some(Failure::NoReply));
        let mut answers = plain();
        answers.exchanges.push(Exchange { method: None, id: Some("\"ping-1\"".to_owned()), ..exchange("") });
        assert_eq!(failure(Due::Answer("\"ping-1\""), &plain(), None, &answers), None);
    }

    #[test]
    fn a_list_is_stale_if_calls_go_on_without_a_new_one() {
        let after = |later: &[(&str, u64)]| {
            let mut seen = plain();
            let told = seen.exchanges[2].at;
            let later = later
                .iter()
                .map(|(method, seconds)| Exchange { at: told + Duration::from_secs(*seconds), ..exchange(method) });
            seen.exchanges.extend(later);
            failure(Due::Relist, &plain(), None, &seen)
        };
        assert_eq!(after(&[]), None, "it ended before it could ask");
        assert_eq!(after(&[("tools/call", 0)]), None, "it had no time");
        assert_eq!(after(&[("tools/call", 2)]), Some(Failure::NotRelisted));
        assert_eq!(after(&[("tools/list", 1), ("tools/call", 2)]), None);
    }

    #[test]
    fn a_client_does_not_wait_for_the_end_of_a_stream() {
        let due = Due::NoWait(Duration::from_secs(4));
        let took = |seconds| {
            let mut seen = plain();
            seen.exchanges[2].at = seen.exchanges[1].at + Duration::from_secs(seconds);
            failure(due, &plain(), None, &seen)
        };
        assert_eq!((took(3), took(5)), (None, Some(Failure::Waited)));
    }

    #[test]
    fn a_call_that_is_given_up_is_no_fault_of_a_client_that_ends() {
        let failed = |exit, seconds| {
            let seen = played(&ALL, exit, "");
            let began = seen.exchanges[2].at;
            failure(Due::GiveUp, &plain(), None, &Played { began, took: Duration::from_secs(seconds), ..seen })
        };
        assert_eq!((failed(Some(1), 1), failed(Some(0), 0)), (None, None));
        assert_eq!((failed(None, 3), failed(Some(1), 5)), (Some(Failure::NotGivenUp), Some(Failure::NotGivenUp)));
        assert_eq!(failed(None, 1), Some(Failure::Hung), "it had no time to give up");
    }

    #[test]
    fn an_answer_to_nothing_is_not_taken_for_the_result() {
        let failed = |output| failure(Due::Ignore("another answer"), &plain(), None, &played(&ALL, Some(0), output));
        assert_eq!(failed("another answer"), Some(Failure::Foreign("another answer")));
        assert_eq!(failed("ignored: another answer\nThe sum is 8."), None);
        assert_eq!(failed("timed out"), Some(Failure::NotShown(SHOWN)));
    }

    /// A client that calls these tools.
    fn calling(tools: &[&str], exit: Option<i32>, output: &str) -> Played {
        let call = |name: &&str| Exchange { params: Some(format!(r#"{{"name":"{name}"}}"#)), ..exchange("tools/call") };
        let mut seen = played(&["initialize", "tools/list"], exit, output);
        seen.exchanges.extend(tools.iter().map(call));
        seen
    }

    #[test]
    fn a_client_that_calls_each_tool_calls_all_and_takes_longer() {
        let plain = calling(&["a"], Some(0), "The sum is 8.");
        let failed = |due, tools: &[&str], exit| failure(due, &plain, None, &calling(tools, exit, "The sum is 8."));
        let each = |tools: &[&str]| failed(Due::CallEach(4), tools, Some(0));
        assert_eq!(each(&["a", "b", "c"]), Some(Failure::ToolsMissed { called: 3, listed: 4, is_limit: false }));
        assert_eq!((each(&["a", "b", "c", "d"]), each(&["a", "b"])), (None, None), "it calls all, or it chose");
        let many = ["a", "b", "c", "d", "e", "f", "g"];
        assert_eq!((failed(Due::Work, &many, None), failed(Due::Work, &["a", "b"], None)), (None, Some(Failure::Hung)));
    }

    #[test]
    fn an_error_without_an_id_may_fail_the_call() {
        let failed = |output| failure(Due::WorkOrTell("stray"), &plain(), None, &played(&ALL, Some(0), output));
        assert_eq!((failed("The sum is 8."), failed("failed: stray")), (None, None));
        assert_eq!(failed("None"), Some(Failure::NotShown(SHOWN)));
    }

    #[test]
    fn a_value_may_stand_in_the_place_of_the_text() {
        let failed = |output| failure(Due::ShowInstead("value"), &plain(), None, &played(&ALL, Some(0), output));
        assert_eq!((failed("The sum is 8. value"), failed("value")), (None, None));
        assert_eq!(failed("The sum is 8."), Some(Failure::NotShown("value")));
    }

    #[test]
    fn a_block_without_text_is_not_shown_as_nothing() {
        let wrote = |output| Played { texts: Vec::new(), ..played(&ALL, Some(0), output) };
        let failed = |output| failure(Due::Mention, &plain(), Some(&wrote("result 1: ''")), &wrote(output));
        assert_eq!((failed("result 2: ''"), failed("result 2: [image]")), (Some(Failure::Dropped), None));
        let silent = wrote("");
        assert_eq!(failure(Due::Mention, &silent, Some(&silent), &silent), None, "it shows no results");
    }
}
