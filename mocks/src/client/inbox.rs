//! What comes in: the answer that is waited for, what the server tells of its own accord, and what is owed to it.

use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;

use crate::jsonrpc::{self, ErrorObject, META_SUBSCRIPTION, METHOD_NOT_FOUND, Malformed, Message};

use super::trouble::{Answered, Refusal, Trouble, shorten};

/// Sorts what comes in. Both kinds of wire have one.
#[derive(Default)]
pub(super) struct Inbox {
    /// The revision that is spoken, once that is settled.
    pub(super) revision: Option<Revision>,
    /// The highest id given to a request; lower ones may still be answered late.
    pub(super) issued: u64,
    /// Whether `notifications/tools/list_changed` came since this was last cleared.
    pub(super) changed: bool,
    /// The id of the open `subscriptions/listen` request, and what became of it.
    subscription: Option<(u64, Subscription)>,
    /// Answers owed to the server, each a message.
    replies: Vec<Vec<u8>>,
}

/// What became of a subscription.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subscription {
    Asked,
    Acknowledged,
    Over,
}

impl Inbox {
    /// Notes that a subscription was asked for.
    pub(super) fn subscribed(&mut self, id: u64) {
        self.subscription = Some((id, Subscription::Asked));
    }

    /// Whether the server has yet to say what becomes of the subscription.
    pub(super) fn awaits_acknowledgement(&self) -> bool {
        matches!(self.subscription, Some((_, Subscription::Asked)))
    }

    /// The messages owed to the server, once.
    pub(super) fn take_replies(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.replies)
    }

    /// Reads what came in one line, body or event. Returns the answer to `awaited` if it was in there.
    pub(super) fn read(&mut self, bytes: &[u8], awaited: Option<u64>) -> Option<Answered> {
        let bytes = bytes.trim_ascii();
        match bytes.first()? {
            b'[' if self.revision == Some(Revision::V2025_03_26) => self.read_batch(bytes, awaited),
            b'{' | b'[' | 0xef => self.read_message(bytes, awaited),
            // A log line that strayed here, which is common and harmless.
            _ => None,
        }
    }

    /// Batches exist in one revision only, whose clients have to take them.
    fn read_batch(&mut self, bytes: &[u8], awaited: Option<u64>) -> Option<Answered> {
        let messages: Vec<&RawValue> = match serde_json::from_slice(bytes) {
            Ok(messages) => messages,
            Err(error) => return awaited.map(|_| Err(Trouble::Garbled(format!("a batch that is not JSON: {error}")))),
        };
        let mut answer = None;
        for message in messages {
            let read = self.read_message(message.get().as_bytes(), awaited);
            answer = answer.or(read);
        }
        answer
    }

    fn read_message(&mut self, bytes: &[u8], awaited: Option<u64>) -> Option<Answered> {
        match Message::read(bytes) {
            Ok(Message::Response { id, result }) => self.answered(id, awaited, || Ok(result.to_owned())),
            Ok(Message::Failure { id: Some(id), error }) => self.answered(id, awaited, || Err(refusal(error))),
            // Without an id it can only be about the request that waits.
            Ok(Message::Failure { id: None, error }) => awaited.map(|_| Err(refusal(error))),
            Ok(Message::Notification { method, params }) => {
                self.told(&method, params);
                None
            }
            Ok(Message::Request { id, method, params: _ }) => {
                self.asked(id, &method);
                None
            }
            Err(error) => self.malformed(&error, awaited),
        }
    }

    fn answered(&mut self, id: &RawValue, awaited: Option<u64>, answer: impl FnOnce() -> Answered) -> Option<Answered> {
        let number = id.get().parse::<u64>().ok();
        if number.is_some() && number == awaited {
            return Some(answer());
        }
        if let Some((subscription, state)) = &mut self.subscription
            && number == Some(*subscription)
        {
            *state = Subscription::Over;
            return None;
        }
        if number.is_some_and(|number| (1..=self.issued).contains(&number)) {
            // Late: nobody waits for it any more.
            return None;
        }
        let reason = format!("an answer to {}, which was never asked", shorten(id.get()));
        awaited.map(|_| Err(Trouble::Garbled(reason)))
    }

    fn malformed(&self, error: &Malformed, awaited: Option<u64>) -> Option<Answered> {
        let about = error.id().and_then(|id| id.parse::<u64>().ok());
        let late = about.is_some() && about != awaited && about <= Some(self.issued);
        if late { None } else { awaited.map(|_| Err(Trouble::Garbled(error.to_string()))) }
    }

    fn told(&mut self, method: &str, params: Option<&RawValue>) {
        match method {
            "notifications/tools/list_changed" if self.era() == Some(Era::Legacy) || self.is_ours(params) => {
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

    /// Whether a notification belongs to the open subscription. In the modern era none may be taken otherwise.
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
        let mut reply = Vec::new();
        if method == "ping" {
            jsonrpc::response(&mut reply, id.get(), "{}");
        } else {
            let error = jsonrpc::error_object(METHOD_NOT_FOUND, "this client declared no such capability", None);
            jsonrpc::failure(&mut reply, Some(id.get()), &error);
        }
        self.replies.push(reply);
    }

    fn era(&self) -> Option<Era> {
        self.revision.map(Revision::era)
    }
}

fn refusal(error: &RawValue) -> Trouble {
    match ErrorObject::read(error) {
        Ok(error) => Trouble::Refused(Refusal {
            code: error.code,
            message: shorten(&error.message),
            data: error.data.map(ToOwned::to_owned),
        }),
        Err(problem) => Trouble::Garbled(format!("an error that is no JSON-RPC error: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inbox(revision: Revision) -> Inbox {
        Inbox { revision: Some(revision), issued: 5, ..Inbox::default() }
    }

    fn garbled(read: Option<Answered>) -> bool {
        matches!(read, Some(Err(Trouble::Garbled(_))))
    }

    #[test]
    fn only_the_awaited_answer_is_one_and_late_ones_are_let_go() {
        let mut inbox = inbox(Revision::V2025_11_25);
        let answer = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"n":1e400}}}}"#);
        let read = inbox.read(answer("5").as_bytes(), Some(5));
        assert_eq!(read.unwrap().unwrap().get(), r#"{"n":1e400}"#);
        assert!(inbox.read(answer("3").as_bytes(), Some(5)).is_none());
        assert!(garbled(inbox.read(answer("6").as_bytes(), Some(5))), "never asked");
        assert!(garbled(inbox.read(answer("\"5\"").as_bytes(), Some(5))), "another id, however similar");
    }

    #[test]
    fn a_log_line_is_skipped_and_a_broken_message_fails_the_request_that_waits() {
        let mut inbox = inbox(Revision::V2025_11_25);
        assert!(inbox.read(b"INFO listening", Some(5)).is_none());
        assert!(garbled(inbox.read(br#"{"jsonrpc":"2.0","id":5,"resu"#, Some(5))));
        assert!(garbled(inbox.read(b"\xef\xbb\xbf{}", Some(5))), "a byte order mark");
        assert!(inbox.read(b"{}", None).is_none(), "nothing waits");
    }

    #[test]
    fn a_batch_is_taken_in_the_revision_that_has_them() {
        let batch =
            br#"[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":5,"result":{}}]"#;
        let mut old = inbox(Revision::V2025_03_26);
        assert!(matches!(old.read(batch, Some(5)), Some(Ok(_))));
        assert!(old.changed);
        assert!(garbled(inbox(Revision::V2025_06_18).read(batch, Some(5))));
    }

    #[test]
    fn a_modern_notification_counts_only_with_the_id_of_the_subscription() {
        let told = |id: &str| {
            let mut inbox = inbox(Revision::V2026_07_28);
            inbox.subscribed(4);
            let params = format!(r#"{{"_meta":{{"{META_SUBSCRIPTION}":{id}}}}}"#);
            let mut line = Vec::new();
            jsonrpc::notification(&mut line, "notifications/tools/list_changed", Some(&params));
            assert!(inbox.read(&line, None).is_none());
            inbox.changed
        };
        assert!(told("4"));
        assert!(!told("3"));
        let mut bare = inbox(Revision::V2026_07_28);
        bare.subscribed(4);
        bare.read(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#, None);
        assert!(!bare.changed);
    }

    #[test]
    fn a_ping_is_answered_in_the_legacy_era_only() {
        let ping = br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
        let mut legacy = inbox(Revision::V2025_11_25);
        legacy.read(ping, None);
        assert_eq!(legacy.take_replies(), [br#"{"jsonrpc":"2.0","id":"p","result":{}}"#.to_vec()]);
        let mut modern = inbox(Revision::V2026_07_28);
        modern.read(ping, None);
        assert!(modern.take_replies().is_empty());
    }
}
