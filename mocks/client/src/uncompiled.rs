//! Schemas that a client does not compile and passes over: it then checks no result of the tool.

use serde_json::Value;

use crate::dialect::each_schema;
use crate::quirk::ClientQuirk;
use crate::spec::ClientSpec;

/// The formats of JSON Schema, and `url`, which Ajv 6 has too.
const FORMATS: [&str; 16] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "json-pointer",
    "json-pointer-uri-fragment",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "url",
    "uuid",
];

/// Whether the client checks nothing by this schema.
pub(crate) fn is_passed_over(spec: &ClientSpec, schema: &str) -> bool {
    let (dialects, formats) = (spec.does(ClientQuirk::SkipsOtherDialects), spec.does(ClientQuirk::SkipsOddFormats));
    if !dialects && !formats {
        return false;
    }
    let Ok(mut schema) = serde_json::from_str::<Value>(schema) else { return false };
    dialects && declares_another_dialect(&schema) || formats && has_odd_format(&mut schema)
}

fn declares_another_dialect(schema: &Value) -> bool {
    let declared = schema.get("$schema").and_then(Value::as_str);
    declared.is_some_and(|address| address.trim_end_matches('#') != "http://json-schema.org/draft-07/schema")
}

fn has_odd_format(schema: &mut Value) -> bool {
    let odd = std::cell::Cell::new(false);
    each_schema(schema, &|members| {
        let format = members.get("format").and_then(Value::as_str);
        odd.set(odd.get() || format.is_some_and(|format| !FORMATS.contains(&format)));
    });
    odd.get()
}
