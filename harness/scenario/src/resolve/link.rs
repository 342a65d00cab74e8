//! How a call hangs together with the one before: sent at once with it, or fed from its value.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, MAX_DEPTH};

use super::effect;
use crate::file::step::Step as Written;
use crate::file::table::Field;
use crate::scenario::{Call, Means, Step};
use crate::sink::Sink;

/// The call with what the step says of the one before it, `earlier` being the steps so far.
pub(super) fn linked(call: Call, written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<Step> {
    let concurrent = is_concurrent(written, earlier, sink)?;
    let args_from = args_from(written, &call.arguments, earlier, sink)?;
    Some(Step::Call(Call { concurrent, args_from, ..call }))
}

fn is_concurrent(written: &Written, earlier: &[Option<Step>], sink: &mut Sink<'_>) -> Option<bool> {
    let flag = match &written.concurrent {
        Field::Absent => return Some(false),
        Field::Broken => return None,
        Field::Given(flag) => flag,
    };
    match earlier.last() {
        Some(Some(Step::Call(_))) => Some(true),
        // That step is wrong, and this is said already.
        Some(None) => None,
        Some(Some(Step::List | Step::Evolve { .. })) | None => {
            let mistake = sink.mistake(&flag.key, "`concurrent` needs a call right before it");
            sink.report(mistake.label("the step before this one is not a `call`"));
            None
        }
    }
}

fn args_from(
    written: &Written,
    arguments: &str,
    earlier: &[Option<Step>],
    sink: &mut Sink<'_>,
) -> Option<BTreeMap<String, String>> {
    let feed = match &written.args_from {
        Field::Absent => return Some(BTreeMap::new()),
        Field::Broken => return None,
        Field::Given(feed) => feed,
    };
    if let Field::Given(flag) = &written.concurrent {
        let mistake = sink
            .mistake(&feed.key, "a call cannot have both `concurrent` and `args-from`")
            .label("the value of the call before is not known yet")
            .context(flag.key.clone(), "the call is sent without waiting for that value");
        sink.report(mistake);
        return None;
    }
    let value = match earlier.iter().rev().find(|step| !matches!(step, Some(Step::List | Step::Evolve { .. }))) {
        Some(None) => return None,
        Some(Some(Step::Call(Call { means: Means::Value(value), .. }))) => value,
        Some(Some(_)) | None => {
            let mistake = sink
                .mistake(&feed.key, "`args-from` needs a call that returns a value before it")
                .label("no call before this one returns a value");
            sink.report(mistake);
            return None;
        }
    };
    let arguments = Json::parse(arguments).ok()?;
    let mut pointers = Some(BTreeMap::new());
    let mut brought = BTreeSet::new();
    for (into, from) in &feed.value.0 {
        if value.pointer(&from.value).is_none() {
            let mistake = sink
                .mistake(&from.span, format!("the value of the call before has nothing at `{}`", from.value))
                .label("no such member or element");
            sink.report(mistake);
            pointers = None;
        }
        // An entry before it may bring the object.
        let brings = |(slash, _)| brought.contains(&into.value[..slash]);
        let is_brought = into.value.match_indices('/').skip(1).take(MAX_DEPTH).any(brings);
        if !is_brought && !effect::has_place(&arguments, into, sink) {
            pointers = None;
        }
        brought.insert(into.value.as_str());
        pointers.as_mut().map(|pointers| pointers.insert(into.value.clone(), from.value.clone()));
    }
    pointers
}
