//! Every quirk shows, and nothing but the quirk.

use std::sync::Arc;

use mcp_compat_mocks::server::ServerQuirk;
use mcp_compat_model::peer_contract::Script;

use crate::server::scripts::{initialize, legacy, modern, read};
use crate::server::stream_client::StreamClient;

/// Two pages, two stages, and a tool that has something for every quirk.
fn script() -> Arc<Script> {
    let tool = r#"{"name":"t","definition":{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}},
        "reply":{"result":{"content":[{"type":"text","text":"x"}],"structuredContent":[{"a":null,"n":9007199254740993}],"isError":true}}}"#;
    let null =
        r#"{"name":"null","definition":{"name":"null"},"reply":{"result":{"content":[],"structuredContent":null}}}"#;
    let evolve = r#"{"name":"e","definition":{"name":"e"},"reply":{"evolve":{}}}"#;
    let hang = r#"{"name":"hang","definition":{"name":"hang"},"reply":{"hang":{}}}"#;
    read(&format!(
        r#"{{"scenario":"s","page_size":2,"stages":[{{"tools":[{tool},{null},{evolve}]}},{{"told":true,"tools":[{evolve},{hang}]}}]}}"#
    ))
}

/// Everything that a server says in both eras, as lines.
async fn said(id: &str) -> Vec<String> {
    let mut client = StreamClient::new(id, script());
    for line in [
        initialize("2025-11-25"),
        legacy(1, "tools/list", ""),
        legacy(2, "tools/call", r#""name":"t""#),
        legacy(3, "tools/call", r#""name":"null""#),
        modern(4, "server/discover", ""),
        modern(5, "tools/list", ""),
        modern(6, "tools/call", r#""name":"t""#),
        modern(7, "tools/call", r#""name":"nobody""#),
        legacy(8, "tools/call", r#""name":"e""#),
        legacy(9, "tools/list", ""),
        legacy(10, "ping", ""),
        legacy(11, "tools/call", r#""name":"hang""#),
        legacy(12, "ping", ""),
    ] {
        client.send(&line).await;
    }
    client.close().await.1
}

/// Where a quirk shows, as a fragment that an honest server says and one that the sabotaged one says instead.
fn difference(quirk: ServerQuirk) -> (&'static str, &'static str) {
    const VALUE: &str = r#","structuredContent":[{"a":null,"n":9007199254740993}]"#;
    match quirk {
        ServerQuirk::DropsValue | ServerQuirk::ArrayAsText => (VALUE, ""),
        ServerQuirk::WrapsAlways => (VALUE, r#","structuredContent":{"result":[{"a":null,"n":9007199254740993}]}"#),
        ServerQuirk::StringifiesValue => (VALUE, r#","structuredContent":"[{\"a\":null,\"n\":9007199254740993}]""#),
        ServerQuirk::ForgetsText => (r#"[{"type":"text","text":"x"}],"structured"#, r#"[],"structuredContent":[{"#),
        ServerQuirk::ForgetsContent => (r#""content":[{"type":"text","text":"x"}],"#, ""),
        ServerQuirk::RoundsNumbers => ("9007199254740993", "9007199254740992"),
        ServerQuirk::NullAsAbsent => (r#""a":null,"#, ""),
        ServerQuirk::ExplicitNulls => (r#""isError":true}"#, r#""isError":true,"_meta":null}"#),
        ServerQuirk::SwallowsError => (r#","isError":true"#, ""),
        ServerQuirk::HidesSchema => (r#","outputSchema":{"type":"array"}"#, ""),
        ServerQuirk::ClosesSchema => (r#"{"type":"array"}"#, r#"{"type":"array","additionalProperties":false}"#),
        ServerQuirk::FailsList => (r#""id":1,"result":{"tools":"#, r#""id":1,"error":{"code":-32603"#),
        ServerQuirk::LosesPageTwo => (r#","nextCursor":"#, ""),
        ServerQuirk::StaleList => {
            (r#""id":9,"result":{"tools":[{"name":"e"}"#, r#""id":9,"result":{"tools":[{"name":"t""#)
        }
        ServerQuirk::Untold => ("notifications/tools/list_changed", ""),
        ServerQuirk::AnswersWrongRevision => (r#""protocolVersion":"2025-11-25""#, r#""protocolVersion":"1999-12-31""#),
        ServerQuirk::ForgetsResultType => (r#""resultType":"complete","#, ""),
        ServerQuirk::ForgetsCacheHints => (r#","ttlMs":0,"cacheScope":"private""#, ""),
        ServerQuirk::StringifiesId => (r#""id":1,"#, r#""id":"1","#),
        ServerQuirk::NoiseOnStdout => ("", "The mock server is up."),
        ServerQuirk::AnswersInRequestOrder => (r#""id":12,"result""#, ""),
        ServerQuirk::FailsOnForeignOutput => {
            (r#""id":2,"result":{"content":[{"type":"text","text":"x"}]"#, r#""id":2,"error":{"code":-32603"#)
        }
        ServerQuirk::WrapsApart => (
            r#""id":2,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":[{"#,
            r#""id":2,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"result":[{"#,
        ),
        ServerQuirk::StripsForeignOutput => (
            r#""id":2,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":[{"#,
            r#""id":2,"result":{"content":[{"type":"text","text":"[{\"a\":null,\"n\":9007199254740993}]"},{"type":"text","text":"x"}],"isError":true}"#,
        ),
    }
}

#[tokio::test]
async fn every_quirk_shows_and_an_honest_server_has_none() {
    let honest = said("mock/dual").await.join("\n");
    for quirk in ServerQuirk::ALL {
        let sabotaged = said(&format!("sabotaged/{quirk}")).await.join("\n");
        let (right, wrong) = difference(quirk);
        assert!(honest.contains(right), "{quirk}: {honest}");
        assert!(wrong.is_empty() || !honest.contains(wrong), "{quirk}: {honest}");
        assert!(right.is_empty() || !sabotaged.contains(right), "{quirk}: {sabotaged}");
        assert!(sabotaged.contains(wrong), "{quirk}: {sabotaged}");
    }
}

#[tokio::test]
async fn a_quirk_leaves_alone_what_it_is_not_about() {
    let honest = said("mock/dual").await;
    for quirk in ServerQuirk::ALL {
        let sabotaged = said(&format!("sabotaged/{quirk}")).await;
        let same = honest.iter().filter(|line| sabotaged.contains(line)).count();
        let least = match quirk {
            // These show in every answer of an era, or in every answer.
            ServerQuirk::StringifiesId => 1,
            ServerQuirk::ForgetsResultType | ServerQuirk::ExplicitNulls => 5,
            ServerQuirk::DropsValue
            | ServerQuirk::ArrayAsText
            | ServerQuirk::WrapsAlways
            | ServerQuirk::StringifiesValue
            | ServerQuirk::ForgetsText
            | ServerQuirk::ForgetsContent
            | ServerQuirk::RoundsNumbers
            | ServerQuirk::NullAsAbsent
            | ServerQuirk::SwallowsError
            | ServerQuirk::HidesSchema
            | ServerQuirk::ClosesSchema
            | ServerQuirk::FailsList
            | ServerQuirk::LosesPageTwo
            | ServerQuirk::StaleList
            | ServerQuirk::Untold
            | ServerQuirk::AnswersWrongRevision
            | ServerQuirk::ForgetsCacheHints
            | ServerQuirk::NoiseOnStdout
            | ServerQuirk::FailsOnForeignOutput
            | ServerQuirk::WrapsApart
            | ServerQuirk::StripsForeignOutput
            | ServerQuirk::AnswersInRequestOrder => 7,
        };
        assert!(same >= least, "{quirk}: only {same} lines of {honest:#?} are in {sabotaged:#?}");
    }
}

#[tokio::test]
async fn a_value_that_stands_in_the_first_text_is_not_sent_twice() {
    let tool = |name: &str, content: &str| {
        format!(
            r#"{{"name":"{name}","definition":{{"name":"{name}"}},"reply":{{"result":{{"content":{content},"structuredContent":[1,2]}}}}}}"#
        )
    };
    let tools = [
        tool("first", r#"[{"type":"text","text":"[1, 2]"}]"#),
        tool("later", r#"[{"type":"text","text":"Two"},{"type":"text","text":"[1,2]"}]"#),
        tool("none", "[]"),
    ];
    let script = read(&format!(r#"{{"scenario":"s","stages":[{{"tools":[{}]}}]}}"#, tools.join(",")));
    let mut client = StreamClient::new("sabotaged/strips-foreign-output", script);
    client.send(&initialize("2025-11-25")).await;
    for (id, name) in [(2, "first"), (3, "later"), (4, "none")] {
        client.send(&legacy(id, "tools/call", &format!(r#""name":"{name}""#))).await;
    }
    let said = client.close().await.1;
    let content = |id: usize| said.iter().find(|line| line.contains(&format!(r#""id":{id},"#))).unwrap();
    assert!(content(2).contains(r#""content":[{"type":"text","text":"[1, 2]"}]}"#), "{}", content(2));
    assert!(
        content(3).contains(r#""content":[{"type":"text","text":"[1,2]"},{"type":"text","text":"Two"},"#),
        "{}",
        content(3)
    );
    assert!(content(4).contains(r#""content":[{"type":"text","text":"[1,2]"}]}"#), "{}", content(4));
}

#[tokio::test]
async fn a_null_value_is_lost_only_where_null_means_absence() {
    let null = |lines: Vec<String>| lines.into_iter().find(|line| line.contains(r#""id":3"#)).unwrap();
    assert!(null(said("mock/dual").await).contains(r#""structuredContent":null"#));
    assert!(!null(said("sabotaged/null-as-absent").await).contains("structuredContent"));
    assert!(null(said("sabotaged/array-as-text").await).contains(r#""structuredContent":null"#), "null is no array");
}
