//! Requests that wait for their answers, and the answers that have arrived.

use crate::client::client_error::{ClientError, RpcResult};

/// Open requests in the order in which they were sent, with their answers.
#[derive(Default)]
pub(crate) struct PendingRequests {
    slots: Vec<Slot>,
    /// Errors that arrived in place of an answer and do not say which request they belong to.
    strays: Vec<ClientError>,
}

struct Slot {
    id: u64,
    answer: Option<RpcResult>,
}

impl PendingRequests {
    /// No requests.
    pub(crate) const fn none() -> Self {
        Self { slots: Vec::new(), strays: Vec::new() }
    }

    /// The answers to these requests.
    pub(crate) fn to(ids: impl IntoIterator<Item = u64>) -> Self {
        let slots = ids.into_iter().map(|id| Slot { id, answer: None }).collect();
        Self { slots, strays: Vec::new() }
    }

    /// The requests that have no answer yet.
    pub(crate) fn open(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().filter(|slot| slot.answer.is_none()).map(|slot| slot.id)
    }

    /// Returns whether every request has its answer.
    pub(crate) fn is_complete(&self) -> bool {
        self.open().next().is_none()
    }

    /// Records the answer to a request, if the request is open.
    pub(crate) fn answer(&mut self, id: u64, answer: RpcResult) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id && slot.answer.is_none()) {
            slot.answer = Some(answer);
            self.settle();
        }
    }

    /// Records an error that arrived in place of an answer and does not say which request it belongs to. Each such error
    /// is the answer to some request: when there are as many errors as open requests, those requests have failed.
    pub(crate) fn stray(&mut self, error: ClientError) {
        if !self.is_complete() {
            self.strays.push(error);
            self.settle();
        }
    }

    /// Fails every request that has no answer, or only an invalid one: nothing more will arrive.
    pub(crate) fn unless_answered(&mut self, error: impl Fn() -> ClientError) {
        for slot in &mut self.slots {
            if matches!(slot.answer, None | Some(Err(ClientError::InvalidMessage(_)))) {
                slot.answer = Some(Err(error()));
            }
        }
    }

    /// Forgets invalid messages and keeps waiting, which only a quirk does.
    pub(crate) fn wait_on(&mut self) {
        self.strays.clear();
        for slot in &mut self.slots {
            if matches!(slot.answer, Some(Err(ClientError::InvalidMessage(_)))) {
                slot.answer = None;
            }
        }
    }

    /// Fails every request that has no answer: nothing more will arrive.
    pub(crate) fn fail(&mut self, error: impl Fn() -> ClientError) {
        for slot in &mut self.slots {
            slot.answer.get_or_insert_with(|| Err(error()));
        }
    }

    /// The answers, in the order in which the requests were sent.
    pub(crate) fn into_answers(self) -> impl Iterator<Item = Option<RpcResult>> {
        self.slots.into_iter().map(|slot| slot.answer)
    }

    fn settle(&mut self) {
        if self.strays.len() >= self.open().count() {
            let open = self.slots.iter_mut().filter(|slot| slot.answer.is_none());
            for (slot, stray) in open.zip(self.strays.drain(..)) {
                slot.answer = Some(Err(stray));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn garbled(reason: &str) -> ClientError {
        ClientError::InvalidMessage(reason.to_owned())
    }

    fn came(pending: PendingRequests) -> Vec<String> {
        let answered = |answer: Option<RpcResult>| match answer {
            None => "open".to_owned(),
            Some(Ok(result)) => result.get().to_owned(),
            Some(Err(error)) => error.to_peer_error().message,
        };
        pending.into_answers().map(answered).collect()
    }

    fn one() -> RpcResult {
        Ok(serde_json::value::RawValue::from_string("1".to_owned()).unwrap())
    }

    #[test]
    fn an_answer_goes_to_its_request_and_a_second_one_to_nobody() {
        let mut pending = PendingRequests::to([4, 5]);
        pending.answer(5, one());
        pending.answer(5, Err(garbled("again")));
        pending.answer(6, one());
        assert!(!pending.is_complete());
        assert_eq!(came(pending), ["open", "1"]);
    }

    #[test]
    fn what_is_no_answer_fails_the_request_that_is_left() {
        let mut pending = PendingRequests::to([4, 5]);
        pending.stray(garbled("noise"));
        assert_eq!(pending.open().collect::<Vec<_>>(), [4, 5], "it may be either's");
        pending.answer(4, one());
        assert_eq!(came(pending), ["1", "noise"]);
        let mut pending = PendingRequests::to([4, 5]);
        pending.stray(garbled("a"));
        pending.stray(garbled("b"));
        assert_eq!(came(pending), ["a", "b"]);
    }

    #[test]
    fn what_is_no_answer_can_be_let_go() {
        let mut pending = PendingRequests::to([4, 5]);
        pending.answer(4, one());
        pending.stray(garbled("noise"));
        pending.wait_on();
        assert_eq!(came(pending), ["1", "open"]);
    }

    #[test]
    fn the_end_fails_what_is_open_and_nothing_else() {
        let mut pending = PendingRequests::to([4, 5]);
        pending.answer(4, one());
        pending.fail(|| garbled("over"));
        assert_eq!(came(pending), ["1", "over"]);
        let mut nothing = PendingRequests::none();
        nothing.stray(garbled("noise"));
        assert!(nothing.is_complete());
    }
}
