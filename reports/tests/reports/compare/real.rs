//! Runs of released SDKs over the smoke scenarios, with `mock/dual` as their server. Each change was checked by hand.

use std::collections::BTreeMap;

use mcp_compat_model::diff::{Class, Diff};
use mcp_compat_model::record::Record;
use mcp_compat_reports::compare::{Options, Run, diff};

fn record(text: &str) -> Record {
    serde_json::from_str(text).unwrap()
}

fn compare(before: &Record, after: &Record) -> Diff {
    diff(&Run::new("before", before), &Run::new("after", after), &Options::default()).unwrap()
}

/// The groups, each in a line.
fn told(diff: &Diff) -> Vec<String> {
    let line = |group: &mcp_compat_model::diff::Group| {
        let cause = group.cause.as_ref().map(ToString::to_string).unwrap_or_default();
        let peers: BTreeMap<&str, usize> = group.changes.iter().fold(BTreeMap::new(), |mut peers, place| {
            let fate = diff.changes[*place as usize].after.as_ref().unwrap();
            *peers.entry(fate.client.as_str()).or_default() += 1;
            peers
        });
        format!("{} {cause} {peers:?}", group.class)
    };
    diff.groups.iter().map(line).collect()
}

#[test]
fn typescript_1_25_and_1_32_do_not_differ() {
    let (old, new) =
        (record(include_str!("real/typescript-1.25.3.json")), record(include_str!("real/typescript-1.32.2.json")));
    let diff = compare(&old, &new);
    assert!(diff.is_empty() && diff.same_harness);
    assert_eq!(diff.compared(), 17);
}

/// python@2.3.0 negotiates 2026-07-28 with a server that has it, and then takes values that are no objects. In its
/// legacy mode it rejects the list of tools where 1.28.1 rejected the result.
#[test]
fn python_2_takes_what_python_1_rejected_and_rejects_the_list_in_its_legacy_mode() {
    let (old, new) = (record(include_str!("real/python-1.28.1.json")), record(include_str!("real/python-2.3.0.json")));
    let forward = compare(&old, &new);
    assert_eq!(
        told(&forward),
        [
            r#"better server:rejected:tools/call:structured-content-object:decode {"python@2.3.0+auto": 3, "python@2.3.0+modern": 3}"#,
            r#"better server:rejected:tools/call:structured-content-object:validate {"python@2.3.0+auto": 1, "python@2.3.0+modern": 1}"#,
            r#"changed server:rejected:tools/list:output-schema-object-root:decode {"python@2.3.0+legacy": 4}"#,
        ]
    );
    assert!(!forward.is_worse());
    assert_eq!((forward.count(Class::Same), forward.compared()), (39, 51));
    let bisection = forward.groups[0].bisection.as_ref().unwrap();
    assert_eq!((bisection.good.as_str(), bisection.bad.as_str()), ("2.3.0+auto", "1.28.1"));
    let back = compare(&new, &old);
    assert_eq!((back.count(Class::Worse), back.count(Class::Changed), back.count(Class::Same)), (8, 4, 39));
}
