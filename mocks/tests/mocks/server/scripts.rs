//! The scripts that the tests serve, and requests to go with them.

use std::sync::Arc;

use mcp_compat_model::peer_contract::Script;

/// `_meta` of a modern request.
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A tool of every kind, in three stages: the first step is told, the second is not.
pub(crate) fn every_kind() -> Arc<Script> {
    read(
        r##"{"scenario":"test","stages":[
        {"tools":[
            {"name":"object","definition":{"name":"object","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"number"}}}},
             "reply":{"result":{"structuredContent":{"n":1.50},"content":[{"type":"text","text":"{\"n\":1.50}"}]}}},
            {"name":"array","definition":{"name":"array","inputSchema":{"type":"object"},"outputSchema":{"type":"array","items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"number"}}}},
             "reply":{"result":{"content":[{"type":"text","text":"[1e2]"}],"structuredContent":[1e2,12345678901234567890123],"_meta":{"k":null}}}},
            {"name":"null","definition":{"name":"null","inputSchema":{"type":"object"}},
             "reply":{"result":{"content":[],"structuredContent":null}}},
            {"name":"text","definition":{"name":"text","inputSchema":{"type":"object"}},
             "reply":{"result":{"content":[{"type":"text","text":"plain"}]}}},
            {"name":"failing","definition":{"name":"failing","inputSchema":{"type":"object"}},
             "reply":{"result":{"content":[{"type":"text","text":"Out of stock"}],"isError":true}}},
            {"name":"error","definition":{"name":"error","inputSchema":{"type":"object"}},
             "reply":{"error":{"code":-32603,"message":"broken","data":[1.0]}}},
            {"name":"raw","definition":{"name":"raw","inputSchema":{"type":"object"}},
             "reply":{"raw":"eyJpZCI6e3tpZH19fSBub3QganNvbg=="}},
            {"name":"hang","definition":{"name":"hang","inputSchema":{"type":"object"}},"reply":{"hang":{}}},
            {"name":"exit","definition":{"name":"exit","inputSchema":{"type":"object"}},"reply":{"exit":{"status":3}}},
            {"name":"mcp_compat_evolve","definition":{"name":"mcp_compat_evolve","inputSchema":{"type":"object"}},"reply":{"evolve":{}}}
        ]},
        {"told":true,"tools":[
            {"name":"second","definition":{"name":"second","inputSchema":{"type":"object"}},"reply":{"result":{"content":[]}}},
            {"name":"mcp_compat_evolve","definition":{"name":"mcp_compat_evolve","inputSchema":{"type":"object"}},"reply":{"evolve":{}}}
        ]},
        {"told":false,"tools":[
            {"name":"third","definition":{"name":"third","inputSchema":{"type":"object"}},"reply":{"result":{"content":[]}}},
            {"name":"mcp_compat_evolve","definition":{"name":"mcp_compat_evolve","inputSchema":{"type":"object"}},"reply":{"evolve":{}}}
        ]}]}"##,
    )
}

/// Five tools, two to a page.
pub(crate) fn paged() -> Arc<Script> {
    let tool = |name: char| {
        format!(
            r#"{{"name":"{name}","definition":{{"name":"{name}","inputSchema":{{"type":"object"}}}},"reply":{{"hang":{{}}}}}}"#
        )
    };
    let tools: Vec<_> = ('a'..='e').map(tool).collect();
    read(&format!(r#"{{"scenario":"paged","page_size":2,"stages":[{{"tools":[{}]}}]}}"#, tools.join(",")))
}

/// A script from its JSON.
pub(crate) fn read(text: &str) -> Arc<Script> {
    Arc::new(serde_json::from_str(text).unwrap())
}

/// A modern request.
pub(crate) fn modern(id: u32, method: &str, members: &str) -> String {
    let members = if members.is_empty() { String::new() } else { format!("{members},") };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{members}{META}}}}}"#)
}

/// A legacy request.
pub(crate) fn legacy(id: u32, method: &str, members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{members}}}}}"#)
}

/// `initialize` for a version.
pub(crate) fn initialize(version: &str) -> String {
    legacy(
        0,
        "initialize",
        &format!(r#""protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}"#),
    )
}
