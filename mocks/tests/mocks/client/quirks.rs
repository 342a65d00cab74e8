//! Every quirk, beside the honest client: where they part, and nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use mcp_compat_mocks::client::ClientQuirk;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::{JobStep, StepAnswer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::client::fake::{self, Heard, LIST, call, play, tool};
use crate::client::web;

/// A situation that shows a quirk.
struct Shown {
    schema: String,
    result: &'static str,
    steps: Vec<JobStep>,
}

fn shown(schema: &str, result: &'static str) -> Shown {
    Shown { schema: schema.to_owned(), result, steps: vec![LIST, call("t")] }
}

/// What is seen and heard of a session, without what differs from one to the next.
async fn session(client: &str, shown: &Shown) -> (Vec<String>, Vec<String>) {
    let (mut told, mut slow) = (None, Vec::new());
    let (mut modern, tools) = (fake::modern("", shown.result), tool("t", &shown.schema));
    let server = move |heard: &Heard| match (heard.method.as_str(), heard.params["cursor"].as_str()) {
        ("subscriptions/listen", _) => {
            told = Some(fake::subscribed(heard, "notifications/tools/list_changed"));
            vec![fake::acknowledged(heard)]
        }
        ("tools/list", None) => heard.result(&format!(r#"{{"tools":[{tools}],"nextCursor":"","ttlMs":3600000}}"#)),
        ("tools/list", Some("")) => heard.result(r#"{"tools":[],"nextCursor":"z","ttlMs":3600000}"#),
        ("tools/list", Some(_)) => heard.result(r#"{"tools":[],"ttlMs":3600000}"#),
        ("tools/call", _) if heard.params["name"] == "refused" => heard.error(-32602, &Value::Null),
        ("tools/call", _) if heard.params["name"] == "slow" => {
            slow = heard.result(r#"{"content":[],"structuredContent":{"slow":true}}"#);
            vec![]
        }
        ("tools/call", _) if heard.params["name"] == "fast" => {
            modern(heard).into_iter().chain(std::mem::take(&mut slow)).collect()
        }
        ("tools/call", _) if heard.params["name"] == "told" => {
            [vec![r#"{"jsonrpc":"2.0","method":"notifications/message"}"#.to_owned()], modern(heard)].concat()
        }
        ("tools/call", _) if heard.params["name"] == "noisy" => [vec!["INFO".to_owned()], modern(heard)].concat(),
        ("tools/call", _) if heard.params["name"] == "garbled" => {
            [vec![r#"{"jsonrpc":"2.0"}"#.to_owned()], modern(heard)].concat()
        }
        ("tools/call", _) if heard.params["name"] == "straying" => {
            [vec![r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#.to_owned()], modern(heard)].concat()
        }
        ("tools/call", _) if heard.params["name"] == "marked" => {
            modern(heard).into_iter().map(|line| format!("\u{feff}{line}")).collect()
        }
        ("tools/call", _) => told.take().into_iter().chain(modern(heard)).collect(),
        // Refused by a version of which nobody has heard, if it ever comes.
        ("initialize", _) => heard.result(&fake::initialized("2025-11-25")),
        _ => modern(heard),
    };
    let (answer, heard) = play(client, &shown.steps, server).await;
    let seen = |answer: &StepAnswer| serde_json::to_string(answer).unwrap();
    (answer.steps.iter().map(seen).collect(), heard.into_iter().map(|heard| heard.line).collect())
}

const OBJECT: &str = r#"{"type":"object"}"#;
const TEXT_AND_VALUE: &str = r#"{"content":[{"type":"text","text":"[2]"}],"structuredContent":{"a":null,"b":1}}"#;
const FAILED: &str = r#"{"content":[{"type":"text","text":"out of stock"}],"isError":true}"#;
const VIOLATING: &str = r#"{"content":[],"structuredContent":"x"}"#;

/// A value nested so deep.
fn nested(depth: usize) -> String {
    format!(r#"{{"content":[],"structuredContent":{}{}}}"#, "[".repeat(depth), "]".repeat(depth))
}

static DEEP: LazyLock<String> = LazyLock::new(|| nested(70));
static DEEPER: LazyLock<String> = LazyLock::new(|| nested(130));
static DEEPEST: LazyLock<String> = LazyLock::new(|| nested(201));
static LONG: LazyLock<String> =
    LazyLock::new(|| format!(r#"{{"content":[],"structuredContent":"{}"}}"#, "x".repeat(70_000)));

/// A text of one character more than is shown by who cuts texts; the character takes two bytes.
static LONG_TEXT: LazyLock<String> =
    LazyLock::new(|| format!(r#"{{"content":[{{"type":"text","text":"{}","x":1.0}}]}}"#, "é".repeat(10_001)));

/// A tool with a reference that has a keyword beside it, and a definition that refers to itself.
const SIBLINGS: &str = concat!(
    r##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"##,
    r##""properties":{"b":{"$ref":"#/definitions/n","minimum":5}}}"##
);
const CIRCLE: &str = r##"{"properties":{"b":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}"##;

/// A chain of definitions of which each refers to the next one twice.
static COSTLY: LazyLock<String> = LazyLock::new(|| {
    let link =
        |n: usize| format!(r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{0}"}},{{"$ref":"#/$defs/d{0}"}}]}}"##, n + 1);
    let links: Vec<_> = (0..40).map(link).collect();
    format!(r##"{{"$defs":{{{},"d40":{{}}}},"$ref":"#/$defs/d0"}}"##, links.join(","))
});

/// The quirks that are shown in `elsewhere.rs` and `lenient.rs`: before there is a session, in another era, in bytes that are no text,
/// over HTTP, in lists.
const ELSEWHERE: &[ClientQuirk] = &[
    ClientQuirk::NoFallback,
    ClientQuirk::SkipsInitialized,
    ClientQuirk::IgnoresVersion,
    ClientQuirk::IgnoresListedVersions,
    ClientQuirk::OpensRegardless,
    ClientQuirk::WaitsAfterRefusal,
    ClientQuirk::FallsBackOnErrors,
    ClientQuirk::IgnoresEra,
    ClientQuirk::AlwaysReadsResultType,
    ClientQuirk::RefusesOddHints,
    ClientQuirk::ReplacesBadUtf8,
    ClientQuirk::ChokesOnBadUtf8,
    ClientQuirk::IgnoresBrokenBodies,
    ClientQuirk::RequiresHints,
    ClientQuirk::RequiresResultType,
    ClientQuirk::WantsObjectInput,
    ClientQuirk::AssumesModern,
    ClientQuirk::WaitsForProbe,
    ClientQuirk::EndsAtLostProbe,
    ClientQuirk::CompletesLists,
    ClientQuirk::WantsIntegerTtl,
    ClientQuirk::WantsToolsDeclared,
    ClientQuirk::ReadsOutputEarly,
    ClientQuirk::StreamsInNewest,
    ClientQuirk::SendsNamesUnencoded,
    ClientQuirk::EndsAtEmptyCursor,
];

fn situation(quirk: ClientQuirk, fetched: &str) -> Shown {
    match quirk {
        ClientQuirk::DropsValue
        | ClientQuirk::StripsNulls
        | ClientQuirk::DoubleEncodes
        | ClientQuirk::PrefersTextParse
        | ClientQuirk::DropsContent
        | ClientQuirk::FirstPageOnly
        | ClientQuirk::OmitsMeta => shown(OBJECT, TEXT_AND_VALUE),
        ClientQuirk::RoundsNumbers => shown(OBJECT, r#"{"content":[],"structuredContent":{"n":9007199254740993}}"#),
        ClientQuirk::NullAsAbsent => shown("{}", r#"{"content":[],"structuredContent":null}"#),
        ClientQuirk::Truthiness => shown("{}", r#"{"content":[],"structuredContent":0}"#),
        ClientQuirk::UnwrapsResult => shown("{}", r#"{"content":[],"structuredContent":{"result":[1]}}"#),
        ClientQuirk::WrapsValue | ClientQuirk::RejectsNonObject => {
            shown("{}", r#"{"content":[],"structuredContent":[1]}"#)
        }
        ClientQuirk::IgnoresIsError | ClientQuirk::MasksToolErrors | ClientQuirk::ValidatesErrors => {
            shown(OBJECT, FAILED)
        }
        ClientQuirk::SwallowsProtocolErrors => {
            Shown { steps: vec![LIST, call("refused")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::SkipsValidation => shown(OBJECT, VIOLATING),
        ClientQuirk::Draft07Only => {
            shown(r#"{"prefixItems":[{"type":"string"}]}"#, r#"{"content":[],"structuredContent":[1]}"#)
        }
        ClientQuirk::PermissiveSchemas
        | ClientQuirk::LosesListOnBadSchema
        | ClientQuirk::ForgetsSchemasOnFailedList => {
            shown(r#"{"$ref":"http://127.0.0.1:9/none.json"}"#, TEXT_AND_VALUE)
        }
        ClientQuirk::FetchesRef => shown(&format!(r#"{{"$ref":"{fetched}"}}"#), TEXT_AND_VALUE),
        ClientQuirk::IgnoresListChanged | ClientQuirk::ForgetsOnChange => {
            let steps = vec![LIST, JobStep::Evolve { told: true }, call("t")];
            Shown { steps, ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::OneAtATime | ClientQuirk::ConfusesIds => {
            let arguments = RawValue::from_string("{}".to_owned()).unwrap();
            let along = JobStep::Call { tool: "fast".to_owned(), arguments, at_once: true, feed: BTreeMap::new() };
            Shown { steps: vec![LIST, call("slow"), along], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::ChokesOnNotifications => {
            Shown { steps: vec![LIST, call("told")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::ChokesOnNoise | ClientQuirk::EndsAtBrokenMessages | ClientQuirk::StopsReading => {
            Shown { steps: vec![LIST, call("noisy"), call("t")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::RejectsUnknownBlocks | ClientQuirk::DropsNonText => {
            shown(OBJECT, r#"{"content":[{"type":"json","json":{}}],"structuredContent":{}}"#)
        }
        ClientQuirk::DropsErrorStructure => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{"code":7},"isError":true}"#)
        }
        ClientQuirk::RefusesUnlisted => Shown { steps: vec![call("t")], ..shown(OBJECT, TEXT_AND_VALUE) },
        ClientQuirk::LastKeyWins => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{"a":1,"b":[{"c":1.0,"c":2.0}],"a":3}}"#)
        }
        ClientQuirk::StrictMeta => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{},"_meta":{"_fastmcp":{"wrap":true}}}"#)
        }
        ClientQuirk::AssertsFormat => {
            shown(r#"{"format":"date-time"}"#, r#"{"content":[],"structuredContent":"tomorrow"}"#)
        }
        ClientQuirk::DepthLimit => shown("{}", DEEP.as_str()),
        ClientQuirk::SizeLimit => shown("{}", LONG.as_str()),
        ClientQuirk::WantsContent => shown("null", r#"{"content":[]}"#),
        ClientQuirk::ContentOrNothing => {
            shown(OBJECT, r#"{"content":{"type":"text","text":"x"},"structuredContent":{}}"#)
        }
        ClientQuirk::FirstBlockOnly => shown("null", r#"{"content":[{"type":"image"},{"type":"text","text":"x"}]}"#),
        ClientQuirk::TruncatesText => shown("null", LONG_TEXT.as_str()),
        ClientQuirk::NeedsSchema => shown("null", TEXT_AND_VALUE),
        ClientQuirk::GoesByInputRequests => shown(OBJECT, r#"{"resultType":"new","structuredContent":{}}"#),
        ClientQuirk::IgnoresResultType => shown(OBJECT, r#"{"resultType":"new","structuredContent":{}}"#),
        ClientQuirk::RoundsBeyondWords => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{"n":18446744073709551617}}"#)
        }
        ClientQuirk::RoundsDecimals => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{"n":0.10000000000000000555}}"#)
        }
        ClientQuirk::IgnoresBrokenMessages => {
            Shown { steps: vec![LIST, call("garbled")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::IgnoresForeignAnswers => {
            Shown { steps: vec![LIST, call("straying")], ..shown(OBJECT, TEXT_AND_VALUE) }
        }
        ClientQuirk::SkipsByteOrderMark => Shown { steps: vec![LIST, call("marked")], ..shown(OBJECT, TEXT_AND_VALUE) },
        ClientQuirk::RefusesLoneSurrogates | ClientQuirk::ReplacesLoneSurrogates => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{"a":"half \ud83d"}}"#)
        }
        ClientQuirk::RefusesHugeNumbers => shown(OBJECT, r#"{"content":[],"structuredContent":{"n":1e400}}"#),
        ClientQuirk::DepthLimit128 => shown("{}", DEEPER.as_str()),
        ClientQuirk::DepthLimit200 => shown("{}", DEEPEST.as_str()),
        ClientQuirk::ListsOnRequest | ClientQuirk::LooksUpFirstPage => {
            Shown { steps: vec![call("t")], ..shown(OBJECT, VIOLATING) }
        }
        ClientQuirk::KeepsLastPage => shown(OBJECT, VIOLATING),
        ClientQuirk::WantsObjectSchemas => shown("true", TEXT_AND_VALUE),
        ClientQuirk::WantsObjectProperties => shown(r#"{"properties":{"a":true}}"#, TEXT_AND_VALUE),
        ClientQuirk::RefusesNulls | ClientQuirk::RefusesNullIsError => {
            shown(OBJECT, r#"{"content":[],"structuredContent":{},"isError":null}"#)
        }
        ClientQuirk::RequiresContent => shown(OBJECT, r#"{"structuredContent":{}}"#),
        ClientQuirk::NullResultType => shown(OBJECT, r#"{"resultType":null,"content":[],"structuredContent":{}}"#),
        ClientQuirk::ValidatesErrorValues => {
            shown(OBJECT, r#"{"content":[],"structuredContent":"out of stock","isError":true}"#)
        }
        ClientQuirk::HonoursNullable => {
            shown(r#"{"properties":{"a":{"type":"integer","nullable":true}}}"#, TEXT_AND_VALUE)
        }
        ClientQuirk::ReadsLikeAjv => shown(SIBLINGS, TEXT_AND_VALUE),
        ClientQuirk::KnowsNoBound => shown(&COSTLY, r#"{"content":[],"structuredContent":{"a":1}}"#),
        ClientQuirk::IgnoresUnknownDialects => shown(r#"{"$schema":"https://example.com/mine"}"#, TEXT_AND_VALUE),
        ClientQuirk::SkipsOtherDialects => {
            shown(r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","required":["none"]}"#, TEXT_AND_VALUE)
        }
        ClientQuirk::SkipsOddFormats => {
            shown(r#"{"properties":{"a":{"format":"uint32"}},"required":["none"]}"#, TEXT_AND_VALUE)
        }
        ClientQuirk::ChokesOnCircles => shown(CIRCLE, TEXT_AND_VALUE),
        ClientQuirk::CompilesLikeAjv => shown(r#"{"properties":{"a":{"enum":[]}}}"#, TEXT_AND_VALUE),
        ClientQuirk::ResolvesLate => shown(r##"{"properties":{"c":{"$ref":"#/$defs/none"}}}"##, TEXT_AND_VALUE),
        ClientQuirk::ReadsPythonPatterns => shown(r#"{"properties":{"a":{"pattern":"\\p{L}"}}}"#, TEXT_AND_VALUE),
        ClientQuirk::NoFallback
        | ClientQuirk::SkipsInitialized
        | ClientQuirk::IgnoresVersion
        | ClientQuirk::IgnoresListedVersions
        | ClientQuirk::OpensRegardless
        | ClientQuirk::WaitsAfterRefusal
        | ClientQuirk::FallsBackOnErrors
        | ClientQuirk::IgnoresEra
        | ClientQuirk::AlwaysReadsResultType
        | ClientQuirk::RefusesOddHints
        | ClientQuirk::ReplacesBadUtf8
        | ClientQuirk::ChokesOnBadUtf8
        | ClientQuirk::IgnoresBrokenBodies
        | ClientQuirk::RequiresHints
        | ClientQuirk::RequiresResultType
        | ClientQuirk::WantsObjectInput
        | ClientQuirk::AssumesModern
        | ClientQuirk::WaitsForProbe
        | ClientQuirk::CompletesLists
        | ClientQuirk::WantsIntegerTtl
        | ClientQuirk::EndsAtEmptyCursor
        | ClientQuirk::WantsToolsDeclared
        | ClientQuirk::ReadsOutputEarly
        | ClientQuirk::StreamsInNewest
        | ClientQuirk::SendsNamesUnencoded
        | ClientQuirk::EndsAtLostProbe => shown(OBJECT, TEXT_AND_VALUE),
    }
}

#[tokio::test]
async fn each_quirk_is_seen_or_heard_and_the_honest_client_does_otherwise() {
    let fetched = web::serve(|_| web::json(r#"{"type":"object"}"#)).await;
    for quirk in ClientQuirk::ALL {
        if ELSEWHERE.contains(&quirk) {
            continue;
        }
        let shown = situation(quirk, &fetched.url);
        let honest = session("mock/dual+auto", &shown).await;
        let sabotaged = session(&format!("sabotaged/{quirk}"), &shown).await;
        assert_ne!(honest, sabotaged, "{quirk}");
        // A quirk that does not strike is an honest client.
        let plain =
            self::shown(OBJECT, r#"{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}"#);
        let strikes_always = [
            ClientQuirk::DropsValue,
            ClientQuirk::DoubleEncodes,
            ClientQuirk::DropsContent,
            ClientQuirk::FirstPageOnly,
            ClientQuirk::OmitsMeta,
        ];
        let same = session("mock/dual+auto", &plain).await == session(&format!("sabotaged/{quirk}"), &plain).await;
        assert_eq!(same, !strikes_always.contains(&quirk), "{quirk}");
    }
    assert_eq!(fetched.asked().len(), 1, "only the client that fetches has fetched");
}

#[tokio::test]
async fn a_quirk_does_exactly_what_it_says() {
    let handed_out = |quirk: ClientQuirk| async move {
        let (seen, _) = session(&format!("sabotaged/{quirk}"), &situation(quirk, "")).await;
        let call: Value = serde_json::from_str(&seen[1]).unwrap();
        (call["structured"]["value"].clone(), call)
    };
    assert_eq!(handed_out(ClientQuirk::StripsNulls).await.0.to_string(), r#"{"b":1}"#);
    assert_eq!(handed_out(ClientQuirk::DoubleEncodes).await.0, Value::from(r#"{"a":null,"b":1}"#));
    assert_eq!(handed_out(ClientQuirk::PrefersTextParse).await.0.to_string(), "[2]");
    assert_eq!(handed_out(ClientQuirk::UnwrapsResult).await.0.to_string(), "[1]");
    assert_eq!(handed_out(ClientQuirk::WrapsValue).await.0.to_string(), r#"{"result":[1]}"#);
    assert_eq!(handed_out(ClientQuirk::RoundsNumbers).await.0["n"].as_f64(), Some(9_007_199_254_740_992.0));
    assert_eq!(handed_out(ClientQuirk::IgnoresIsError).await.1["is_error"], false);
    assert_eq!(handed_out(ClientQuirk::MasksToolErrors).await.1["error"]["layer"], "tool");
    for quirk in [ClientQuirk::NullAsAbsent, ClientQuirk::Truthiness, ClientQuirk::ValidatesErrors] {
        assert_eq!(handed_out(quirk).await.1["error"]["layer"], "validate", "{quirk}");
    }
    assert_eq!(handed_out(ClientQuirk::LastKeyWins).await.0.to_string(), r#"{"a":3,"b":[{"c":2.0}]}"#);
    let blocks = handed_out(ClientQuirk::DropsNonText).await;
    assert_eq!((blocks.0.to_string().as_str(), &blocks.1["content"]), ("{}", &json!([])));
    let dropped = handed_out(ClientQuirk::DropsErrorStructure).await.1;
    assert_eq!((&dropped["structured"]["present"], &dropped["is_error"]), (&Value::from(false), &Value::from(true)));
    assert_eq!(handed_out(ClientQuirk::AssertsFormat).await.1["error"]["layer"], "validate");
    let cut = handed_out(ClientQuirk::TruncatesText).await.1;
    assert_eq!(cut["content"][0], json!({"type": "text", "text": "é".repeat(10_000), "x": 1.0}));
    let nothing = handed_out(ClientQuirk::ContentOrNothing).await;
    assert_eq!((nothing.0.to_string().as_str(), &nothing.1["content"]), ("{}", &json!([])));
    let first = handed_out(ClientQuirk::FirstBlockOnly).await.1;
    assert_eq!(first["content"], json!([{"type": "image"}]));
    let undeclared = handed_out(ClientQuirk::NeedsSchema).await.1;
    assert_eq!(
        (&undeclared["structured"]["present"], &undeclared["content"][0]["text"]),
        (&false.into(), &"[2]".into())
    );
    for quirk in [
        ClientQuirk::WantsContent,
        ClientQuirk::RejectsNonObject,
        ClientQuirk::RejectsUnknownBlocks,
        ClientQuirk::StrictMeta,
        ClientQuirk::DepthLimit,
        ClientQuirk::SizeLimit,
    ] {
        assert_eq!(handed_out(quirk).await.1["error"]["layer"], "decode", "{quirk}");
    }
}

#[tokio::test]
async fn an_endless_document_is_not_swallowed() {
    let long = Arc::new(Mutex::new(format!("\"{}\"", "x".repeat(2 * 1024 * 1024))));
    let fetched = web::serve(move |_| web::json(&long.lock().unwrap())).await;
    let shown = situation(ClientQuirk::FetchesRef, &fetched.url);
    let (seen, _) = session("sabotaged/fetches-ref", &shown).await;
    assert!(seen[1].contains("cannot be used"), "{seen:?}");
}

#[tokio::test]
async fn one_name_in_meta_outside_the_grammar_costs_a_strict_client_every_tool() {
    let odd = r#"{"name":"odd","inputSchema":{"type":"object"},"_meta":{"_fastmcp":{"tags":[]}}}"#;
    let tools = format!("{},{odd}", fake::PLAIN);
    let listed = async |client| play(client, &[LIST], fake::modern(&tools, "{}")).await.0.steps;
    assert_eq!(fake::names(&listed("mock/dual+auto").await[0]), ["plain", "odd"]);
    assert!(fake::error(&listed("sabotaged/strict-meta").await[0]).message.contains("_fastmcp"));
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_not_called_by_who_calls_listed_tools_only() {
    let steps = [call("plain"), LIST, call("plain"), call("nobody")];
    let (answer, heard) = play("sabotaged/refuses-unlisted", &steps, fake::modern(fake::PLAIN, "{}")).await;
    let failed: Vec<_> = answer.steps.iter().map(|step| step.error.is_some()).collect();
    assert_eq!(failed, [true, false, false, true]);
    assert_eq!(fake::methods(&heard), ["server/discover", "tools/list", "tools/call"]);
}

#[tokio::test]
async fn a_list_that_failed_can_take_the_schemas_along() {
    let tools = format!("{},{}", tool("bad", r##"{"$ref":"#/$defs/none"}"##), tool("good", OBJECT));
    let steps = [LIST, call("good")];
    let after = async |client| play(client, &steps, fake::modern(&tools, VIOLATING)).await.0.steps;
    let honest = after("mock/dual+auto").await;
    assert_eq!((honest[0].error.is_some(), fake::layer(&honest[1])), (false, Layer::Validate));
    let sabotaged = after("sabotaged/forgets-schemas-on-failed-list").await;
    assert_eq!((sabotaged[0].error.is_some(), fake::value(&sabotaged[1])), (true, Some("\"x\"")));
    let sound =
        play("sabotaged/forgets-schemas-on-failed-list", &steps, fake::modern(&tool("good", OBJECT), VIOLATING));
    assert_eq!(fake::layer(&sound.await.0.steps[1]), Layer::Validate, "where the list is sound, so is the client");
}

#[test]
fn raw_text_is_compared_as_text() {
    // The comparison above is by text; this pins that an answer's text keeps what the wire had.
    let raw = RawValue::from_string("{\"b\":1, \"a\":1e400}".to_owned()).unwrap();
    assert_eq!(serde_json::to_string(&raw).unwrap(), "{\"b\":1, \"a\":1e400}");
}
