//! Tests that `new` writes a scenario that `lint` accepts, whatever was reported and in whichever form.

use std::collections::BTreeSet;

use mcp_compat_author::lint::lint;
use mcp_compat_author::report::{ReportError, read};
use mcp_compat_author::template;
use mcp_compat_json::Json;
use mcp_compat_scenario::write::Draft;
use mcp_compat_scenario::{Severity, load_placed};
use proptest::prelude::*;
use proptest::sample::select;
use tokio_util::sync::CancellationToken;

use crate::shapes::{Case, cases};

/// Form of the tool's result in a report.
#[derive(Clone, Copy, Debug)]
enum Reported {
    Nothing,
    /// The value, repeated in a text block.
    Value,
    /// The value with other words beside it.
    ValueWithWords,
    /// The value without any block.
    ValueAlone,
    /// Only words, although the tool has an output schema.
    Words,
    /// A value that violates the schema.
    Violating,
    /// A tool error, with or without a value.
    Failure,
    FailureWithValue,
    /// A JSON-RPC error.
    Error,
}

/// The form in which it is pasted.
#[derive(Clone, Copy, Debug)]
enum Form {
    Documents,
    Object,
    Issue,
    Log,
}

/// Words above it.
#[derive(Clone, Copy, Debug)]
struct Options {
    with_schema: bool,
    with_arguments: bool,
    with_source: bool,
    modern: bool,
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(with_schema, with_arguments, with_source, modern)| Options {
            with_schema,
            with_arguments,
            with_source,
            modern,
        },
    )
}

fn answer(reported: Reported, case: &Case) -> Option<String> {
    let (value, wrong) = (case.conforming.to_compact(), case.violating.to_compact());
    let block = |text: &str| format!(r#"{{"type":"text","text":{}}}"#, Json::from(text).to_compact());
    Some(match reported {
        Reported::Nothing => return None,
        Reported::Value => format!(r#"{{"structuredContent":{value},"content":[{}]}}"#, block(&value)),
        Reported::ValueWithWords => format!(r#"{{"structuredContent":{value},"content":[{}]}}"#, block("done")),
        Reported::ValueAlone => format!(r#"{{"structuredContent":{value},"content":[]}}"#),
        Reported::Words => format!(r#"{{"content":[{}]}}"#, block("done")),
        Reported::Violating => format!(r#"{{"structuredContent":{wrong},"content":[{}]}}"#, block(&wrong)),
        Reported::Failure => format!(r#"{{"content":[{}],"isError":true}}"#, block("no such thing")),
        Reported::FailureWithValue => {
            format!(r#"{{"structuredContent":{value},"content":[{}],"isError":true}}"#, block("no such thing"))
        }
        Reported::Error => r#"{"code":-32603,"message":"it broke"}"#.to_owned(),
    })
}

fn report(reported: Reported, form: Form, options: Options, case: &Case) -> String {
    let schema =
        if options.with_schema { format!(r#","outputSchema":{}"#, case.schema.to_compact()) } else { String::new() };
    let tool = format!(r#"{{"name":"get_thing","inputSchema":{{"type":"object"}}{schema}}}"#);
    let result = answer(reported, case);
    let arguments = if options.with_arguments { r#"{"id":7}"# } else { "{}" };
    let result_member = if matches!(reported, Reported::Error) { "error" } else { "result" };
    match form {
        Form::Documents => [Some(tool), result].into_iter().flatten().collect::<Vec<_>>().join("\n"),
        Form::Object => {
            let result = result.map(|result| format!(r#","{result_member}":{result}"#)).unwrap_or_default();
            format!(r#"{{"tool":{tool},"arguments":{arguments}{result}}}"#)
        }
        Form::Issue => {
            let result = result.map(|result| format!("returns\n\n```json\n{result}\n```\n")).unwrap_or_default();
            format!("It fails, see https://example.org/issues/7\n\n```json\n{tool}\n```\n{result}")
        }
        Form::Log => {
            let opened = if options.modern {
                r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#
            } else {
                r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#
            };
            let message = |id: u32, rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#);
            let called = format!(r#""method":"tools/call","params":{{"name":"get_thing","arguments":{arguments}}}"#);
            let mut lines = vec![
                message(0, &format!(r#""result":{opened}"#)),
                message(1, &format!(r#""result":{{"tools":[{tool}]}}"#)),
                message(2, &called),
            ];
            lines.extend(result.map(|result| message(2, &format!(r#""{result_member}":{result}"#))));
            lines.join("\n")
        }
    }
}

/// Returns what `lint` refuses in the file of a draft.
fn refused(draft: &Draft) -> Option<String> {
    let text = draft.write("my-bug").text;
    let placed = load_placed("my-bug.toml", &text, &|_| None).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"));
    let stop = CancellationToken::new();
    let taken = BTreeSet::new();
    let linted = lint(&placed, &taken, stop);
    let found = tokio::runtime::Runtime::new().unwrap().block_on(linted).unwrap();
    (found.count(Severity::Error) > 0).then(|| format!("{text}\n{}", found.render(false)))
}

#[test]
fn lint_accepts_the_template() {
    for sources in [Vec::new(), vec!["https://example.org/issues/7".to_owned()]] {
        assert_eq!(refused(&template(sources)), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 24, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn lint_accepts_what_new_makes_of_a_report(
        case in cases(),
        options in options(),
        form in select(vec![Form::Documents, Form::Object, Form::Issue, Form::Log]),
        reported in select(vec![
            Reported::Nothing,
            Reported::Value,
            Reported::ValueWithWords,
            Reported::ValueAlone,
            Reported::Words,
            Reported::Violating,
            Reported::Failure,
            Reported::FailureWithValue,
            Reported::Error,
        ]),
    ) {
        let text = report(reported, form, options, &case);
        let sources = if options.with_source { vec!["https://example.org/issues/8".to_owned()] } else { Vec::new() };
        let made = read(&text, sources);
        // What says nothing of structured output proves nothing, and `new` says so in place of writing it.
        let is_plain = !options.with_schema && matches!(reported, Reported::Nothing | Reported::Words);
        prop_assert_eq!(made.as_ref().err(), is_plain.then_some(&ReportError::NothingStructured), "made of {}", text);
        let Ok(made) = made else { return Ok(()) };
        prop_assert_eq!(refused(&made.draft), None, "made of {}", text);
    }
}
