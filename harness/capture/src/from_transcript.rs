//! From a transcript to [`Captured`]: its lists and calls, in order.
//!
//! Calls of the harness's own tools are skipped, so that a transcript of a mock can be captured, too.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, Object, elements, minify, pointer_token, text_at};
use mcp_compat_judge::exchange::{Answer as Came, Exchange, exchanges};
use mcp_compat_judge::session::Session;
use mcp_compat_judge::wire::{self, Message, Shape};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, Transcript};
use mcp_compat_scenario::write::Answer;

use super::captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool, is_harness_tool};

/// How to treat tools that were listed and never called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uncalled {
    /// Omit them.
    #[default]
    Omitted,
    /// Include them, each with a placeholder result for its schema: a client may fail at the list already.
    Placeholder,
}

/// What a transcript shows.
pub struct Capture {
    /// The tools and requests.
    /// The lists and calls, in their order.
    pub captured: Captured,
    /// The tools that were listed, called or not, by name.
    pub listed: Vec<String>,
    /// What could not be captured, one line each.
    pub left_out: Vec<String>,
}

/// Captures a transcript, with at most `most` calls.
pub fn capture(transcript: &Transcript, uncalled: Uncalled, most: usize) -> Capture {
    let messages = wire::read(transcript);
    let exchanges = exchanges(&messages, transcript);
    let mut reader = Reader { transcript, messages: &messages, left_out: Vec::new() };
    let calls = reader.calls(&exchanges.all, most);
    let lists = reader.lists(&exchanges.all);
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
    captured.revision = Session::read(&messages, &exchanges).revision;
    Capture { captured, listed: listed.into_iter().collect(), left_out: reader.left_out }
}

/// The tools of the first list of a transcript, in the order listed.
pub fn first_list(transcript: &Transcript) -> Vec<CapturedTool> {
    let messages = wire::read(transcript);
    let exchanges = exchanges(&messages, transcript);
    let lists = Reader { transcript, messages: &messages, left_out: Vec::new() }.lists(&exchanges.all);
    lists.into_iter().next().map(|list| list.tools).unwrap_or_default()
}

struct Reader<'t> {
    transcript: &'t Transcript,
    messages: &'t [Message<'t>],
    left_out: Vec<String>,
}

/// A call, and when it was made.
struct Timed {
    seq: u32,
    call: CapturedCall,
}

/// A list of tools, with all its pages.
struct List {
    /// When its last page came.
    seq: u32,
    tools: Vec<CapturedTool>,
    pages: u32,
    /// The cursor of the next page. `None` once the list is complete.
    next: Option<String>,
    members: Option<String>,
}

impl Reader<'_> {
    /// The text of a message. `None` if it is in a batch or not text.
    fn text(&self, message: &Message<'_>) -> Option<&str> {
        let entry = self.transcript.entries.get(usize::try_from(message.seq).ok()?)?;
        match &entry.event {
            Event::Message { raw, .. } if !message.batched => raw.as_text(),
            Event::Message { .. }
            | Event::Head { .. }
            | Event::Overflow { .. }
            | Event::Fetched { .. }
            | Event::Closed {}
            | Event::Exited { .. }
            | Event::Stopped { .. } => None,
        }
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
                    let call = CapturedCall { stage: 0, tool: tool.to_owned(), arguments, answer };
                    calls.push(Timed { seq: request.seq, call });
                }
                Err(why) => self.left_out.push(format!("a call of `{tool}`: {why}")),
            }
        }
        calls
    }

    fn answer(&self, exchange: &Exchange) -> Result<Answer, String> {
        match exchange.answer {
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
            Came::Unreadable(at) => self.verbatim(&self.messages[at]),
            Came::Status { status, .. } => Err(format!("it was answered with HTTP status {status} and no message")),
            Came::None if self.was_cancelled(exchange) => Ok(Answer::Hang),
            Came::None if self.server_went_after(exchange) => Ok(Answer::Exit),
            Came::None => Err("it was not answered before the recording ended".to_owned()),
        }
    }

    /// The whole message, with the id replaced by a placeholder for the id of a later request.
    fn verbatim(&self, message: &Message<'_>) -> Result<Answer, String> {
        let entry = usize::try_from(message.seq).ok().and_then(|seq| self.transcript.entries.get(seq));
        let Some(Event::Message { raw, .. }) = entry.map(|entry| &entry.event) else {
            return Err("its answer was longer than the recording takes".to_owned());
        };
        let bytes = raw.to_bytes();
        let marked = raw.as_text().and_then(|text| {
            let id = text_at(text, "/id")?;
            let at = id.as_ptr() as usize - text.as_ptr() as usize;
            Some(format!("{}{{{{id}}}}{}", &text[..at], &text[at + id.len()..]).into_bytes())
        });
        Ok(Answer::Raw(marked.unwrap_or(bytes)))
    }

    /// Whether the client cancelled a request.
    fn was_cancelled(&self, exchange: &Exchange) -> bool {
        let id = self.messages[exchange.request].id();
        self.messages.iter().any(|message| {
            message.from == Role::Client
                && message.method() == Some("notifications/cancelled")
                && id.is_some()
                && message.param("requestId") == id
        })
    }

    /// Whether the server's process, or its output, ended while the client was still waiting.
    fn server_went_after(&self, exchange: &Exchange) -> bool {
        let asked = self.messages[exchange.request].seq;
        let ends = |event: &Event| matches!(event, Event::Closed {} | Event::Exited { .. });
        let mut later = self.transcript.entries.iter().filter(|entry| entry.seq > asked && ends(&entry.event));
        later.next().is_some_and(|first| first.from == Role::Server)
    }

    /// Every list that is complete.
    fn lists(&self, exchanges: &[Exchange]) -> Vec<List> {
        let mut lists: Vec<List> = Vec::new();
        for exchange in exchanges {
            let request = &self.messages[exchange.request];
            let (Some("tools/list"), Came::Result(at)) = (request.method(), exchange.answer) else { continue };
            let answer = &self.messages[at];
            let Some(tools) = answer.json.pointer("/result/tools").and_then(Json::as_array) else { continue };
            let seen = self.tools(answer, tools);
            let cursor = request.param("cursor").and_then(Json::as_str);
            let next = answer.json.pointer("/result/nextCursor").and_then(Json::as_str).map(str::to_owned);
            let begun = lists.iter_mut().rev().find(|list| cursor.is_some() && list.next.as_deref() == cursor);
            match begun {
                Some(list) => {
                    list.tools.extend(seen);
                    list.seq = answer.seq;
                    list.next = next;
                    list.pages += 1;
                }
                None => {
                    let members = self.part(answer, "/result").and_then(|result| members(&result));
                    lists.push(List { seq: answer.seq, tools: seen, pages: 1, next, members });
                }
            }
        }
        lists.retain(|list| list.next.is_none());
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
        if paged && wanted.len() < 2 {
            self.left_out.push("that the list came in pages: the tools that were not called are not in it".to_owned());
        }
        let mut captured = Captured {
            // Tools are omitted, so the pages are shorter than they were. One tool a page keeps most of them apart.
            page_size: (paged && wanted.len() > 1).then_some(1),
            list: lists.first().and_then(|list| list.members.clone()),
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

/// The members of a list beside its tools, without those that every server sends.
fn members(result: &str) -> Option<String> {
    let usual = [("resultType", "\"complete\""), ("ttlMs", "0"), ("cacheScope", "\"private\"")];
    let rest = without_members(result, &usual);
    let always = ["tools", "nextCursor", "_meta"];
    let rest = without(&rest, |key, _| always.contains(&key));
    (rest != "{}").then_some(rest)
}

/// The text of an object without those members that have exactly this value.
pub fn without_members(text: &str, members: &[(&str, &str)]) -> String {
    without(text, |key, value| members.contains(&(key, value)))
}

fn without(text: &str, unwanted: impl Fn(&str, &str) -> bool) -> String {
    let parsed = Json::parse(text).ok();
    let Some(object) = parsed.as_ref().and_then(Json::as_object).filter(|object| !object.has_duplicates()) else {
        return text.to_owned();
    };
    let value = |key: &str| text_at(text, &format!("/{}", pointer_token(key)));
    let is_unwanted = |key: &str| value(key).is_some_and(|value| unwanted(key, value));
    if !keys(object).any(is_unwanted) {
        return text.to_owned();
    }
    let kept = keys(object).filter(|key| !is_unwanted(key));
    let kept: Vec<String> =
        kept.filter_map(|key| Some(format!("{}:{}", Json::from(key).to_compact(), value(key)?))).collect();
    format!("{{{}}}", kept.join(","))
}

fn keys(object: &Object) -> impl Iterator<Item = &str> {
    object.iter().filter_map(|(key, _)| key.as_str())
}
