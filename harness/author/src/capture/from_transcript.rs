//! From a transcript to [`Captured`]: its lists and calls, in order.
//!
//! Calls of the harness's own tools are skipped, so that a transcript of a mock can be captured, too.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use mcp_compat_json::{Json, JsonString, elements, members as json_members, minify, text_at};
use mcp_compat_judge::wire::exchange::{Answer as Came, Exchange, exchanges};
use mcp_compat_judge::wire::message::{Message, Shape, first_not_read, messages};
use mcp_compat_judge::wire::session::{META_VERSION, Session};
use mcp_compat_model::Role;
use mcp_compat_model::read_limit::ReadLimit;
use mcp_compat_model::transcript::{Event, Transcript, begins_as_message};
use mcp_compat_scenario::write::Answer;

use super::captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool, Opening, is_harness_tool};
use super::opening::odd_opening;

/// Treatment of tools that were listed and never called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncalled {
    #[default]
    Omitted,
    /// Include them, each with a placeholder result for its schema: a client may fail at the list already.
    Placeholder,
}

pub struct Capture {
    /// The tools and requests.
    /// The lists and calls, in their order.
    pub captured: Captured,
    /// The tools that were listed, called or not, by name.
    pub listed: Vec<String>,
    /// Things that could not be captured, one line each.
    pub left_out: Vec<String>,
}

/// Captures a transcript, with at most `most` calls.
pub fn capture(transcript: &Transcript, uncalled: Uncalled, most: usize) -> Capture {
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript);
    let mut reader = Reader::new(transcript, &messages, &exchanges.strays);
    reader.ends_at_itself = true;
    let calls = reader.calls(&exchanges.all, most);
    let mut lists = reader.lists(&exchanges.all);
    lists.retain(List::is_complete);
    let listed: BTreeSet<String> = lists
        .iter()
        .flat_map(|list| &list.tools)
        .map(|tool| tool.name.clone())
        .filter(|name| !is_harness_tool(name))
        .collect();
    let wanted = match uncalled {
        Uncalled::Omitted => calls.iter().map(|timed| timed.call.tool.clone()).collect(),
        Uncalled::Placeholder => listed.clone(),
    };
    let mut captured = reader.captured(calls, &lists, &wanted);
    captured.revision = Session::read(&messages, &exchanges, transcript).revision;
    captured.openings = reader.openings(&exchanges.all);
    captured.left_out.clone_from(&reader.left_out);
    Capture { captured, listed: listed.into_iter().collect(), left_out: reader.left_out }
}

/// Returns the tools of a session, and what they answered.
#[derive(Clone, Debug, Default)]
pub struct ToolsSeen {
    /// The first list, if there is one: the first complete one, or else the first.
    pub list: Option<ListSeen>,
    pub calls: Vec<CapturedCall>,
    /// Reason for not reading a message, if one was not read.
    pub not_read: Option<ReadLimit>,
}

/// A list of tools, as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct ListSeen {
    /// The tools, in the order listed. Of several with one name it has the first.
    pub tools: Vec<CapturedTool>,
    pub pages: u32,
    /// Number of listed tools, also those of one name.
    pub listed: usize,
    /// Bytes of the messages with its pages together.
    pub bytes: usize,
    /// True if the last page was read.
    pub is_complete: bool,
}

/// The tools of a session and the calls of them.
pub fn tools_seen(transcript: &Transcript) -> ToolsSeen {
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript);
    let mut reader = Reader::new(transcript, &messages, &exchanges.strays);
    let calls = reader.calls(&exchanges.all, usize::MAX).into_iter().map(|timed| timed.call).collect();
    let mut lists = reader.lists(&exchanges.all);
    let first = lists.iter().position(List::is_complete).or((!lists.is_empty()).then_some(0));
    let list = first.map(|first| lists.swap_remove(first)).map(|list| ListSeen {
        is_complete: list.is_complete(),
        pages: list.pages,
        listed: list.listed,
        bytes: list.bytes,
        tools: list.tools,
    });
    ToolsSeen { list, calls, not_read: first_not_read(&messages).map(|(_, excess)| excess) }
}

struct Reader<'t> {
    transcript: &'t Transcript,
    messages: &'t [Message<'t>],
    /// The requests that the client cancelled, by the texts of their ids.
    cancelled: HashSet<String>,
    /// The ends of processes and streams, in their order, and whose they are.
    ends: Vec<(u32, Role)>,
    /// The responses to nothing that was asked, as places among the messages.
    strays: &'t [usize],
    /// True if a list ends at a page that names itself as the next one.
    ends_at_itself: bool,
    left_out: Vec<String>,
}

/// A call, and when it was made.
struct Timed {
    seq: u32,
    call: CapturedCall,
}

/// A list of tools, with all its pages.
struct List {
    /// Time when its last page came.
    seq: u32,
    tools: Vec<CapturedTool>,
    /// Returns the number of listed tools, and the bytes of the pages.
    listed: usize,
    bytes: usize,
    pages: u32,
    /// The cursor of the next page. `None` once the list is complete.
    next: Option<String>,
    /// The first page, as its place among the messages.
    first: usize,
    /// The cursor of a page that names itself as the next one.
    endless: Option<String>,
    /// Members that a page lacks, although its revision requires them.
    without: Vec<String>,
}

impl List {
    fn is_complete(&self) -> bool {
        self.next.is_none()
    }
}

impl<'t> Reader<'t> {
    fn new(transcript: &'t Transcript, messages: &'t [Message<'t>], strays: &'t [usize]) -> Self {
        let cancels = |message: &&Message<'_>| {
            message.from == Role::Client && message.method() == Some("notifications/cancelled")
        };
        let cancelled = messages.iter().filter(cancels).filter_map(|message| message.param("requestId"));
        let is_end = |event: &Event| matches!(event, Event::Closed {} | Event::Exited { .. });
        let ends = transcript.entries.iter().filter(|entry| is_end(&entry.event));
        Self {
            transcript,
            messages,
            cancelled: cancelled.map(Json::to_compact).collect(),
            ends: ends.map(|entry| (entry.seq, entry.from)).collect(),
            strays,
            ends_at_itself: false,
            left_out: Vec::new(),
        }
    }

    /// The text of a message. `None` if it is in a batch or not text.
    fn text(&self, message: &Message<'_>) -> Option<&str> {
        self.transcript.message(message.seq).filter(|_| !message.batched)?.as_text()
    }

    /// A part of a message: as it was spelt, if that is known.
    fn part(&self, message: &Message<'_>, pointer: &str) -> Option<String> {
        let spelt = self.text(message).and_then(|text| text_at(text, pointer)).map(str::to_owned);
        spelt.or_else(|| message.json.pointer(pointer).map(Json::to_compact))
    }

    /// The tools of a list: as they were spelt, if that is known.
    fn tools(&self, answer: &Message<'_>, tools: &[Json]) -> Vec<CapturedTool> {
        let spelt = self.text(answer).and_then(|text| elements(text_at(text, "/result/tools")?));
        match spelt {
            Some(spelt) => spelt.into_iter().filter_map(CapturedTool::of).collect(),
            None => tools.iter().filter_map(|tool| CapturedTool::of(&tool.to_compact())).collect(),
        }
    }

    fn calls(&mut self, exchanges: &[Exchange], most: usize) -> Vec<Timed> {
        let mut calls = Vec::new();
        for exchange in exchanges {
            let request = &self.messages[exchange.request];
            let (Some("tools/call"), Some(tool)) = (request.method(), request.param("name").and_then(Json::as_str))
            else {
                continue;
            };
            if is_harness_tool(tool) {
                continue;
            }
            if calls.len() == most {
                self.left_out.push(format!("every call after the first {most}"));
                break;
            }
            match self.answer(exchange) {
                Ok(answer) => {
                    let arguments = self.part(request, "/params/arguments").filter(|text| text.starts_with('{'));
                    let without = self.lacking(exchange, &["resultType"]);
                    let call = CapturedCall { stage: 0, tool: tool.to_owned(), arguments, answer, without };
                    calls.push(Timed { seq: request.seq, call });
                }
                Err(why) => self.left_out.push(format!("a call of `{tool}`: {why}")),
            }
        }
        calls
    }

    /// The members that the result of a request without a session lacks.
    fn lacking(&self, exchange: &Exchange, required: &[&str]) -> Vec<String> {
        let is_modern = self.messages[exchange.request].meta(META_VERSION).is_some();
        let result = exchange.answer.message().and_then(|at| self.messages[at].result());
        let is_absent = |key: &&&str| is_modern && result.is_some_and(|result| result.get(key).is_none());
        required.iter().filter(is_absent).map(|key| (*key).to_owned()).collect()
    }

    /// The results that open a session and are not as the specification has them, the first of each method.
    fn openings(&self, exchanges: &[Exchange]) -> Vec<Opening> {
        let mut found: Vec<Opening> = Vec::new();
        for exchange in exchanges {
            let (Some(method), Came::Result(at)) = (self.messages[exchange.request].method(), exchange.answer) else {
                continue;
            };
            let message = &self.messages[at];
            let Some((result, text)) = message.result().zip(self.part(message, "/result")) else { continue };
            let odd = odd_opening(method, result, &text, true);
            found.extend(odd.filter(|odd| found.iter().all(|known| known.to != odd.to)));
        }
        found
    }

    /// The answer to a request under the id of another, if it is the only response that nobody asked for until the next
    /// request.
    fn stray(&self, exchange: &Exchange) -> Option<Answer> {
        let asked = &self.messages[exchange.request];
        let later = self.messages[exchange.request + 1..].iter();
        let until = later.clone().find(|message| message.shape == Shape::Request && message.from == Role::Client);
        let until = until.map_or(u32::MAX, |next| next.seq);
        let strays = self.strays.iter().map(|at| &self.messages[*at]);
        let mut strays = strays.filter(|stray| (asked.seq..until).contains(&stray.seq));
        let (Some(stray), None) = (strays.next(), strays.next()) else { return None };
        let text = self.text(stray)?;
        let id = asked.id().map(Json::to_compact);
        let is_as_text = stray.id().and_then(Json::as_str).map(str::to_owned) == id;
        let marked = || {
            let sent = text_at(text, "/id")?;
            let at = sent.as_ptr() as usize - text.as_ptr() as usize;
            Some(format!("{}\"{{{{id}}}}\"{}", &text[..at], &text[at + sent.len()..]))
        };
        let marked = if is_as_text { marked() } else { None };
        Some(Answer::Raw(marked.unwrap_or_else(|| text.to_owned()).into_bytes()))
    }

    fn answer(&self, exchange: &Exchange) -> Result<Answer, String> {
        match exchange.answer {
            Came::Result(at) | Came::Error(at) if self.strays.contains(&at) => {
                self.stray(exchange).map_or_else(|| self.verbatim(&self.messages[at]), Ok)
            }
            Came::Result(at) | Came::Error(at) if self.answers_nobody(&self.messages[at]) => {
                self.verbatim(&self.messages[at])
            }
            Came::Result(at) => {
                let message = &self.messages[at];
                match self.part(message, "/result").filter(|result| result.starts_with('{')) {
                    Some(result) => Ok(Answer::Returns(without_members(&result, &[("resultType", "\"complete\"")]))),
                    None => self.verbatim(message),
                }
            }
            Came::Error(at) => {
                let message = &self.messages[at];
                let words = message.json.pointer("/error/message").and_then(Json::as_str);
                match self.part(message, "/error").filter(|_| message.error_code().is_some() && words.is_some()) {
                    Some(error) => Ok(Answer::Error(error)),
                    None => self.verbatim(message),
                }
            }
            Came::Unreadable(at) => match self.unanswered(exchange).filter(|_| self.is_printed(&self.messages[at])) {
                Some(answer) => Ok(answer),
                None => self.verbatim(&self.messages[at]),
            },
            Came::Status { status, .. } => Err(format!("it was answered with HTTP status {status} and no message")),
            Came::None => self
                .stray(exchange)
                .or_else(|| self.unanswered(exchange))
                .ok_or_else(|| "it was not answered before the recording ended".to_owned()),
        }
    }

    /// The end of a request that got no answer. `None` if the recording ended first.
    fn unanswered(&self, exchange: &Exchange) -> Option<Answer> {
        if self.was_cancelled(exchange) {
            return Some(Answer::Hang);
        }
        self.server_went_after(exchange).then_some(Answer::Exit)
    }

    /// Returns true for a line of text over standard output, such as a log line: it was to be no answer.
    fn is_printed(&self, message: &Message<'_>) -> bool {
        let text = self.text(message).map(str::trim_start);
        message.http.is_none() && text.is_some_and(|text| !begins_as_message(text.as_bytes()))
    }

    /// Returns whether clients cannot tell which request a response belongs to: it has no id, and no status tells it.
    fn answers_nobody(&self, message: &Message<'_>) -> bool {
        message.id().is_none() && message.status().is_none_or(|status| status < 400)
    }

    /// The whole message, with the id replaced by a placeholder for the id of a later request. A null id stays.
    fn verbatim(&self, message: &Message<'_>) -> Result<Answer, String> {
        if let Shape::NotRead(excess) = message.shape {
            return Err(format!("its answer was not read: {}", excess.of(Role::Server)));
        }
        let Some(raw) = self.transcript.message(message.seq) else {
            return Err("its answer was longer than the recording takes".to_owned());
        };
        let bytes = raw.to_bytes();
        Ok(Answer::Raw(with_marked_id(&bytes).unwrap_or(bytes)))
    }

    /// Returns true if the client cancelled a request.
    fn was_cancelled(&self, exchange: &Exchange) -> bool {
        self.messages[exchange.request].id().is_some_and(|id| self.cancelled.contains(&id.to_compact()))
    }

    /// Returns true if the server's process, or its output, ended while the client was still waiting.
    fn server_went_after(&self, exchange: &Exchange) -> bool {
        let asked = self.messages[exchange.request].seq;
        let later = self.ends.partition_point(|(seq, _)| *seq <= asked);
        self.ends.get(later).is_some_and(|(_, whose)| *whose == Role::Server)
    }

    /// Every list, complete or not.
    fn lists(&self, exchanges: &[Exchange]) -> Vec<List> {
        let mut lists: Vec<List> = Vec::new();
        // Which list goes on at a cursor: the last that does.
        let mut open: HashMap<String, usize> = HashMap::new();
        for exchange in exchanges {
            let request = &self.messages[exchange.request];
            let (Some("tools/list"), Came::Result(at)) = (request.method(), exchange.answer) else { continue };
            if self.strays.contains(&at) {
                continue;
            }
            let answer = &self.messages[at];
            let Some(tools) = answer.json.pointer("/result/tools").and_then(Json::as_array) else { continue };
            let (listed, seen) = (tools.len(), self.tools(answer, tools));
            let bytes = self.text(answer).map_or(0, str::len);
            let cursor = request.param("cursor").and_then(Json::as_str);
            let next = answer.json.pointer("/result/nextCursor").and_then(Json::as_str).map(str::to_owned);
            // Nothing comes after a page that names itself.
            let endless = next.clone().filter(|next| self.ends_at_itself && cursor == Some(next));
            let next = next.filter(|_| endless.is_none());
            let without = self.lacking(exchange, &["resultType", "ttlMs", "cacheScope"]);
            let begun = cursor.and_then(|cursor| open.remove(cursor));
            let place = match begun {
                Some(place) => {
                    let list: &mut List = &mut lists[place];
                    list.tools.extend(seen);
                    list.listed += listed;
                    list.bytes += bytes;
                    (list.seq, list.next) = (answer.seq, next.clone());
                    list.pages += 1;
                    list.endless = endless;
                    list.without
                        .extend(without.into_iter().filter(|key| !list.without.contains(key)).collect::<Vec<_>>());
                    place
                }
                None => {
                    let (seq, next) = (answer.seq, next.clone());
                    lists.push(List { seq, tools: seen, listed, bytes, pages: 1, next, first: at, endless, without });
                    lists.len() - 1
                }
            };
            open.extend(next.map(|next| (next, place)));
        }
        for list in &mut lists {
            let mut names = BTreeSet::new();
            // A scenario cannot have two tools with one name. Clients use the first or the last.
            list.tools.retain(|tool| names.insert(tool.name.clone()));
        }
        lists
    }

    /// Puts lists, calls and notifications of changes into one order.
    fn captured(&mut self, mut calls: Vec<Timed>, lists: &[List], wanted: &BTreeSet<String>) -> Captured {
        let paged = lists.iter().any(|list| list.pages > 1);
        let endless = lists.first().and_then(|list| list.endless.as_ref());
        if paged && wanted.len() < 2 && endless.is_none() {
            self.left_out.push("that the list came in pages: the tools that were not called are not in it".to_owned());
        }
        let mut captured = Captured {
            // Tools are omitted, so the pages are shorter than they were. One tool a page keeps most of them apart.
            page_size: (paged && wanted.len() > 1 && endless.is_none()).then_some(1),
            list: lists.first().and_then(|list| {
                list_members(&self.part(&self.messages[list.first], "/result")?, list.endless.as_deref())
            }),
            list_without: lists.first().map(|list| list.without.clone()).unwrap_or_default(),
            ..Captured::default()
        };
        let notified: Vec<u32> =
            self.messages.iter().filter(|message| announces_change(message)).map(|message| message.seq).collect();
        let mut listed = Vec::new();
        for list in lists {
            let tools: Vec<CapturedTool> =
                list.tools.iter().filter(|tool| wanted.contains(&tool.name)).cloned().collect();
            // Listing the same tools again changes nothing.
            let same = captured.stages.last().is_some_and(|stage| alike(&stage.tools, &tools));
            if !same {
                let since = listed.last().map_or(0, |(seq, _): &(u32, usize)| *seq);
                let news = notified.iter().copied().find(|seq| (since..list.seq).contains(seq));
                let first = captured.stages.is_empty();
                let stage = captured.stages.len();
                captured.stages.push(CapturedStage { tools, notified: !first && news.is_some() });
                // The server had other tools since the notification, even before the client listed them.
                let from = if first { 0 } else { news.unwrap_or(list.seq) };
                calls.iter_mut().filter(|timed| timed.seq >= from).for_each(|timed| timed.call.stage = stage);
                listed.push((list.seq, stage));
            }
        }
        if captured.stages.is_empty() {
            captured.stages.push(CapturedStage::default());
        }
        let mut requests: Vec<(u32, CapturedRequest)> =
            listed.into_iter().map(|(seq, stage)| (seq, CapturedRequest::Listed { stage })).collect();
        requests.extend(calls.into_iter().map(|timed| (timed.seq, CapturedRequest::Called(timed.call))));
        requests.sort_by_key(|(seq, _)| *seq);
        // Answers may arrive out of order, but a server does not go back to an earlier stage.
        let mut held = 0;
        for (_, request) in &mut requests {
            let stage = match request {
                CapturedRequest::Listed { stage } => stage,
                CapturedRequest::Called(call) => &mut call.stage,
            };
            held = held.max(*stage);
            *stage = held;
        }
        captured.requests = requests.into_iter().map(|(_, request)| request).collect();
        captured
    }
}

fn announces_change(message: &Message<'_>) -> bool {
    message.shape == Shape::Notification
        && message.from == Role::Server
        && message.method() == Some("notifications/tools/list_changed")
}

fn alike(one: &[CapturedTool], other: &[CapturedTool]) -> bool {
    let parsed =
        |tools: &[CapturedTool]| -> Vec<_> { tools.iter().map(|tool| minify(&tool.definition).ok()).collect() };
    parsed(one) == parsed(other)
}

/// The members of a list beside its tools, without those that every server sends. `endless` is the cursor of a page that
/// names itself as the next one.
pub fn list_members(result: &str, endless: Option<&str>) -> Option<String> {
    let is_usual = |key: &str, value: &str| match key {
        "tools" => true,
        "nextCursor" => value.starts_with('"'),
        "_meta" => value.starts_with('{'),
        "resultType" => value == "\"complete\"",
        "ttlMs" => value == "0",
        "cacheScope" => value == "\"private\"",
        _ => false,
    };
    let rest = without(result, is_usual);
    let next = endless.map(|cursor| format!("\"nextCursor\":{}", Json::from(cursor).to_compact()));
    match (rest.as_str(), next) {
        ("{}", next) => next.map(|next| format!("{{{next}}}")),
        (_, Some(next)) => Some(format!("{{{next},{}", &rest[1..])),
        (_, None) => Some(rest),
    }
}

/// The text of an object without those members that have exactly this value.
pub fn without_members(text: &str, members: &[(&str, &str)]) -> String {
    without(text, |key, value| members.contains(&(key, value)))
}

fn without(text: &str, unwanted: impl Fn(&str, &str) -> bool) -> String {
    let Some(members) = json_members(text) else { return text.to_owned() };
    let mut names = HashSet::new();
    let has_duplicates = !members.iter().all(|(key, _)| names.insert(key.to_string_lossy()));
    let is_unwanted = |(key, value): &&(JsonString, &str)| key.as_str().is_some_and(|key| unwanted(key, value));
    if has_duplicates || !members.iter().any(|member| is_unwanted(&member)) {
        return text.to_owned();
    }
    let kept = members.iter().filter(|member| !is_unwanted(member));
    let kept: Vec<String> =
        kept.map(|(key, value)| format!("{}:{value}", Json::String(key.clone()).to_compact())).collect();
    format!("{{{}}}", kept.join(","))
}

/// A message with a placeholder in place of its id. `None` if it has none, or a null one.
fn with_marked_id(bytes: &[u8]) -> Option<Vec<u8>> {
    // In bytes that are not UTF-8, the members have the same places as in ASCII.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect()),
    };
    let id = text_at(&text, "/id").filter(|id| *id != "null")?;
    let at = id.as_ptr() as usize - text.as_ptr() as usize;
    Some([&bytes[..at], b"{{id}}", &bytes[at + id.len()..]].concat())
}
