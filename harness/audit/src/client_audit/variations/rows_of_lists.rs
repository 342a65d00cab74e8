//! Variations of the handshake and of the list of tools.

use mcp_compat_mocks::server::varied::Behaviour;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::Severity;

use super::row::{Basis, Due, Group, Lack, Row, apart, joint, row};
use super::rows_of_results::ANY_SIZE;

const TOOL: Basis = Basis::Section("schema#tool");
const SCHEMAS: Basis = Basis::Section("basic/index#json-schema-usage");
const HANDSHAKE: Basis = Basis::Section("schema#initializeresult");
const PAGES: Basis = Basis::Section("server/utilities/pagination#pagination-model");

const NO_INPUT: &str = r#""inputSchema":{"type":"object"}"#;

pub(super) const GROUPS: [Group; 5] = [
    joint("initialize", &INITIALIZE),
    joint("list", &LIST),
    apart("list", &LONG),
    apart("tools", &EACH),
    apart("pages", &PAGED),
];

const INITIALIZE: [Row; 6] = [
    row("instructions", "answers `initialize` with `instructions`", |server| {
        server.initialize.set("instructions", r#""Call the tool with two numbers.\nSecond line.""#);
    })
    .fix("accept the optional member `instructions`", HANDSHAKE),
    row("unknown-capabilities", "declares capabilities that the client does not know, under `experimental` and beside it", |server| {
        server.initialize.set("capabilities", r#"{"tools":{},"experimental":{"x-example":{"on":true}},"xExample":{}}"#);
    })
    .fix("ignore capabilities that it does not know", Basis::Section("schema#servercapabilities")),
    row("unknown-members", "answers `initialize` with `_meta` and a member that the client does not know", |server| {
        server.initialize.set("_meta", r#"{"example.com/build":7}"#);
        server.initialize.set("xExample", r#"{"a":1}"#);
    })
    .fix("ignore members that it does not know", HANDSHAKE),
    row("title", "gives `serverInfo` a `title`", |server| {
        server.initialize.set(
            "serverInfo",
            r#"{"name":"mcp-compat-varied","title":"A varied server","version":"1.0.0"}"#,
        );
    })
    .since(Revision::V2025_06_18)
    .fix("accept `title` in `serverInfo`", Basis::Section("schema#implementation")),
    row("icons", "gives `serverInfo` a `description`, `icons` and a `websiteUrl`", |server| {
        server.initialize.set(
            "serverInfo",
            r#"{"name":"mcp-compat-varied","title":"A varied server","version":"1.0.0","description":"It varies.","icons":[{"src":"data:image/png;base64,iVBORw0KGgo=","mimeType":"image/png","sizes":["48x48"]}],"websiteUrl":"https://example.com"}"#,
        );
    })
    .since(Revision::V2025_11_25)
    .fix("accept `description`, `icons` and `websiteUrl` in `serverInfo`", Basis::Section("schema#implementation")),
    row("large", "answers `initialize` with `instructions` of 100 kB", |server| {
        server.initialize.set("instructions", &format!("\"{}\"", "mcp-compat ".repeat(10_000)));
    })
    .fix(ANY_SIZE, HANDSHAKE),
];

const LIST: [Row; 23] = [
    row("two-tools", "lists a second tool, before the one that is called", |server| {
        server.other("plain_tool", r#""description":"A plain tool.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}"#);
    })
    .fix("look the tool up by its name", Basis::Section("server/tools#listing-tools")),
    row("no-description", "lists a tool without `description`", |server| {
        server.other("no_description", NO_INPUT);
    })
    .fix("make `description` optional: a tool requires only `name` and `inputSchema`", TOOL),
    row("empty-description", "lists a tool whose `description` is empty", |server| {
        server.other("empty_description", r#""description":"","inputSchema":{"type":"object"}"#);
    })
    .fix("accept an empty `description`", TOOL),
    row("title", "lists a tool with `title`", |server| {
        server.other("with_title", r#""title":"With a title","description":"d","inputSchema":{"type":"object"}"#);
    })
    .since(Revision::V2025_06_18)
    .fix("accept the optional member `title`", TOOL),
    row("annotations", "lists a tool with `annotations`, and a hint that the client does not know", |server| {
        server.other(
            "with_hints",
            r#""description":"d","annotations":{"title":"Hints","readOnlyHint":true,"openWorldHint":false,"exampleHint":"x"},"inputSchema":{"type":"object"}"#,
        );
    })
    .since(Revision::V2025_03_26)
    .fix("accept the optional member `annotations`, and ignore hints that it does not know", Basis::Section("schema#toolannotations")),
    row("empty-annotations", "lists a tool whose `annotations` are empty", |server| {
        server.other("without_hints", r#""description":"d","annotations":{},"inputSchema":{"type":"object"}"#);
    })
    .since(Revision::V2025_03_26)
    .fix("make every member of `annotations` optional", Basis::Section("schema#toolannotations")),
    row("icons", "lists a tool with `icons`", |server| {
        server.other(
            "with_icons",
            r#""description":"d","icons":[{"src":"https://example.com/a.svg"}],"inputSchema":{"type":"object"}"#,
        );
    })
    .since(Revision::V2025_11_25)
    .fix("accept the optional member `icons`", TOOL),
    row("execution", "lists a tool with `execution`", |server| {
        server.other(
            "with_execution",
            r#""description":"d","execution":{"taskSupport":"forbidden"},"inputSchema":{"type":"object"}"#,
        );
    })
    .since(Revision::V2025_11_25)
    .fix("accept the optional member `execution`", TOOL),
    row("meta", "lists a tool with `_meta` and a member that the client does not know", |server| {
        server.other(
            "with_meta",
            r#""description":"d","_meta":{"example.com/a":[1,null]},"xExample":true,"inputSchema":{"type":"object"}"#,
        );
    })
    .since(Revision::V2025_06_18)
    .fix("accept `_meta`, and ignore members of a tool that it does not know", TOOL),
    row("output-schema", "lists a tool with `outputSchema`", |server| {
        server.other(
            "with_output_schema",
            r#""description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#,
        );
    })
    .since(Revision::V2025_06_18)
    .fix("accept the optional member `outputSchema`", TOOL),
    row("no-properties", "lists a tool whose inputSchema has no `properties`", |server| {
        server.other("no_properties", r#""description":"d","inputSchema":{"type":"object"}"#);
    })
    .fix("accept an inputSchema with `type` alone: `properties` and `required` are optional", TOOL),
    row("empty-required", "lists a tool whose inputSchema has an empty `required`, and `additionalProperties: false`", |server| {
        server.other(
            "nothing_required",
            r#""description":"d","inputSchema":{"type":"object","properties":{},"required":[],"additionalProperties":false}"#,
        );
    })
    .fix("accept an empty `properties` and an empty `required`", SCHEMAS),
    row("refs", "lists a tool whose inputSchema has `$defs` and `$ref`, and refers to itself", |server| {
        server.other(
            "with_refs",
            r##""description":"d","inputSchema":{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}"##,
        );
    })
    .fix(INPUT_REFERENCES, SCHEMAS),
    row("output-refs", "lists a tool whose outputSchema has `$defs`, and a `$ref` to them", |server| {
        server.other(
            "with_output_refs",
            r##""description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"node":{"$ref":"#/$defs/node"}},"required":["node"],"$defs":{"node":{"type":"object","properties":{"id":{"type":"string"}}}}}"##,
        );
    })
    .since(Revision::V2025_06_18)
    .lacks(Lack::References)
    .fix("keep `$defs` of an outputSchema, and resolve each `$ref` to them", SCHEMAS),
    row("type-list", "lists a tool one of whose parameters has a list as `type`", |server| {
        server.other(
            "type_list",
            r#""description":"d","inputSchema":{"type":"object","properties":{"t":{"type":["string","null"]}}}"#,
        );
    })
    .fix("accept a schema whose `type` is a list", SCHEMAS),
    row("combined", "lists tools with `not`, and with `anyOf`, `oneOf`, `allOf` and `if` at the root of their inputSchemas", |server| {
        server.other("negated", r#""description":"d","inputSchema":{"type":"object","properties":{"b":{"not":{"type":"null"}}}}"#);
        server.other("any_of_root", r#""description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#);
        server.other("one_of_root", r#""description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}"#);
        server.other("conditional", r#""description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"allOf":[{"if":{"required":["a"]},"then":{"required":["b"]}}]}"#);
    })
    .fix("accept every keyword of JSON Schema in an inputSchema", SCHEMAS),
    row("nested-booleans", "lists a tool with boolean schemas in its inputSchema", |server| {
        server.other(
            "booleans",
            r#""description":"d","inputSchema":{"type":"object","properties":{"l":{"type":"array","items":true},"t":{"type":"array","prefixItems":[{"type":"integer"}],"items":false},"v":true},"additionalProperties":{"type":"string"}}"#,
        );
    })
    .fix("accept `true` and `false` as schemas, and an object as `additionalProperties`", SCHEMAS),
    row("formats", "lists a tool with `format`s, a `pattern` and a `$schema` of draft 7 in its inputSchema", |server| {
        server.other(
            "formats",
            r#""description":"d","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"at":{"type":"string","format":"date-time"},"n":{"type":"integer","format":"uint64","minimum":0},"x":{"type":"string","format":"x-example","pattern":"^[a-z]{2,}$"}}}"#,
        );
    })
    .fix("ignore `format`s that it does not know, and accept `$schema`", SCHEMAS),
    row("large-integers", "lists a tool whose inputSchema has integers beyond 2^53 as bounds", |server| {
        server.other(
            "large_integers",
            r#""description":"d","inputSchema":{"type":"object","properties":{"n":{"type":"integer","minimum":-9223372036854775808,"maximum":18446744073709551615,"default":0}}}"#,
        );
    })
    .fix("read numbers of a schema without a limit of 64 bits or of a double", SCHEMAS),
    row("property-names", "lists a tool with parameters named `constructor`, `toString`, `class`, `$ref-like` and `1st`", |server| {
        server.other(
            "property_names",
            r#""description":"d","inputSchema":{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"type":"string"},"class":{"type":"string"},"$ref-like":{"type":"string"},"1st":{"type":"string"},"":{"type":"string"}}}"#,
        );
    })
    .fix("take every text as the name of a property, also those that objects of its language have (such as `constructor`)", SCHEMAS),
    row("proto", "lists a tool with a parameter named `__proto__`", |server| {
        server.other(
            "proto",
            r#""description":"d","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}"#,
        );
    })
    .fix("take every text as the name of a property, `__proto__` too", SCHEMAS),
    row("names", "lists tools whose names have dots, hyphens or capitals, begin with a digit, or have 128 characters", |server| {
        server.other("dotted.name", NO_INPUT_DESCRIBED);
        server.other("with.a.dot", NO_INPUT_DESCRIBED);
        server.other("with-a-dot", NO_INPUT_DESCRIBED);
        server.other("with_a_dot", NO_INPUT_DESCRIBED);
        server.other("camelCase", NO_INPUT_DESCRIBED);
        server.other("3d-model_View", NO_INPUT_DESCRIBED);
        server.other(LONG_NAME, NO_INPUT_DESCRIBED);
    })
    .due(Due::Listed)
    .fix("accept names of 1 to 128 characters out of A-Z, a-z, 0-9, `_`, `-` and `.`, tell names apart that differ in one of them, and call each tool by the name that is listed", Basis::Section("server/tools#tool-names")),
    row("unicode", "lists a tool whose title and description are not ASCII", |server| {
        server.other("unicode", r#""description":"Zählt Wörter – 東京 🙂\nand\ttabs","inputSchema":{"type":"object","properties":{"größe":{"type":"string","description":"Größe"}}}"#);
    })
    .fix("read messages as UTF-8", Basis::Section("basic/transports")),
];

/// A list that takes long to be read, and that a client which calls each tool may not come to the end of.
const LONG: [Row; 1] = [row("many", "lists 300 tools on one page, 100 kB in all", |server| {
    let text = "mcp-compat ".repeat(25);
    (0..300).for_each(|number| {
        server
            .other(&format!("many_{number}"), &format!(r#""description":"{text}","inputSchema":{{"type":"object"}}"#));
    });
})
.fix(ANY_SIZE, Basis::Section("server/tools#listing-tools"))];

/// Number of tools of a list that is longer than some clients read.
const TOOLS: usize = 40;

const EACH: [Row; 1] = [row("each", "lists 40 tools on one page", |server| {
    (1..TOOLS).for_each(|number| server.other(&format!("tool_{number}"), NO_INPUT_DESCRIBED));
})
.due(Due::CallEach(TOOLS))
.fix("take every tool of the list", Basis::Section("server/tools#listing-tools"))
.severity(Severity::Note)];

/// Remedy for clients that do not resolve what an inputSchema declares.
pub(super) const INPUT_REFERENCES: &str = "accept `$defs` and `$ref` in an inputSchema, with cycles";

const NO_INPUT_DESCRIBED: &str = r#""description":"d","inputSchema":{"type":"object"}"#;

/// A name as long as names may be.
const LONG_NAME: &str = "long_name_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789_01234567";

pub(super) static PAGED: [Row; 4] = [
    row("second-page", "lists the tool on a second page", |server| paged(server, &["2"]))
        .due(Due::Pages(2))
        .fix("ask for the next page while a page has `nextCursor`", Basis::Rule("client-lists-every-page")),
    row(
        "odd-cursor",
        "lists the tool on a second page, behind a cursor with spaces, quotes, `+/=` and characters beyond ASCII",
        |server| {
            paged(server, &["eyJpIjoyfQ+/== \"é\\🙂?&%2F"]);
        },
    )
    .due(Due::Pages(2))
    .fix("send each cursor back as it came: it is opaque", PAGES),
    row("empty-cursor", "lists the tool on a second page, behind a cursor that is the empty text", |server| {
        paged(server, &[""])
    })
    .due(Due::Pages(2))
    .fix(
        "end the list only where `nextCursor` is absent, and send an empty cursor back",
        Basis::Address(
            "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination#pagination-model",
        ),
    )
    .severity(Severity::Warning),
    row("empty-page", "lists the tool on a third page, after a page without tools", |server| {
        paged(server, &["2", "3"])
    })
    .due(Due::Pages(3))
    .fix("go on while a page has `nextCursor`, also after a page without tools", PAGES),
];

fn paged(server: &mut Behaviour, cursors: &[&'static str]) {
    server.other("first_page_tool", NO_INPUT_DESCRIBED);
    server.cursors = cursors.to_vec();
}
