//! Variations of the inputSchema of tools, and of the arguments that follow from it.

use mcp_compat_mocks::server::varied::Behaviour;

use super::row::{Basis, Due, Group, Kind, Parameter, Row, apart, joint, row};
use super::rows_of_lists::INPUT_REFERENCES;

const SCHEMAS: Basis = Basis::Section("basic/index#json-schema-usage");

pub(super) const GROUPS: [Group; 2] = [joint("schema", &KEYWORDS), apart("arguments", &ARGUMENTS)];

const KEYWORDS: [Row; 11] = [
    row("exclusive-bounds", "lists a tool whose inputSchema has numbers as `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`", |server| {
        schema(server, "exclusive_bounds", r#""n":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":1000000},"x":{"type":"number","exclusiveMinimum":0.5,"multipleOf":0.25}"#, "");
    })
    .fix("read `exclusiveMinimum` and `exclusiveMaximum` as numbers: they are booleans in OpenAPI 3.0 and JSON Schema draft 4 alone", SCHEMAS),
    row("bounds", "lists a tool whose inputSchema bounds texts, arrays and objects (`minLength`, `maxItems`, `uniqueItems`, `minProperties` …)", |server| {
        schema(server, "bounds", r#""t":{"type":"string","minLength":1,"maxLength":10},"l":{"type":"array","items":{"type":"string"},"minItems":0,"maxItems":3,"uniqueItems":true,"contains":{"type":"string"},"minContains":1},"o":{"type":"object","minProperties":0,"maxProperties":4}"#, "");
    })
    .fix(ANY_KEYWORD, SCHEMAS),
    row("constants", "lists a tool whose inputSchema has `const`s and `enum`s of several types", |server| {
        schema(server, "constants", r#""k":{"const":"only"},"n":{"const":null},"e":{"enum":["a",1,1.5,true,null,{"b":[]}]},"i":{"type":"integer","enum":[1,2]}"#, "");
    })
    .fix("accept every JSON value in `const` and in `enum`", SCHEMAS),
    row("defaults", "lists a tool whose inputSchema has a `default` of every type, and `examples`", |server| {
        schema(server, "defaults", r#""t":{"type":"string","default":"","examples":["a","b"]},"i":{"type":"integer","default":0},"x":{"type":"number","default":1.5},"b":{"type":"boolean","default":false},"l":{"type":"array","items":{"type":"integer"},"default":[]},"o":{"type":"object","default":{"k":[1]}},"n":{"type":["string","null"],"default":null}"#, r#","examples":[{"t":"a"}]"#);
    })
    .fix("accept every JSON value as `default` and in `examples`", SCHEMAS),
    row("patterns", "lists a tool whose inputSchema has `patternProperties`, `propertyNames` and a schema as `additionalProperties`", |server| {
        schema(server, "patterns", r#""o":{"type":"object","patternProperties":{"^x-":{"type":"string"}},"propertyNames":{"pattern":"^[a-z-]+$"},"additionalProperties":{"type":["integer","null"]}}"#, r#","additionalProperties":{"anyOf":[{"type":"string"},{"type":"null"}]}"#);
    })
    .fix(ANY_KEYWORD, SCHEMAS),
    row("tuple", "lists a tool whose inputSchema has `prefixItems`, with and without `items`", |server| {
        schema(server, "tuple", r#""p":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}]},"q":{"type":"array","prefixItems":[{"const":"a"}],"items":{"type":"integer"}},"r":{"type":"array"}"#, "");
    })
    .fix("accept arrays that have `prefixItems`, and arrays without `items`", SCHEMAS),
    row("any-value", "lists a tool one of whose parameters has the empty schema or only a `description`", |server| {
        schema(server, "any_value", r#""v":{},"d":{"description":"Any value."},"l":{"type":"array","items":{}}"#, "");
    })
    .fix("take a schema without `type` for one that allows every value", SCHEMAS),
    row("nullable", "lists a tool with `anyOf` and `oneOf` of a type and null, and with `allOf`", |server| {
        schema(server, "nullable", r##""a":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null,"title":"A"},"b":{"oneOf":[{"type":"string","format":"uri"},{"type":"null"}]},"c":{"allOf":[{"type":"string","enum":["low","high"]}],"default":"low"}"##, "");
    })
    .fix("accept `anyOf`, `oneOf` and `allOf` in place of `type`", SCHEMAS),
    row("dialect", "lists a tool whose inputSchema has `$schema` of 2020-12, `$id`, `$comment` and `$anchor`", |server| {
        schema(server, "dialect", r#""n":{"type":"integer","$anchor":"count","$comment":"c"}"#, r#","$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/dialect","title":"Arguments","deprecated":false"#);
    })
    .fix("accept `$schema`, `$id`, `$anchor` and `$comment` in an inputSchema", SCHEMAS),
    row("conditions", "lists a tool whose inputSchema has `dependentRequired`, `dependentSchemas` and `unevaluatedProperties`", |server| {
        schema(server, "conditions", r#""a":{"type":"string"},"b":{"type":"string"}"#, r#","dependentRequired":{"a":["b"]},"dependentSchemas":{"b":{"properties":{"c":true}}},"unevaluatedProperties":false"#);
    })
    .fix(ANY_KEYWORD, SCHEMAS),
    row("other-keywords", "lists a tool whose inputSchema has keywords that JSON Schema does not know (`x-order`, `nullable`)", |server| {
        schema(server, "other_keywords", r#""a":{"type":"string","nullable":true,"x-order":1,"xml":{"name":"a"},"readOnly":false}"#, r#","x-example":{"a":[1]}"#);
    })
    .fix("ignore keywords of a schema that it does not know", Basis::Address("https://json-schema.org/draft/2020-12/json-schema-core#section-6.5")),
];

const ANY_KEYWORD: &str = "accept every keyword of JSON Schema in an inputSchema";

/// Parameters whose names no other tool has.
const PARAMETERS: [Parameter; 8] = [
    Parameter { name: "tag_list", kind: Kind::Array },
    Parameter { name: "filter_list", kind: Kind::Array },
    Parameter { name: "option_map", kind: Kind::Object("depth") },
    Parameter { name: "item_count", kind: Kind::Integer },
    Parameter { name: "item_ratio", kind: Kind::Number },
    Parameter { name: "is_final", kind: Kind::Boolean },
    Parameter { name: "sort_order", kind: Kind::Text },
    Parameter { name: "item_title", kind: Kind::Text },
];

/// Members of a schema that declares [`PARAMETERS`].
const TYPED: &str = r#""tag_list":{"type":"array","items":{"type":"string"}},"filter_list":{"type":"array","items":{"type":"object","properties":{"key":{"type":"string"}},"required":["key"]}},"option_map":{"type":"object","properties":{"depth":{"type":"integer"}},"required":["depth"]},"item_count":{"type":"integer"},"item_ratio":{"type":"number"},"is_final":{"type":"boolean"},"sort_order":{"type":"string","enum":["asc","desc"]},"item_title":{"type":"string"}"#;

/// The tool that clients call by its name has optional parameters of every type. Clients that choose a tool find another one
/// before it that requires them.
const ARGUMENTS: [Row; 3] = [row(
    "types",
    "lists tools with parameters of the types array, object, integer, number, boolean and string",
    |server| {
        let input = format!(r#"{{"type":"object","properties":{{"a":{{"type":"integer"}},"b":{{"type":"number"}},{TYPED}}},"required":["a","b"]}}"#);
        server.definition.set("inputSchema", &input);
        let required: Vec<String> = PARAMETERS.iter().map(|parameter| format!("\"{}\"", parameter.name)).collect();
        schema(server, "record_items", TYPED, &format!(r#","required":[{}]"#, required.join(",")));
    },
)
.due(Due::Fill(&PARAMETERS))
.fix(
    "send each argument with the type that the inputSchema declares: an array as an array, a number as a number, an object \
     with the members that it requires, and none as text",
    Basis::Section("server/tools#calling-tools"),
),
row("refs", "declares a parameter of the tool that is called by a `$ref` to its `$defs`", |server| {
    server.definition.set("inputSchema", r##"{"type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/$defs/number"}},"required":["a","b"],"$defs":{"number":{"type":"number"}}}"##);
})
.of_tool()
.due(Due::Fill(&[Parameter { name: "b", kind: Kind::Number }]))
.fix(INPUT_REFERENCES, SCHEMAS),
row("strict", "declares `$schema` of 2020-12 and `additionalProperties: false` in the inputSchema of the tool that is called", |server| {
    server.definition.set("inputSchema", r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":-1000},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false}"#);
})
.of_tool()
.due(Due::Only(&["a", "b"]))
.fix("support JSON Schema 2020-12, with `$schema`, in every inputSchema, and send only arguments that it declares", SCHEMAS)];

/// Adds a tool whose inputSchema has these properties, and other members.
fn schema(server: &mut Behaviour, name: &str, properties: &str, rest: &str) {
    let described =
        format!(r#""description":"d","inputSchema":{{"type":"object","properties":{{{properties}}}{rest}}}"#);
    server.other(name, &described);
}
