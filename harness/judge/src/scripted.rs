//! Acts of the server that the scenario scripts. A mock that does it is not broken, and a request that it does not
//! answer as scripted is not left open.

use mcp_compat_model::Role;
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};

use crate::facts::{CallFacts, Facts};
use crate::wire::exchange::{Answer, Exchange};
use crate::wire::message::Shape;

impl<'a> Facts<'a> {
    /// The scripted reply to a request; `None` if the scenario leaves it to the server.
    pub fn script_of(&self, exchange: Exchange) -> Option<&'a Reply> {
        match self.call_of(exchange) {
            Some(call) => call.reply,
            None => self.scripted_answer(exchange).map(|answer| &answer.reply),
        }
    }

    /// The scripted answer to a request that is no call.
    pub fn scripted_answer(&self, exchange: Exchange) -> Option<&'a ScriptedAnswer> {
        let method = self.messages[exchange.request].method()?;
        let page = || self.page_of(exchange);
        self.scenario.answers.iter().find(|answer| {
            let of_page = match (answer.to, answer.page) {
                (AnsweredMethod::ListTools, Some(wanted)) => page() == Some(wanted),
                (AnsweredMethod::ListTools | AnsweredMethod::Initialize | AnsweredMethod::Discover, _) => true,
            };
            answer.to.as_str() == method && of_page
        })
    }

    /// Returns true if the scenario has the server leave a request without an answer.
    pub fn is_silent(&self, exchange: Exchange) -> bool {
        matches!(self.script_of(exchange), Some(Reply::Hang {} | Reply::Exit { .. }))
    }

    /// Returns true if the scenario has the server end, and everything after it fail.
    pub fn server_ends(&self) -> bool {
        let ends = |reply: &Reply| matches!(reply, Reply::Exit { .. });
        self.calls.iter().any(|call| call.reply.is_some_and(ends))
            || self.scenario.answers.iter().any(|answer| ends(&answer.reply))
    }

    /// Returns true if the scenario has the server end, or never answer, where a session is opened.
    pub fn opening_is_silent(&self) -> bool {
        let opens = |method: Option<&str>| matches!(method, Some("initialize" | "server/discover"));
        let mut openings = self.exchanges.all.iter().filter(|exchange| opens(self.messages[exchange.request].method()));
        openings.any(|exchange| self.is_silent(*exchange))
    }

    /// Returns true if the scenario itself prescribes what stands in that entry, so that it is not the mock's doing.
    pub fn is_scripted(&self, seq: u32) -> bool {
        let answers = |exchange: Exchange| match exchange.answer {
            Answer::Result(at) | Answer::Error(at) | Answer::Unreadable(at) => self.messages[at].seq == seq,
            Answer::Status { seq: at, .. } => at == seq,
            Answer::None => false,
        };
        let by_call = |call: &CallFacts<'_>| {
            let raw = matches!(call.reply, Some(Reply::Raw(_) | Reply::Hang {} | Reply::Exit { .. }));
            let tool = call.scripted;
            let refused = matches!(call.reply, Some(Reply::Error(_)));
            let bare = tool.is_some_and(|tool| !tool.without.is_empty());
            let preceded = tool.is_some_and(|tool| !tool.before.is_empty());
            call.exchange.is_some_and(|exchange| {
                ((raw || refused || bare) && answers(exchange))
                    || ((raw || preceded) && self.before_answer(exchange).contains(&seq))
            })
        };
        let list = self.scenario.list.is_some() || !self.scenario.list_without.is_empty();
        self.calls.iter().any(by_call)
            || self.exchanges.all.iter().any(|exchange| answers(*exchange) && self.scripted_answer(*exchange).is_some())
            || (list && self.exchanges_of("tools/list").any(|(_, found)| answers(found)))
    }

    /// Messages of the server between a request and its answer that answer nothing: progress, log messages, noise,
    /// answers to nobody's request.
    pub fn before_answer(&self, exchange: Exchange) -> Vec<u32> {
        let end = match exchange.answer {
            Answer::Result(at) | Answer::Error(at) => at,
            Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => self.messages.len(),
        };
        let between = self.messages.get(exchange.request..end).unwrap_or_default();
        let answers_nothing = |place: usize, shape: Shape| match shape {
            Shape::Notification | Shape::Request | Shape::Unreadable | Shape::NotRead(_) => true,
            Shape::Result | Shape::Error => self.exchanges.strays.contains(&place),
        };
        let placed = between.iter().zip(exchange.request..);
        let before =
            placed.filter(|(message, place)| message.from == Role::Server && answers_nothing(*place, message.shape));
        before.map(|(message, _)| message.seq).collect()
    }

    /// The page of the list that a request asks for, from 1; `None` if no page gave its cursor.
    fn page_of(&self, exchange: Exchange) -> Option<u32> {
        let mut page = 1;
        let mut request = exchange.request;
        while let Some(cursor) = self.messages[request].param("cursor").filter(|cursor| !cursor.is_null()) {
            let gave = |candidate: &Exchange| {
                let next = self.result_of(*candidate).and_then(|(_, result)| result.get("nextCursor"));
                candidate.request < request && next == Some(cursor)
            };
            let (_, before) = self.exchanges_of("tools/list").filter(|(_, found)| gave(found)).last()?;
            request = before.request;
            page += 1;
        }
        Some(page)
    }
}
