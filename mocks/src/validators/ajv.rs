//! Deviations of Ajv. Files are those of Ajv 8.20.
//!
//! Ajv compiles a schema and does not check it by a meta-schema. It looks at a schema where it writes code for it, so the
//! rewritten schema has only what is reached from the root.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use mcp_compat_schema::validator::Draft;
use serde_json::{Map, Number, Value, json};

use crate::validators::Refusal;
use crate::validators::addresses::{Addresses, escaped, fragment};

/// The class of Ajv that an SDK compiles schemas with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The default one, of draft-07, whatever a schema declares.
    Default,
    /// The class of the dialect that the schema declares: 2020-12, 2019-09, or draft-07 for draft-06 too.
    Declared,
}

/// Keywords, the JSON types of their value, and the first and last draft whose class knows them
/// (`vocabularies/*.ts`: `schemaType`; `ajv.ts`, `2019.ts`, `2020.ts`).
type Row = (&'static [&'static str], &'static [&'static str], Draft, Draft);

const SCHEMA: &[&str] = &["object", "boolean"];
const OLD: Draft = Draft::Draft7;
const MID: Draft = Draft::Draft201909;
const NEW: Draft = Draft::Draft202012;

const KEYWORDS: [Row; 18] = [
    (&["$comment", "const", "id"], &[], OLD, NEW),
    (&["$dynamicAnchor", "$dynamicRef", "$recursiveRef"], &["string"], MID, NEW),
    (&["$recursiveAnchor"], &["boolean"], MID, NEW),
    (&["$ref", "format", "pattern"], &["string"], OLD, NEW),
    (&["additionalItems"], SCHEMA, OLD, MID),
    (&["additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"], SCHEMA, OLD, NEW),
    (&["allOf", "anyOf", "enum", "oneOf", "required"], &["array"], OLD, NEW),
    (&["dependencies", "patternProperties", "properties"], &["object"], OLD, NEW),
    (&["dependentRequired", "dependentSchemas"], &["object"], MID, NEW),
    (&["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"], &["number"], OLD, NEW),
    (&["items"], &["object", "array", "boolean"], OLD, MID),
    (&["items"], SCHEMA, NEW, NEW),
    (&["maxContains", "minContains"], &["number"], MID, NEW),
    (&["maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"], &["number"], OLD, NEW),
    (&["nullable", "uniqueItems"], &["boolean"], OLD, NEW),
    (&["prefixItems"], &["array"], NEW, NEW),
    (&["type"], &["string", "array"], OLD, NEW),
    (&["unevaluatedItems", "unevaluatedProperties"], SCHEMA, MID, NEW),
];

/// Keyword of the schemas that references lead to, in a rewritten schema: the place that a reference names may be missing
/// there.
const DEFINITIONS: &str = "$defs";

/// Largest integer below which all are doubles.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// Names that every object of JavaScript inherits, so that they count as present.
const INHERITED: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// Regular expressions of `ajv-formats/dist/formats.js`, rewritten without its flag `i`. Formats that are neither here nor in
/// [`CHECKED`] are not asserted.
static FORMATS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("formats.json"))
        .unwrap_or_else(|error| unreachable!("formats.json is part of this crate: {error}"))
});

/// Formats that the validator of this project checks as Ajv does.
const CHECKED: [&str; 4] = ["date", "time", "date-time", "regex"];

/// Reads a schema as Ajv does.
///
/// # Errors
/// When Ajv does not compile it.
pub(crate) fn read(class: Class, schema: &Value) -> Result<(Value, Draft), Refusal> {
    let draft = draft(class, schema)?;
    if schema.get("$id").is_some_and(|id| !id.is_string() && is_truthy(id)) {
        return Refusal::schema("$id is no string");
    }
    let addresses = Addresses::of_ajv(schema, draft);
    if let Some(problem) = &addresses.problem {
        return Refusal::schema(problem.as_str());
    }
    let has_dynamic = draft == NEW && schema.to_string().contains("\"$dynamicAnchor\"");
    let reader =
        &mut Reader { draft, addresses, document: schema, reached: BTreeMap::new(), todo: Vec::new(), has_dynamic };
    let mut written = reader.schema(schema, "")?;
    if written == Value::Bool(true) {
        written = json!({});
    }
    while let Some((pointer, base)) = reader.todo.pop() {
        if let Some(target) = schema.pointer(&pointer) {
            let target = reader.schema(target, &base)?;
            reader.reached.insert(pointer, target);
        }
    }
    let reached = std::mem::take(&mut reader.reached);
    if has_dynamic {
        reached.into_iter().for_each(|(pointer, target)| place(&mut written, &pointer, target));
    } else if let Some(members) = written.as_object_mut().filter(|_| !reached.is_empty()) {
        members.insert(DEFINITIONS.to_owned(), json!(reached));
    }
    Ok((written, draft))
}

/// Rounds integers, because all numbers of JavaScript are doubles.
pub(crate) fn round(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let double = number.as_f64().and_then(Number::from_f64);
            if let Some(double) = double.filter(|double| double.as_f64().is_some_and(|double| double.abs() > SAFE)) {
                *number = double;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The draft of the class that compiles a schema.
fn draft(class: Class, schema: &Value) -> Result<Draft, Refusal> {
    let declared = match (class, schema.get("$schema")) {
        (Class::Default, _) => return Ok(OLD),
        (Class::Declared, Some(Value::String(declared))) => declared,
        (Class::Declared, _) => return Ok(NEW),
    };
    let path = declared.trim_start_matches("https://").trim_start_matches("http://");
    match path.strip_suffix('#').unwrap_or(path) {
        "json-schema.org/draft/2020-12/schema" => Ok(NEW),
        "json-schema.org/draft/2019-09/schema" => Ok(MID),
        "json-schema.org/draft-07/schema" | "json-schema.org/draft-06/schema" => Ok(OLD),
        _ => Refusal::schema(format!("it declares an unsupported dialect: {declared}")),
    }
}

/// A schema on its way to the validator of this project.
struct Reader<'s> {
    draft: Draft,
    addresses: Addresses,
    document: &'s Value,
    /// The schemas that references lead to, as they are written, by pointer.
    reached: BTreeMap<String, Value>,
    /// Subschemas that are still to be read, with the address around them.
    todo: Vec<(String, String)>,
    has_dynamic: bool,
}

type Members = Map<String, Value>;

impl<'s> Reader<'s> {
    fn row(&self, keyword: &str) -> Option<&'static Row> {
        KEYWORDS
            .iter()
            .find(|(names, _, first, last)| names.contains(&keyword) && (*first..=*last).contains(&self.draft))
    }

    /// Ajv writes no code for a schema, as every value is valid (`compile/util.ts`, `alwaysValidSchema`).
    fn is_empty(&self, schema: &Value) -> bool {
        let has_rules =
            schema.as_object().is_some_and(|members| members.keys().any(|keyword| self.row(keyword).is_some()));
        !has_rules && *schema != Value::Bool(false)
    }

    fn is_mere_reference(&self, schema: &Value) -> bool {
        schema.as_object().is_some_and(|members| {
            members.contains_key("$ref") && members.keys().filter(|keyword| self.row(keyword).is_some()).count() == 1
        })
    }

    fn schema(&mut self, schema: &Value, base: &str) -> Result<Value, Refusal> {
        if schema.is_null() {
            return Refusal::schema("Cannot convert undefined or null to object");
        }
        let Some(members) = schema.as_object().filter(|_| !self.is_empty(schema)) else {
            return Ok(json!(*schema != Value::Bool(false)));
        };
        let base = self.addresses.base_of(schema, base);
        let mut written = Members::new();
        let mut also = Vec::new();
        types(members, &mut written)?;
        for (keyword, value) in members {
            if let Some((_, wanted, ..)) = self.row(keyword) {
                if !wanted.is_empty() && !wanted.contains(&type_of(value)) {
                    return Refusal::schema(format!("{keyword} value must be {wanted:?}"));
                }
                self.keyword(members, keyword, value, &base, &mut written, &mut also)?;
            }
        }
        if self.has_dynamic {
            for keyword in ["$id", "$anchor", "$dynamicAnchor"] {
                written.extend(members.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
            }
        }
        if !also.is_empty() {
            let all = written.entry("allOf").or_insert_with(|| json!([]));
            all.as_array_mut().into_iter().for_each(|all| all.append(&mut also));
        }
        Ok(Value::Object(written))
    }

    fn keyword(
        &mut self,
        members: &Members,
        keyword: &str,
        value: &Value,
        base: &str,
        written: &mut Members,
        also: &mut Vec<Value>,
    ) -> Result<(), Refusal> {
        let number = value.as_f64().unwrap_or_default();
        let read = match keyword {
            "type" | "nullable" | "$comment" | "then" | "else" | "$dynamicAnchor" | "$recursiveAnchor" => return Ok(()),
            "id" => return Refusal::schema("NOT SUPPORTED: keyword \"id\", use \"$id\" for schema ID"),
            "$ref" => {
                let reference = self.reference(value.as_str().unwrap_or_default(), base)?;
                if self.draft == OLD && members.len() > 1 {
                    also.push(json!({ "$ref": reference }));
                    return Ok(());
                }
                json!(reference)
            }
            "$dynamicRef" | "$recursiveRef" => {
                let reference = value.as_str().unwrap_or_default();
                if !reference.starts_with('#') {
                    return Refusal::schema(format!("{keyword} only supports hash fragment reference"));
                }
                if !self.has_dynamic || self.addresses.resolve(self.document, base, reference).is_none() {
                    also.push(json!({ "$ref": "#" }));
                    return Ok(());
                }
                value.clone()
            }
            // `core/id.ts` and validation/: the value of a bound is not looked at.
            "minLength" | "minItems" | "minProperties" | "minContains" => json!(number.ceil().max(0.0)),
            "maxLength" | "maxItems" | "maxProperties" | "maxContains" => json!(number.floor().max(0.0)),
            "multipleOf" if number == 0.0 => {
                also.push(json!({ "not": { "type": "number" } }));
                return Ok(());
            }
            "multipleOf" if number < 0.0 => json!(-number),
            "enum" if value == &json!([]) => return Refusal::schema("enum must have non-empty array"),
            "enum" => json!(distinct(value)),
            "required" => json!(required(value)),
            "dependentRequired" => named(value, |names| json!(required(names))),
            "format" => {
                format(value.as_str().unwrap_or_default(), written, also);
                return Ok(());
            }
            "if" => return self.condition(members, value, base, written),
            // `applicator/contains.ts`, `unevaluated/unevaluatedItems.ts`: all items count as evaluated.
            "unevaluatedItems" if members.get("contains").is_some_and(|schema| !self.is_empty(schema)) => return Ok(()),
            "additionalItems" if !members.get("items").is_some_and(Value::is_array) => return Ok(()),
            "dependencies" if self.draft != OLD => {
                let (lists, schemas): (Members, Members) = value
                    .as_object()
                    .cloned()
                    .unwrap_or_default()
                    .into_iter()
                    .partition(|(_, needed)| needed.is_array());
                let schemas = self.each(&Value::Object(schemas), base)?;
                also.push(json!({ "dependentRequired": lists, "dependentSchemas": schemas }));
                return Ok(());
            }
            // The default class looks for a schema that every value is valid by.
            "anyOf" if self.draft == OLD && items(value).iter().any(|schema| self.is_empty(schema)) => return Ok(()),
            "anyOf" | "oneOf" if items(value).is_empty() => {
                also.push(json!(false));
                return Ok(());
            }
            "allOf" | "prefixItems" | "items" if value == &json!([]) => return Ok(()),
            "patternProperties" if self.draft == OLD && self.needs_no_pattern(members, value) => return Ok(()),
            "properties" => {
                also.extend(inherited(value));
                self.each(value, base)?
            }
            "patternProperties" | "dependentSchemas" | "dependencies" => self.each(value, base)?,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => self.each(value, base)?,
            "items" if value.is_array() => self.each(value, base)?,
            "additionalItems"
            | "additionalProperties"
            | "contains"
            | "items"
            | "not"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.schema(value, base)?,
            _ => value.clone(),
        };
        written.insert(keyword.to_owned(), read);
        Ok(())
    }

    fn each(&mut self, schemas: &Value, base: &str) -> Result<Value, Refusal> {
        if let Some(named) = schemas.as_object() {
            let read = |(name, schema): (&String, &Value)| {
                let read = if schema.is_array() { json!(required(schema)) } else { self.schema(schema, base)? };
                Ok::<_, Refusal>((name.clone(), read))
            };
            return named.iter().map(read).collect();
        }
        items(schemas).iter().map(|item| self.schema(item, base)).collect()
    }

    fn condition(
        &mut self,
        members: &Members,
        value: &Value,
        base: &str,
        written: &mut Members,
    ) -> Result<(), Refusal> {
        for branch in ["then", "else"] {
            if let Some(schema) = members.get(branch).filter(|schema| !self.is_empty(schema)) {
                let read = self.schema(schema, base)?;
                written.insert(branch.to_owned(), read);
            }
        }
        if written.contains_key("then") || written.contains_key("else") {
            let read = self.schema(value, base)?;
            written.insert("if".to_owned(), read);
        }
        Ok(())
    }

    fn needs_no_pattern(&self, members: &Members, named: &Value) -> bool {
        let rest = members.get("additionalProperties").is_none_or(|rest| self.is_empty(rest));
        rest && named
            .as_object()
            .is_some_and(|named| named.values().all(|schema| !schema.is_null() && self.is_empty(schema)))
    }

    /// Resolves a reference when the schema is compiled (`compile/index.ts`, `resolveRef`).
    fn reference(&mut self, reference: &str, base: &str) -> Result<String, Refusal> {
        let (mut reference, mut base) = (reference.to_owned(), base.to_owned());
        let written = reference.clone();
        let mut first = None;
        let mut followed = BTreeSet::new();
        loop {
            let Some(pointer) = self.addresses.resolve(self.document, &base, &reference) else {
                return Refusal::schema(format!("can't resolve reference {reference} from id {base}"));
            };
            if !followed.insert(pointer.clone()) {
                return Refusal::schema("Maximum call stack size exceeded");
            }
            let resource = self.addresses.resource(&base).and_then(|pointer| self.document.pointer(pointer));
            if resource.is_some_and(|schema| self.is_mere_reference(schema)) && first.is_none() && !base.is_empty() {
                return Refusal::schema("Maximum call stack size exceeded");
            }
            let around = self.addresses.base_around(self.document, &pointer);
            let Some(target) = self.document.pointer(&pointer) else { break };
            first.get_or_insert((pointer, around.clone()));
            match target.get("$ref").and_then(Value::as_str) {
                Some(next) if self.is_mere_reference(target) => {
                    (reference, base) = (next.to_owned(), self.addresses.base_of(target, &around))
                }
                None if target.is_null() => return Refusal::schema("Cannot read properties of null"),
                Some(_) | None => break,
            }
        }
        let Some((pointer, around)) = first else { return Ok(written) };
        let fragment =
            if pointer.is_empty() { fragment("") } else { fragment(&format!("/{DEFINITIONS}/{}", escaped(&pointer))) };
        if !pointer.is_empty() && !self.reached.contains_key(&pointer) {
            self.reached.insert(pointer.clone(), Value::Null);
            self.todo.push((pointer, around));
        }
        Ok(if self.has_dynamic { written } else { fragment })
    }
}

/// Writes the types that a schema admits (`compile/validate/dataType.ts`, `getSchemaTypes`).
fn types(members: &Members, written: &mut Members) -> Result<(), Refusal> {
    let named: Vec<&Value> = match members.get("type") {
        Some(Value::Array(types)) => types.iter().collect(),
        Some(kind) if is_truthy(kind) => vec![kind],
        Some(_) | None => Vec::new(),
    };
    let known = ["string", "number", "integer", "boolean", "null", "object", "array"];
    let mut types = BTreeSet::new();
    for kind in named {
        match kind.as_str().filter(|kind| known.contains(kind)) {
            Some(kind) => types.insert(kind),
            None => return Refusal::schema(format!("type must be JSONType or JSONType[]: {kind}")),
        };
    }
    match members.get("nullable") {
        Some(Value::Bool(false)) if types.contains("null") => {
            return Refusal::schema("type: null contradicts nullable: false");
        }
        Some(_) if types.is_empty() => return Refusal::schema("\"nullable\" cannot be used without \"type\""),
        Some(Value::Bool(true)) => {
            types.insert("null");
        }
        Some(_) | None => {}
    }
    if !types.is_empty() {
        written.insert("type".to_owned(), json!(types));
    }
    Ok(())
}

/// Writes a format: as a pattern, if `ajv-formats` has one.
fn format(format: &str, written: &mut Members, also: &mut Vec<Value>) {
    if CHECKED.contains(&format) {
        written.insert("format".to_owned(), json!(format));
        return;
    }
    also.extend(FORMATS.get(format).map(|pattern| json!({ "pattern": pattern })));
    also.extend(match format {
        "uri" => Some(json!({ "pattern": "[/:]" })),
        "int32" => Some(json!({ "multipleOf": 1, "minimum": i32::MIN, "maximum": i32::MAX })),
        "int64" => Some(json!({ "multipleOf": 1 })),
        _ => None,
    });
}

/// Puts a schema where a pointer leads, unless one is there.
fn place(document: &mut Value, pointer: &str, schema: Value) {
    let mut at = document;
    for token in pointer.split('/').skip(1) {
        if at == &json!(true) {
            *at = json!({});
        }
        let name = token.replace("~1", "/").replace("~0", "~");
        let next = match at {
            Value::Array(items) => name.parse().ok().and_then(|index: usize| items.get_mut(index)),
            Value::Object(members) => Some(members.entry(name).or_insert_with(|| json!({}))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(next) = next else { return };
        at = next;
    }
    if at == &json!({}) {
        *at = schema;
    }
}

fn required(names: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for name in items(names) {
        let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
        if !INHERITED.contains(&name.as_str()) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// Requires the properties that every object inherits, and whose schema admits no function: Ajv reads `data.constructor`
/// where the value has no such member (`applicator/properties.ts`, `propertyInData`).
fn inherited(properties: &Value) -> Option<Value> {
    let admits_no_function =
        |schema: &Value| ["type", "enum", "const"].iter().any(|keyword| schema.get(keyword).is_some());
    let named = properties.as_object()?.iter();
    let names = named.filter(|(name, schema)| INHERITED.contains(&name.as_str()) && admits_no_function(schema));
    let names: Vec<&String> = names.map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| json!({ "required": names }))
}

fn named(value: &Value, change: impl Fn(&Value) -> Value) -> Value {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), change(value))).collect()
}

fn distinct(values: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for value in items(values) {
        let same = |other: &Value| other == value || other.is_number() && other.as_f64() == value.as_f64();
        if !found.iter().any(same) {
            found.push(value.clone());
        }
    }
    found
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns whether JavaScript takes a value for true.
fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value != &json!("") && value.as_f64() != Some(0.0)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
