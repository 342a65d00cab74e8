//! Everything that arrives: answers to pending requests, notifications, and requests of the server.

use crate::wire::deviations::Deviations;
use crate::wire::jsonrpc::{self, ErrorObject, META_SUBSCRIPTION, METHOD_NOT_FOUND, Malformed, Message};
use mcp_compat_model::transcript::begins_as_message;
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use crate::client::client_error::{ClientError, RpcError, RpcResult, shorten};
use crate::client::decoding::{Decoded, decode};
use crate::client::pending_requests::PendingRequests;
use crate::client::quirk::ClientQuirk;
use crate::client::request_style::RequestStyle;

/// Sorts everything that arrives. Both kinds of wire have one.
#[derive(Default)]
pub(crate) struct Inbox {
    /// The revision that is spoken, once it is negotiated.
    pub(crate) revision: Option<Revision>,
    /// The highest id of a request so far. Lower ones may still be answered late.
    pub(crate) issued: u64,
    /// Tells whether `notifications/tools/list_changed` arrived since this was last cleared.
    pub(crate) changed: bool,
    /// The id and the state of the open `subscriptions/listen` request.
    subscription: Option<(u64, Subscription)>,
    /// Replies to requests of the server, each a message.
    replies: Vec<Vec<u8>>,
    pub(crate) deviations: Deviations<ClientQuirk>,
    pub(crate) style: RequestStyle,
    /// Tells whether the client has ended the session at a message, which only a quirk does.
    pub(crate) choked: bool,
    /// Tells whether the client has stopped reading, which only a quirk does.
    is_deaf: bool,
}

/// The state of a subscription.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subscription {
    Asked,
    Acknowledged,
    Over,
}

impl Inbox {
    pub(crate) fn does(&self, quirk: ClientQuirk) -> bool {
        self.deviations.has(quirk)
    }

    /// Records that a subscription was requested.
    pub(crate) fn subscribed(&mut self, id: u64) {
        self.subscription = Some((id, Subscription::Asked));
    }

    /// Returns whether the server has not yet acknowledged the subscription.
    pub(crate) fn awaits_acknowledgement(&self) -> bool {
        matches!(self.subscription, Some((_, Subscription::Asked)))
    }

    /// Takes the replies to the server.
    pub(crate) fn take_replies(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.replies)
    }

    /// Reads one line, body or event, and passes the answers in it to the pending requests.
    pub(crate) fn read(&mut self, bytes: &[u8], pending: &mut PendingRequests) {
        let bytes = match decode(self.deviations, bytes.trim_ascii()) {
            Decoded::Text(bytes) => bytes,
            Decoded::Undecodable => {
                return self.broken("a message beyond what this client can read".to_owned(), pending);
            }
            Decoded::EndsSession => return self.choke(pending),
        };
        if self.is_deaf {
            return;
        }
        match bytes.first() {
            None => {}
            Some(_) if begins_as_message(&bytes) => match bytes[0] {
                b'[' if self.revision == Some(Revision::V2025_03_26) => self.read_batch(&bytes, pending),
                _ => self.read_message(&bytes, pending),
            },
            // A log line on standard output, which is common and harmless.
            Some(_) => self.unreadable("a line that is no message", pending),
        }
    }

    /// Handles what is no message of JSON-RPC. An honest client skips it.
    fn unreadable(&mut self, what: &str, pending: &mut PendingRequests) {
        self.is_deaf |= self.does(ClientQuirk::StopsReading);
        if self.does(ClientQuirk::EndsAtBrokenMessages) {
            self.choked = true;
            pending.fail(|| ClientError::InvalidMessage(format!("the client ended the session at {what}")));
        }
        self.choke_on(ClientQuirk::ChokesOnNoise, pending);
    }

    /// Handles a message that cannot be read and names no request.
    fn broken(&self, reason: String, pending: &mut PendingRequests) {
        if !self.does(ClientQuirk::IgnoresBrokenMessages) {
            pending.stray(ClientError::InvalidMessage(reason));
        }
    }

    /// Ends the session.
    fn choke(&mut self, pending: &mut PendingRequests) {
        self.choked = true;
        pending.fail(|| ClientError::ConnectionLost("the client ended the session at what is no message".to_owned()));
    }

    /// Batches exist in one revision only, whose clients have to accept them.
    fn read_batch(&mut self, bytes: &[u8], pending: &mut PendingRequests) {
        match serde_json::from_slice::<Vec<&RawValue>>(bytes) {
            Ok(messages) => {
                messages.into_iter().for_each(|message| self.read_message(message.get().as_bytes(), pending))
            }
            Err(error) => self.broken(format!("a batch that is not JSON: {error}"), pending),
        }
    }

    fn read_message(&mut self, bytes: &[u8], pending: &mut PendingRequests) {
        match Message::read(bytes) {
            Ok(Message::Response { id, result }) => self.answered(id, pending, || Ok(result.to_owned())),
            Ok(Message::Failure { id: Some(id), error }) => self.answered(id, pending, || Err(refusal(error))),
            // Without an id it can only belong to a pending request.
            Ok(Message::Failure { id: None, error }) => pending.stray(refusal(error)),
            Ok(Message::Notification { method, params }) => {
                self.notified(&method, params);
                self.choke_on(ClientQuirk::ChokesOnNotifications, pending);
            }
            Ok(Message::Request { id, method, params: _ }) => self.asked(id, &method),
            // A log line too.
            Err(Malformed::Foreign) => self.unreadable("a line of JSON that is no message", pending),
            Err(error) => {
                self.unreadable(&error.to_string(), pending);
                self.malformed(&error, pending);
            }
        }
    }

    /// Fails the pending requests at a message that the client cannot handle, if it has that quirk.
    fn choke_on(&mut self, quirk: ClientQuirk, pending: &mut PendingRequests) {
        if !self.does(quirk) {
            return;
        }
        if quirk == ClientQuirk::ChokesOnNoise {
            self.choke(pending);
        } else {
            pending.stray(ClientError::InvalidMessage("a notification where an answer was expected".to_owned()));
        }
    }

    fn answered(&mut self, id: &RawValue, pending: &mut PendingRequests, answer: impl FnOnce() -> RpcResult) {
        let number = self.style.number(id.get());
        let first = pending.open().next();
        if let Some(first) = first
            && self.does(ClientQuirk::ConfusesIds)
        {
            return pending.answer(first, answer());
        }
        if let Some(number) = number.filter(|number| pending.open().any(|open| open == *number)) {
            return pending.answer(number, answer());
        }
        if let Some((subscription, state)) = &mut self.subscription
            && number == Some(*subscription)
        {
            *state = Subscription::Over;
            return;
        }
        // It is late and no longer pending, or it answers no request.
        let asked = number.is_some_and(|number| (1..=self.issued).contains(&number));
        if !asked && !self.does(ClientQuirk::IgnoresForeignAnswers) {
            pending.stray(ClientError::InvalidMessage(format!(
                "an answer to {}, which was never asked",
                shorten(id.get())
            )));
        }
    }

    fn malformed(&self, error: &Malformed, pending: &mut PendingRequests) {
        if self.is_deaf || self.does(ClientQuirk::IgnoresBrokenMessages) {
            return;
        }
        let invalid = ClientError::InvalidMessage(error.to_string());
        match error.id().and_then(|id| self.style.number(id)) {
            Some(about) if pending.open().any(|open| open == about) => pending.answer(about, Err(invalid)),
            Some(late) if late <= self.issued => {}
            Some(_) | None => pending.stray(invalid),
        }
    }

    fn notified(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            // Who forgets the list at a change has one handler for all notifications, whoever asked for them.
            "notifications/tools/list_changed"
                if self.era() == Some(Era::Legacy)
                    || self.is_ours(params)
                    || self.does(ClientQuirk::ForgetsOnChange) =>
            {
                self.changed = true;
            }
            "notifications/subscriptions/acknowledged" if self.is_ours(params) => {
                if let Some((_, state)) = &mut self.subscription {
                    *state = Subscription::Acknowledged;
                }
            }
            _ => {}
        }
    }

    /// Returns whether a notification belongs to the open subscription. In the modern era, others are ignored.
    fn is_ours(&self, params: Option<&RawValue>) -> bool {
        #[derive(serde::Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "_meta")]
            meta: std::collections::BTreeMap<std::borrow::Cow<'a, str>, &'a RawValue>,
        }
        let Some((subscription, Subscription::Asked | Subscription::Acknowledged)) = self.subscription else {
            return false;
        };
        let meta = params.and_then(|params| serde_json::from_str::<Params<'_>>(params.get()).ok());
        let id = meta.as_ref().and_then(|params| params.meta.get(META_SUBSCRIPTION));
        id.is_some_and(|id| id.get().parse() == Ok(subscription))
    }

    /// A request from the server. Modern servers must not send any, and must not be answered.
    fn asked(&mut self, id: &RawValue, method: &str) {
        if self.era() == Some(Era::Modern) {
            return;
        }
        self.replies.push(if method == "ping" {
            jsonrpc::response(id.get(), "{}")
        } else {
            let error = jsonrpc::error_object(METHOD_NOT_FOUND, "this client declared no such capability", None);
            jsonrpc::failure(Some(id.get()), &error)
        });
    }

    fn era(&self) -> Option<Era> {
        self.revision.map(Revision::era)
    }
}

fn refusal(error: &RawValue) -> ClientError {
    match ErrorObject::read(error) {
        Ok(error) => ClientError::Rpc(RpcError {
            code: error.code,
            message: shorten(&error.message),
            data: error.data.map(ToOwned::to_owned),
        }),
        Err(problem) => ClientError::InvalidMessage(format!("an error that is not a JSON-RPC error: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inbox(revision: Revision) -> Inbox {
        Inbox { revision: Some(revision), issued: 5, ..Inbox::default() }
    }

    /// Returns the outcome of request 5 after some bytes.
    fn read(inbox: &mut Inbox, bytes: &[u8]) -> Option<RpcResult> {
        let mut pending = PendingRequests::to([5]);
        inbox.read(bytes, &mut pending);
        pending.into_answers().next().flatten()
    }

    fn garbled(read: Option<RpcResult>) -> bool {
        matches!(read, Some(Err(ClientError::InvalidMessage(_))))
    }

    #[test]
    fn only_the_awaited_answer_is_one_and_late_ones_are_let_go() {
        let mut inbox = inbox(Revision::V2025_11_25);
        let answer = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"n":1e400}}}}"#);
        assert_eq!(read(&mut inbox, answer("5").as_bytes()).unwrap().unwrap().get(), r#"{"n":1e400}"#);
        assert!(read(&mut inbox, answer("3").as_bytes()).is_none());
        assert!(garbled(read(&mut inbox, answer("6").as_bytes())), "never asked");
        assert!(garbled(read(&mut inbox, answer("\"5\"").as_bytes())), "another id, however similar");
    }

    #[test]
    fn a_log_line_is_skipped_and_a_broken_message_fails_the_request_that_waits() {
        let mut inbox = inbox(Revision::V2025_11_25);
        assert!(read(&mut inbox, b"INFO listening").is_none());
        assert!(garbled(read(&mut inbox, br#"{"jsonrpc":"2.0","id":5,"resu"#)));
        assert!(garbled(read(&mut inbox, b"\xef\xbb\xbf{}")), "a byte order mark");
        inbox.read(b"{}", &mut PendingRequests::none());
    }

    #[test]
    fn a_broken_message_that_says_whose_it_is_fails_that_request_and_no_other() {
        let mut pending = PendingRequests::to([4, 5]);
        inbox(Revision::V2025_11_25).read(br#"{"jsonrpc":"2.0","id":5}"#, &mut pending);
        assert_eq!(pending.open().collect::<Vec<_>>(), [4]);
    }

    #[test]
    fn a_batch_is_taken_in_the_revision_that_has_them() {
        let batch =
            br#"[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":5,"result":{}}]"#;
        let mut old = inbox(Revision::V2025_03_26);
        assert!(matches!(read(&mut old, batch), Some(Ok(_))));
        assert!(old.changed);
        assert!(garbled(read(&mut inbox(Revision::V2025_06_18), batch)));
    }

    #[test]
    fn a_modern_notification_counts_only_with_the_id_of_the_subscription() {
        let told = |id: &str| {
            let mut inbox = inbox(Revision::V2026_07_28);
            inbox.subscribed(4);
            let params = format!(r#"{{"_meta":{{"{META_SUBSCRIPTION}":{id}}}}}"#);
            let line = jsonrpc::notification("notifications/tools/list_changed", Some(&params));
            assert!(read(&mut inbox, &line).is_none());
            inbox.changed
        };
        assert!(told("4"));
        assert!(!told("3"));
        let mut bare = inbox(Revision::V2026_07_28);
        bare.subscribed(4);
        read(&mut bare, br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
        assert!(!bare.changed);
    }

    #[test]
    fn a_ping_is_answered_in_the_legacy_era_only() {
        let ping = br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
        let mut legacy = inbox(Revision::V2025_11_25);
        read(&mut legacy, ping);
        assert_eq!(legacy.take_replies(), [br#"{"jsonrpc":"2.0","id":"p","result":{}}"#.to_vec()]);
        let mut modern = inbox(Revision::V2026_07_28);
        read(&mut modern, ping);
        assert!(modern.take_replies().is_empty());
    }
}
