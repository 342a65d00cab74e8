//! Behaviour of a client with one server, and what it wrote about it. Pure.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mcp_compat_drive::{CommandEnd, Exit};
use mcp_compat_json::Json;
use mcp_compat_mocks::server::varied::{Behaviour, Exchange, Verb};
use mcp_compat_model::excerpt::bounded;
use mcp_compat_run::black_box::error_excerpt;

use super::rows_of_results::SHOWN;

/// Number of bytes of a line of a client that are shown.
pub(super) const LINE: usize = 160;

/// Bounds of the texts of a result by which it is known in an output. A shorter text may be there by chance.
const TEXTS: std::ops::RangeInclusive<usize> = 8..=200;

/// Words of lines that tell of an error.
const OF_ERRORS: [&str; 22] = [
    "error",
    "fail",
    "exception",
    "timed out",
    "timeout",
    "cannot",
    "can't",
    "could not",
    "unable",
    "invalid",
    "unexpected",
    "unsupported",
    "refused",
    "rejected",
    "not found",
    "no response",
    "no answer",
    "closed",
    "denied",
    "skip",
    "ignor",
    "warn",
];

/// Words of a result that are no errors.
const OF_RESULTS: [&str; 6] = ["iserror", "is_error", "is-error", "\"error\":null", "\"error\": null", "error=none"];

/// Behaviour of a client with one server.
#[derive(Clone, Debug)]
pub(super) struct Played {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) end: CommandEnd,
    /// True if the server answered calls with event streams.
    pub(super) is_in_events: bool,
    /// Texts of the result of each call.
    pub(super) texts: Vec<String>,
    /// Definitions of the listed tools.
    pub(super) tools: Vec<Json>,
    pub(super) began: Instant,
    pub(super) took: Duration,
}

impl Played {
    pub(super) fn listed(&self) -> bool {
        self.exchanges.iter().any(|it| it.is_request("tools/list") && it.is_accepted())
    }

    pub(super) fn called(&self) -> bool {
        self.exchanges.iter().any(|it| it.is_request("tools/call"))
    }

    /// The names of the tools that were called.
    pub(super) fn tools_called(&self) -> BTreeSet<String> {
        let calls = self.exchanges.iter().filter(|it| it.is_request("tools/call"));
        let name =
            |call: &Exchange| Json::parse(call.params.as_deref()?).ok()?.get("name")?.as_str().map(str::to_owned);
        calls.filter_map(name).collect()
    }

    pub(super) fn answered(&self) -> bool {
        self.exchanges.iter().any(|it| it.is_request("tools/call") && it.is_accepted())
    }

    /// Time between the last page of the list and the call.
    pub(super) fn pause_before_call(&self) -> Duration {
        let call = self.exchanges.iter().position(|it| it.is_request("tools/call"));
        let before = call.map(|call| &self.exchanges[..=call]).unwrap_or_default();
        let list = before.iter().rev().find(|it| it.is_request("tools/list"));
        list.zip(before.last()).map_or(Duration::ZERO, |(list, call)| call.at.duration_since(list.at))
    }

    /// Time between the first call and the end. `None` if it called nothing.
    pub(super) fn time_after_call(&self) -> Option<Duration> {
        let call = self.exchanges.iter().find(|it| it.is_request("tools/call"))?;
        Some((self.began + self.took).saturating_duration_since(call.at))
    }

    /// Returns true if it had to be stopped.
    pub(super) fn has_hung(&self) -> bool {
        self.end.exit.is_none()
    }

    pub(super) fn ended_well(&self) -> bool {
        self.end.exit.is_some_and(Exit::is_success)
    }

    /// Returns true if each result had the text [`SHOWN`].
    pub(super) fn has_text(&self) -> bool {
        self.texts.iter().any(|text| text.contains(SHOWN))
    }

    /// Returns true if the program wrote a text, as it is or with its characters escaped as in JSON.
    pub(super) fn shows(&self, text: &str) -> bool {
        let has = |text: &str| self.end.output.contains(text) || self.end.words.contains(text);
        has(text) || (!text.is_ascii() && (has(&escaped(text, false)) || has(&escaped(text, true))))
    }

    /// Returns true if the program wrote any text of the result.
    pub(super) fn shows_any(&self) -> bool {
        self.texts.iter().any(|text| self.shows(text))
    }

    /// Returns true if the client did all that the others are compared with.
    pub(super) fn works(&self) -> bool {
        self.listed() && self.answered() && self.ended_well()
    }

    /// The last request that was refused, if nothing was asked for after it.
    pub(super) fn gave_up_at(&self) -> Option<&Exchange> {
        let mut of_requests =
            self.exchanges.iter().filter(|it| it.verb == Verb::Post && it.id.is_some() && it.method.is_some());
        of_requests.next_back().filter(|last| !last.is_accepted())
    }

    /// Returns true if the client wrote the same as with another server, but for times and long numbers.
    pub(super) fn writes_as(&self, other: &Self) -> bool {
        self.lines().map(without_times).eq(other.lines().map(without_times))
    }

    /// Lines that the client wrote, those of its standard error first.
    fn lines(&self) -> impl Iterator<Item = &str> {
        self.end.words.lines().chain(self.end.output.lines()).map(str::trim).filter(|line| !line.is_empty())
    }

    /// Lines that tell of an error and show no text of the result, and that the client did not write with another server.
    pub(super) fn errors_beside<'s>(&'s self, other: Option<&'s Self>) -> impl Iterator<Item = &'s str> {
        let known: BTreeSet<String> = other.into_iter().flat_map(Self::lines).map(without_times).collect();
        self.lines().filter(move |line| {
            tells_of_an_error(line)
                && !known.contains(&without_times(line))
                && !self.texts.iter().any(|text| line.contains(text.as_str()))
        })
    }

    /// The first such line, made fit for a sentence, or the exception of a stack trace.
    pub(super) fn told(&self, plain: &Self) -> Option<String> {
        let first = self.errors_beside(Some(plain)).next()?;
        let has_trace = self.lines().any(|line| line.starts_with("Traceback"));
        let line = if has_trace { error_excerpt(&self.end.words) } else { first.to_owned() };
        Some(bounded(line.trim_end_matches('.'), LINE))
    }
}

/// Texts of the result by which it is known in an output.
pub(super) fn texts(server: &Behaviour) -> Vec<String> {
    let mut texts = Vec::new();
    if server.error.is_none() && !server.gives_up {
        let block = |block: &String| Json::parse(block).ok();
        server.content.iter().filter_map(block).for_each(|block| strings(&block, &mut texts));
        if let Some(value) = Json::parse(&server.result.text()).ok().as_ref().and_then(|it| it.get("structuredContent"))
        {
            strings(value, &mut texts);
        }
    }
    texts.retain(|text| TEXTS.contains(&text.len()));
    texts
}

/// The texts in a value, without types and bytes.
fn strings(value: &Json, texts: &mut Vec<String>) {
    let is_text = |key: &str| !["type", "mimeType", "data", "blob", "annotations", "_meta"].contains(&key);
    if let Some(text) = value.as_str() {
        texts.push(text.to_owned());
    }
    value.as_array().into_iter().flatten().for_each(|item| strings(item, texts));
    let members = value.as_object().into_iter().flat_map(|object| object.iter());
    members.filter(|(key, _)| key.as_str().is_some_and(is_text)).for_each(|(_, value)| strings(value, texts));
}

/// Definitions of the tools that a server lists.
pub(super) fn tools(server: &Behaviour) -> Vec<Json> {
    let mut called = server.definition.clone();
    called.set("name", &Json::from(server.tool.as_str()).to_compact());
    server.others.iter().chain([&called.text()]).filter_map(|tool| Json::parse(tool).ok()).collect()
}

/// A text with characters beyond ASCII written as `\u` escapes.
fn escaped(text: &str, in_capitals: bool) -> String {
    let unit = |unit: u16| if in_capitals { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
    text.encode_utf16()
        .map(|code| {
            u8::try_from(code).ok().filter(u8::is_ascii).map_or_else(|| unit(code), |byte| char::from(byte).to_string())
        })
        .collect()
}

/// A line without what differs from run to run: times, addresses and long numbers. Counts stay.
fn without_times(line: &str) -> String {
    let is_small = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits < 3 && !word.contains(':') && !(word.contains('.') && digits > 1)
    };
    let word = |word: &str| {
        if is_small(word) { word.to_owned() } else { word.chars().filter(|c| !c.is_ascii_digit()).collect() }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

pub(super) fn tells_of_an_error(line: &str) -> bool {
    let line = OF_RESULTS.iter().fold(line.to_ascii_lowercase(), |line, name| line.replace(name, ""));
    OF_ERRORS.iter().any(|word| line.contains(word))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn exchange(method: &str) -> Exchange {
        Exchange { method: Some(method.to_owned()), id: Some("1".to_owned()), ..Exchange::new(Verb::Post) }
    }

    /// A client that sends these requests to a server whose result is the plain one.
    pub(in super::super) fn played(methods: &[&str], exit: Option<i32>, output: &str) -> Played {
        Played {
            exchanges: methods.iter().map(|method| exchange(method)).collect(),
            end: CommandEnd { exit: exit.map(Exit::Status), words: String::new(), output: output.to_owned() },
            is_in_events: false,
            texts: vec!["The sum is 8.".to_owned()],
            tools: Vec::new(),
            began: Instant::now(),
            took: Duration::ZERO,
        }
    }

    /// A client that calls some of these tools, which have these schemas.
    pub(in super::super) fn listing(tools: &[(&str, &str)], called: &[&str], output: &str) -> Played {
        let define = |(name, schema): &(&str, &str)| {
            Json::parse(&format!(r#"{{"name":"{name}","description":"d","inputSchema":{schema}}}"#)).ok()
        };
        let call = |name: &&str| Exchange { params: Some(format!(r#"{{"name":"{name}"}}"#)), ..exchange("tools/call") };
        let mut seen = played(&["initialize", "tools/list"], Some(0), output);
        seen.exchanges.extend(called.iter().map(call));
        seen.tools = tools.iter().filter_map(define).collect();
        seen
    }

    fn told(output: &str) -> Option<String> {
        const ALL: [&str; 3] = ["initialize", "tools/list", "tools/call"];
        let plain = played(&ALL, Some(0), "12:01 error: no colours\nresult: The sum is 8.");
        played(&ALL, Some(0), output).told(&plain)
    }

    #[test]
    fn a_line_of_an_error_is_told_if_it_is_new_and_shows_no_result() {
        assert_eq!(
            told("add failed: tools/call timed out.\ndone").as_deref(),
            Some("add failed: tools/call timed out")
        );
        assert_eq!(told("12:02 error: no colours"), None, "with the plain server too");
        assert_eq!(told(r#"{"content": [], "isError": false}"#), None, "a member of the result");
        assert_eq!(told("The sum is 8. (no error)"), None);
        assert_eq!(told("None"), None);
    }

    #[test]
    fn a_count_is_a_difference_and_a_time_is_none() {
        const ALL: [&str; 3] = ["initialize", "tools/list", "tools/call"];
        let wrote = |output| played(&ALL, Some(0), output);
        assert!(wrote("12:01:59 done in 0.31s at 51234").writes_as(&wrote("12:02:00 done in 0.29s at 50012")));
        assert!(!wrote("got 1 block(s)").writes_as(&wrote("got 0 block(s)")));
    }

    #[test]
    fn the_texts_of_a_result_are_those_that_a_reader_would_know_it_by() {
        let mut server = Behaviour::plain("t");
        server.content.push(
            r#"{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"embedded"}}"#
                .to_owned(),
        );
        server.result.set("structuredContent", r#"{"n":1,"list":["in-a-list"]}"#);
        assert_eq!(texts(&server), ["file:///a.txt", "embedded", "in-a-list"]);
        server.gives_up = true;
        assert_eq!(texts(&server), [""; 0]);
    }
}
