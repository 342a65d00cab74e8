//! The answers that are waited for: which have come, and whose each of them is.

use super::trouble::{Answered, Trouble};

/// Requests that are open, in the order in which they were sent, and what has come of them.
#[derive(Default)]
pub(super) struct Awaited {
    slots: Vec<Slot>,
    /// What came in place of an answer, without saying whose.
    strays: Vec<Trouble>,
}

struct Slot {
    id: u64,
    answer: Option<Answered>,
}

impl Awaited {
    /// Nothing that is waited for.
    pub(super) const fn nothing() -> Self {
        Self { slots: Vec::new(), strays: Vec::new() }
    }

    /// The answers to these requests.
    pub(super) fn to(ids: impl IntoIterator<Item = u64>) -> Self {
        let slots = ids.into_iter().map(|id| Slot { id, answer: None }).collect();
        Self { slots, strays: Vec::new() }
    }

    /// The requests that have no answer yet.
    pub(super) fn open(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().filter(|slot| slot.answer.is_none()).map(|slot| slot.id)
    }

    /// Whether every request has its answer.
    pub(super) fn is_complete(&self) -> bool {
        self.open().next().is_none()
    }

    /// Takes the answer to a request, if that one is open.
    pub(super) fn answer(&mut self, id: u64, answer: Answered) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id && slot.answer.is_none()) {
            slot.answer = Some(answer);
            self.settle();
        }
    }

    /// Takes what came in place of an answer without saying whose. Each such thing is somebody's answer: when as many
    /// have come as requests are open, these have failed.
    pub(super) fn stray(&mut self, trouble: Trouble) {
        if !self.is_complete() {
            self.strays.push(trouble);
            self.settle();
        }
    }

    /// Says that nothing more will come, and that whatever came was no JSON-RPC answer unless it was a sound one.
    pub(super) fn unless_answered(&mut self, trouble: impl Fn() -> Trouble) {
        for slot in &mut self.slots {
            if matches!(slot.answer, None | Some(Err(Trouble::Garbled(_)))) {
                slot.answer = Some(Err(trouble()));
            }
        }
    }

    /// Lets go what came and was no JSON-RPC answer, and waits on, as only a quirk has it.
    pub(super) fn wait_on(&mut self) {
        self.strays.clear();
        for slot in &mut self.slots {
            if matches!(slot.answer, Some(Err(Trouble::Garbled(_)))) {
                slot.answer = None;
            }
        }
    }

    /// Ends the waiting: nothing more will come.
    pub(super) fn fail(&mut self, trouble: impl Fn() -> Trouble) {
        for slot in &mut self.slots {
            slot.answer.get_or_insert_with(|| Err(trouble()));
        }
    }

    /// What came of each request, in the order in which they were sent.
    pub(super) fn into_answers(self) -> impl Iterator<Item = Option<Answered>> {
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

    fn garbled(reason: &str) -> Trouble {
        Trouble::Garbled(reason.to_owned())
    }

    fn came(awaited: Awaited) -> Vec<String> {
        let told = |answer: Option<Answered>| match answer {
            None => "open".to_owned(),
            Some(Ok(result)) => result.get().to_owned(),
            Some(Err(trouble)) => trouble.to_peer_error().message,
        };
        awaited.into_answers().map(told).collect()
    }

    fn one() -> Answered {
        Ok(serde_json::value::RawValue::from_string("1".to_owned()).unwrap())
    }

    #[test]
    fn an_answer_goes_to_its_request_and_a_second_one_to_nobody() {
        let mut awaited = Awaited::to([4, 5]);
        awaited.answer(5, one());
        awaited.answer(5, Err(garbled("again")));
        awaited.answer(6, one());
        assert!(!awaited.is_complete());
        assert_eq!(came(awaited), ["open", "1"]);
    }

    #[test]
    fn what_is_no_answer_fails_the_request_that_is_left() {
        let mut awaited = Awaited::to([4, 5]);
        awaited.stray(garbled("noise"));
        assert_eq!(awaited.open().collect::<Vec<_>>(), [4, 5], "it may be either's");
        awaited.answer(4, one());
        assert_eq!(came(awaited), ["1", "noise"]);
        let mut awaited = Awaited::to([4, 5]);
        awaited.stray(garbled("a"));
        awaited.stray(garbled("b"));
        assert_eq!(came(awaited), ["a", "b"]);
    }

    #[test]
    fn what_is_no_answer_can_be_let_go() {
        let mut awaited = Awaited::to([4, 5]);
        awaited.answer(4, one());
        awaited.stray(garbled("noise"));
        awaited.wait_on();
        assert_eq!(came(awaited), ["1", "open"]);
    }

    #[test]
    fn the_end_fails_what_is_open_and_nothing_else() {
        let mut awaited = Awaited::to([4, 5]);
        awaited.answer(4, one());
        awaited.fail(|| garbled("over"));
        assert_eq!(came(awaited), ["1", "over"]);
        let mut nothing = Awaited::nothing();
        nothing.stray(garbled("noise"));
        assert!(nothing.is_complete());
    }
}
