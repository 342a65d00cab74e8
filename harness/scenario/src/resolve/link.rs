//! How a call hangs together with the one before: sent at once with it, or fed from its value.

use std::collections::BTreeMap;

use crate::file::step::Step as Written;
use crate::file::table::Field;
use crate::scenario::{Call, Means, Step};
use crate::sink::Sink;

/// The call with what the step says of the one before it, `earlier` being the steps so far.
pub(super) fn linked(call: Call, written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<Step> {
    let at_once = is_at_once(written, earlier, sink)?;
    let feed = feed(written, earlier, sink)?;
    Some(Step::Call(Call { at_once, feed, ..call }))
}

fn is_at_once(written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<bool> {
    let flag = match &written.at_once {
        Field::Absent => return Some(false),
        Field::Broken => return None,
        Field::Given(flag) => flag,
    };
    match earlier.last() {
        Some(Some(Step::Call(_))) => Some(true),
        // That step is wrong, and this is said already.
        Some(None) => None,
        Some(Some(Step::List | Step::Evolve { .. })) | None => {
            let mistake = sink.mistake(&flag.key, "there is no call to send this one with");
            sink.report(mistake.label("expected a step with `call` right before this one"));
            None
        }
    }
}

fn feed(written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<BTreeMap<String, String>> {
    let feed = match &written.feed {
        Field::Absent => return Some(BTreeMap::new()),
        Field::Broken => return None,
        Field::Given(feed) => feed,
    };
    if let Field::Given(flag) = &written.at_once {
        let mistake = sink
            .mistake(&feed.key, "what is sent at once with a call cannot be fed from its value")
            .label("the value is not there yet")
            .context(flag.key.clone(), "sent at once");
        sink.report(mistake);
        return None;
    }
    let value = match earlier.iter().rev().find(|step| !matches!(step, Some(Step::List | Step::Evolve { .. }))) {
        Some(None) => return None,
        Some(Some(Step::Call(Call { means: Means::Value(value), .. }))) => value,
        Some(Some(_)) | None => {
            let mistake = sink
                .mistake(&feed.key, "there is no value to feed this call from")
                .label("expected a call before this one whose tool means a value");
            sink.report(mistake);
            return None;
        }
    };
    let mut pointers = Some(BTreeMap::new());
    for (into, from) in &feed.value.0 {
        if value.pointer(&from.value).is_none() {
            let mistake = sink
                .mistake(&from.span, format!("there is nothing at `{}`", from.value))
                .label("the call before does not mean a value with that in it");
            sink.report(mistake);
            pointers = None;
        }
        pointers.as_mut().map(|pointers| pointers.insert(into.value.clone(), from.value.clone()));
    }
    pointers
}
