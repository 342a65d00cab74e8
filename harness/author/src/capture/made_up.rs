//! The value of a schema: one that it offers, or else, where that is asked for, the simplest that it allows.
//!
//! ```text
//! schema ─ examples, default, const, enum ──────────────────> that value
//!        ├ $ref, allOf of one ─ the part in its place ──────> the value of that
//!        ├ anyOf, oneOf ─ the first that has a value ───────> that value: a choice, so it is a guess
//!        └ type ─ object ─ its required members ────────────> an object
//!               └ any other ────────────────────────────────> a guess
//! ```
//!
//! A guess may be wrong, for not every keyword is understood. Whoever uses it has to check it.

use mcp_compat_json::{Json, JsonString, Number, Object};
use mcp_compat_schema::inclusion::{Conformance, check};

/// Depth to which a schema is followed.
const DEPTH: usize = 24;

/// Number of subschemas that are visited: a schema may be hostile.
const STEPS: usize = 500;

/// The longest text that is made up.
const LONGEST_TEXT: usize = 256;

/// Number of alternatives that are tried, each of which may be a large schema to check.
const MOST_ALTERNATIVES: usize = 16;

/// Number of items of a list that are made up.
const MOST_ITEMS: usize = 8;

/// The places, as `member.member`, for which there is no value.
pub type Missing = Vec<String>;

/// An object with the required members of a schema, each with a value that the schema offers, or a guess if `guesses`.
pub fn object_of(schema: &Json, guesses: bool) -> Result<Json, Missing> {
    let mut maker = Maker { root: schema, guesses, entered: Vec::new(), depth: 0, left: STEPS };
    match maker.shaped(schema, "") {
        Ok(object @ Json::Object(_)) => Ok(object),
        Err(missing) if missing.iter().all(|place| !place.is_empty()) => Err(missing),
        // It describes no object.
        Ok(_) | Err(_) => Ok(Json::Object(Object::new())),
    }
}

/// The values that a schema names as examples.
pub fn examples(schema: &Json) -> impl Iterator<Item = &Json> {
    // OpenAPI's spelling, which many generators of schemas write.
    list(schema, "examples").iter().chain(schema.get("example"))
}

struct Maker<'s> {
    /// Document that references point into.
    root: &'s Json,
    guesses: bool,
    /// The references that are being followed. None is followed within itself, so that recursive values are short.
    entered: Vec<String>,
    depth: usize,
    left: usize,
}

impl<'s> Maker<'s> {
    fn value(&mut self, schema: &Json, place: &str) -> Result<Json, Missing> {
        self.left = self.left.checked_sub(1).ok_or_else(|| vec![place.to_owned()])?;
        let offered = examples(schema).next().or_else(|| schema.get("default")).or_else(|| schema.get("const"));
        match offered.or_else(|| list(schema, "enum").first()) {
            Some(value) => Ok(value.clone()),
            None => self.shaped(schema, place),
        }
    }

    /// The value of a schema that offers none itself.
    fn shaped(&mut self, schema: &Json, place: &str) -> Result<Json, Missing> {
        if self.depth == DEPTH {
            return Err(vec![place.to_owned()]);
        }
        self.depth += 1;
        let value = self.followed(schema, place);
        self.depth -= 1;
        value
    }

    fn followed(&mut self, schema: &Json, place: &str) -> Result<Json, Missing> {
        let nothing = || Err(vec![place.to_owned()]);
        if let Some((reference, target)) = self.target(schema) {
            if self.entered.contains(&reference) {
                return nothing();
            }
            self.entered.push(reference);
            let value = self.value(&with_part(schema, "$ref", target), place);
            self.entered.pop();
            return value;
        }
        if let [part] = list(schema, "allOf") {
            return self.value(&with_part(schema, "allOf", part), place);
        }
        let choices: &[&str] = if self.guesses { &["anyOf", "oneOf"] } else { &[] };
        if let Some(value) = choices.iter().find_map(|keyword| self.alternative(schema, keyword, place)) {
            return Ok(value);
        }
        match kinds(schema).as_slice() {
            [] => nothing(),
            ["object"] => self.object(schema, place),
            ["null"] => Ok(Json::Null),
            _ if !self.guesses => nothing(),
            kinds => kinds.iter().find_map(|kind| self.simplest(schema, kind, place)).map_or_else(nothing, Ok),
        }
    }

    /// Returns the target of a reference within the schema.
    fn target(&self, schema: &Json) -> Option<(String, &'s Json)> {
        let reference = schema.get("$ref")?.as_str()?;
        Some((reference.to_owned(), self.root.pointer(reference.strip_prefix('#')?)?))
    }

    /// The value of the first alternative that has one, best one that is not null.
    fn alternative(&mut self, schema: &Json, keyword: &str, place: &str) -> Option<Json> {
        let mut alternatives: Vec<&Json> = list(schema, keyword).iter().collect();
        alternatives.sort_by_key(|alternative| kinds(alternative) == ["null"]);
        alternatives.into_iter().take(MOST_ALTERNATIVES).find_map(|alternative| {
            let value = self.value(&with_part(schema, keyword, alternative), place).ok()?;
            self.may_conform(schema, &value).then_some(value)
        })
    }

    /// Returns true if nothing shows that a value violates a part of the schema.
    fn may_conform(&self, part: &Json, value: &Json) -> bool {
        let defined = ["$schema", "$defs", "definitions"].into_iter().filter(|key| part.get(key).is_none());
        let defined = defined.filter_map(|key| Some((key.into(), self.root.get(key)?.clone())));
        let own =
            part.as_object().into_iter().flat_map(Object::iter).map(|(key, member)| (key.clone(), member.clone()));
        !matches!(check(&Json::Object(own.chain(defined).collect()), value), Conformance::Violates { .. })
    }

    /// An object with every required member. Its error has all members without a value.
    fn object(&mut self, schema: &Json, place: &str) -> Result<Json, Missing> {
        let (mut object, mut missing) = (Object::new(), Missing::new());
        for name in list(schema, "required").iter().filter_map(Json::as_str) {
            let place = if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
            let property = schema.get("properties").and_then(|properties| properties.get(name));
            match property.map(|property| self.value(property, &place)) {
                Some(Ok(value)) => object.push(name, value),
                Some(Err(places)) => missing.extend(places),
                None => missing.push(place),
            }
        }
        if missing.is_empty() { Ok(Json::Object(object)) } else { Err(missing) }
    }

    /// The simplest value of one of a schema's types, within its bounds.
    fn simplest(&mut self, schema: &Json, kind: &str, place: &str) -> Option<Json> {
        match kind {
            "object" => self.object(schema, place).ok(),
            "array" => self.array(schema, place),
            "string" => Some(text(schema)),
            "integer" | "number" => {
                let typed = with_part(schema, "type", &Json::Object([("type", kind.into())].into_iter().collect()));
                let numbers = numbers(schema);
                numbers.iter().find(|number| self.may_conform(&typed, number)).or(numbers.first()).cloned()
            }
            "boolean" => Some(Json::Bool(false)),
            "null" => Some(Json::Null),
            _ => None,
        }
    }

    /// A list that is as short as it may be.
    fn array(&mut self, schema: &Json, place: &str) -> Option<Json> {
        let length = count(schema, "minItems").unwrap_or(0);
        // Before 2020-12, a list of items had the name of the schema of all items.
        let first = [list(schema, "prefixItems"), list(schema, "items")].concat();
        let item = |at| first.get(at).or_else(|| schema.get("items"));
        let items = (0..length.min(MOST_ITEMS)).map(|at| self.value(item(at)?, &format!("{place}.{at}")).ok());
        let items = items.collect::<Option<Vec<_>>>()?;
        (length <= MOST_ITEMS).then_some(Json::Array(items))
    }
}

fn list<'s>(schema: &'s Json, keyword: &str) -> &'s [Json] {
    schema.get(keyword).and_then(Json::as_array).unwrap_or_default()
}

fn count(schema: &Json, keyword: &str) -> Option<usize> {
    schema.get(keyword)?.as_number()?.as_u64().and_then(|count| usize::try_from(count).ok())
}

/// The types of a schema, null last. One with members is an object, even if it does not say so.
fn kinds(schema: &Json) -> Vec<&str> {
    let mut kinds: Vec<&str> = match schema.get("type") {
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
        Some(kind) => kind.as_str().into_iter().collect(),
        None => {
            ["properties", "required"].iter().find_map(|key| schema.get(key)).map(|_| "object").into_iter().collect()
        }
    };
    kinds.sort_by_key(|kind| *kind == "null");
    kinds
}

/// A schema with a part of it in the place of the keyword that has the part.
fn with_part(schema: &Json, keyword: &str, part: &Json) -> Json {
    let empty = Object::new();
    let [own, added] = [schema, part].map(|schema| schema.as_object().unwrap_or(&empty));
    let is_own = |key: &JsonString| *key != *keyword && key.as_str().is_some_and(|key| own.contains_key(key));
    let kept = own.iter().filter(|(key, _)| **key != *keyword);
    let kept = kept.map(|(key, value)| match key.as_str().and_then(|name| Some((name, added.get(name)?))) {
        Some((name, other)) => (key.clone(), joined(name, value, other)),
        None => (key.clone(), value.clone()),
    });
    let further = added.iter().filter(|(key, _)| !is_own(key)).map(|(key, value)| (key.clone(), value.clone()));
    Json::Object(kept.chain(further).collect())
}

/// The value of a keyword that a schema and a part of it have: both members and names of members, or else the part's.
fn joined(keyword: &str, own: &Json, added: &Json) -> Json {
    match (keyword, own, added) {
        ("properties", Json::Object(own), Json::Object(added)) => {
            Json::Object(own.iter().chain(added.iter()).map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        ("required", Json::Array(own), Json::Array(added)) => {
            let further = added.iter().filter(|name| !own.contains(name));
            Json::Array(own.iter().chain(further).cloned().collect())
        }
        _ => added.clone(),
    }
}

/// A text of a schema's format and length.
fn text(schema: &Json) -> Json {
    let text = match schema.get("format").and_then(Json::as_str) {
        Some("date") => "2026-01-01",
        Some("time") => "12:00:00Z",
        Some("date-time") => "2026-01-01T12:00:00Z",
        Some("duration") => "P1D",
        Some("email") => "nobody@example.org",
        Some("uri" | "url") => "https://example.org/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("hostname") => "example.org",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some(_) | None => "example",
    };
    let shortest = count(schema, "minLength").unwrap_or(0).min(LONGEST_TEXT);
    let longest = count(schema, "maxLength").unwrap_or(LONGEST_TEXT);
    let text: String = text.chars().cycle().take(shortest.max(text.len())).take(longest).collect();
    Json::from(text)
}

/// Numbers at and between the bounds of a schema, the simplest first. Not all are within them.
fn numbers(schema: &Json) -> Vec<Json> {
    let number = |keyword: &str| schema.get(keyword)?.as_number()?.lexeme().parse::<f64>().ok();
    let step = number("multipleOf").filter(|step| *step > 0.0).unwrap_or(1.0);
    let low = number("minimum").or_else(|| number("exclusiveMinimum"));
    let high = number("maximum").or_else(|| number("exclusiveMaximum"));
    let most = high.map(|high| (high / step).floor() * step);
    let doubles = [
        low.map(|low| (low / step).ceil() * step),
        Some((low.unwrap_or(0.0) / step).floor() * step + step),
        most,
        most.map(|most| most - step),
        low.zip(high).map(|(low, high)| f64::midpoint(low, high)),
    ];
    // To add zero takes the sign from a zero.
    let made = doubles.into_iter().flatten().filter_map(|double| Number::parse(&(double + 0.0).to_string()));
    schema.get("minimum").and_then(Json::as_number).cloned().into_iter().chain(made).map(Json::Number).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// Target of types, as pydantic writes it.
    const DEFS: &str = r##"{"Color": {"enum": ["red", "blue"], "type": "string"},
        "User": {"type": "object", "required": ["id", "color"],
                 "properties": {"id": {"type": "integer"}, "color": {"$ref": "#/$defs/Color"}, "nick": {"type": "string"}}},
        "Node": {"type": "object", "required": ["name", "next"],
                 "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}},
        "Tree": {"type": "object", "required": ["children"],
                 "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}},
        "Endless": {"type": "object", "required": ["of"], "properties": {"of": {"$ref": "#/$defs/Endless"}}}}"##;

    /// The value for a required property `n`.
    fn of(property: &str, guesses: bool) -> Result<String, Missing> {
        let schema = format!(r#"{{"type":"object","required":["n"],"properties":{{"n":{property}}},"$defs":{DEFS}}}"#);
        let schema = Json::parse(&schema).unwrap();
        let object = object_of(&schema, guesses)?;
        assert_eq!(check(&schema, &object), Conformance::Conforms, "{object}");
        Ok(object.get("n").unwrap().to_compact())
    }

    #[rstest]
    #[case::an_object(r##"{"$ref":"#/$defs/User"}"##, r#"{"id":1,"color":"red"}"#)]
    #[case::a_list_of_objects(
        r##"{"type":"array","minItems":1,"items":{"$ref":"#/$defs/User"}}"##,
        r#"[{"id":1,"color":"red"}]"#
    )]
    #[case::a_recursive_object(r##"{"$ref":"#/$defs/Node"}"##, r#"{"name":"example","next":null}"#)]
    #[case::a_recursive_list(r##"{"$ref":"#/$defs/Tree"}"##, r#"{"children":[]}"#)]
    #[case::a_tuple(
        r#"{"type":"array","minItems":2,"maxItems":2,"prefixItems":[{"type":"integer"},{"type":"string"}]}"#,
        r#"[1,"example"]"#
    )]
    #[case::a_map(r#"{"type":"object","additionalProperties":{"type":"integer"}}"#, "{}")]
    fn what_a_type_needs_is_filled_in(#[case] property: &str, #[case] value: &str) {
        assert_eq!(of(property, true).as_deref(), Ok(value));
    }

    #[rstest]
    #[case::rather_a_value_than_null(r#"{"anyOf":[{"type":"null"},{"type":"integer"}]}"#, "1")]
    #[case::the_first(r#"{"oneOf":[{"type":"string"},{"type":"integer"}]}"#, r#""example""#)]
    #[case::with_what_stands_beside(r#"{"minimum":7,"anyOf":[{"type":"integer"},{"type":"string"}]}"#, "7")]
    #[case::by_reference(r##"{"anyOf":[{"$ref":"#/$defs/Color"},{"type":"null"}]}"##, r#""red""#)]
    #[case::not_one_without_end(r##"{"anyOf":[{"$ref":"#/$defs/Endless"},{"type":"boolean"}]}"##, "false")]
    #[case::not_one_that_does_not_conform(
        r#"{"anyOf":[{"type":"string","pattern":"^[0-9]+$"},{"type":"null"}]}"#,
        "null"
    )]
    #[case::not_one_of_two_that_conform(
        r#"{"oneOf":[{"type":"integer"},{"type":"number"},{"type":"string"}]}"#,
        r#""example""#
    )]
    #[case::of_types(r#"{"type":["null","integer"]}"#, "1")]
    fn a_choice_is_guessed_and_not_offered(#[case] property: &str, #[case] value: &str) {
        assert_eq!(of(property, true).as_deref(), Ok(value));
        assert!(of(property, false).is_err());
    }

    #[test]
    fn alternatives_add_to_what_stands_beside_them() {
        let of = |schema, guesses| object_of(&Json::parse(schema).unwrap(), guesses).unwrap().to_compact();
        let members = r#"{"type":"object","properties":{"a":{"const":1},"b":{"const":2}},
            "anyOf":[{"required":["b"]},{"required":["a"]}]}"#;
        assert_eq!(of(members, true), r#"{"b":2}"#);
        assert_eq!(of(members, false), "{}", "nothing is chosen");
        let more = r#"{"properties":{"a":{"const":1}},"required":["a"],
            "oneOf":[{"properties":{"b":{"const":2}},"required":["b","a"]}]}"#;
        assert_eq!(of(more, true), r#"{"a":1,"b":2}"#);
        assert_eq!(of(more, false), r#"{"a":1}"#);
    }

    #[rstest]
    #[case::a_reference(r##"{"$ref":"#/$defs/Color"}"##, r#""red""#)]
    #[case::with_a_default(r##"{"$ref":"#/$defs/Color","default":"blue"}"##, r#""blue""#)]
    #[case::all_of_one(r##"{"allOf":[{"$ref":"#/$defs/Color"}],"title":"Color"}"##, r#""red""#)]
    #[case::a_constant(r#"{"allOf":[{"const":7}]}"#, "7")]
    #[case::a_pointer(r##"{"$ref":"#/$defs/User/properties/color"}"##, r#""red""#)]
    fn what_a_reference_leads_to_is_offered(#[case] property: &str, #[case] value: &str) {
        assert_eq!(of(property, false).as_deref(), Ok(value));
    }

    #[rstest]
    #[case::from_a_bound_on("integer", r#""minimum":10,"maximum":20"#, "10")]
    #[case::after_a_fraction("integer", r#""minimum":0.5"#, "1")]
    #[case::above_a_bound("integer", r#""exclusiveMinimum":4"#, "5")]
    #[case::below_a_bound("integer", r#""exclusiveMaximum":-3"#, "-4")]
    #[case::up_to_a_bound("integer", r#""maximum":0"#, "0")]
    #[case::between_bounds("number", r#""exclusiveMinimum":0,"exclusiveMaximum":1"#, "0.5")]
    #[case::a_multiple("integer", r#""multipleOf":5"#, "5")]
    #[case::a_multiple_from_a_bound_on("integer", r#""multipleOf":5,"minimum":12"#, "15")]
    #[case::a_multiple_above_a_bound("number", r#""multipleOf":0.5,"exclusiveMinimum":1"#, "1.5")]
    #[case::a_multiple_below_a_bound("integer", r#""multipleOf":5,"exclusiveMaximum":0"#, "-5")]
    #[case::zero_without_a_sign("integer", r#""minimum":-0.5"#, "0")]
    #[case::a_bound_beyond_a_double("integer", r#""minimum":9007199254740993"#, "9007199254740993")]
    fn a_number_is_within_its_bounds(#[case] kind: &str, #[case] bounds: &str, #[case] value: &str) {
        assert_eq!(of(&format!(r#"{{"type":"{kind}",{bounds}}}"#), true).as_deref(), Ok(value));
    }

    #[rstest]
    #[case::no_type("{}", &["n"])]
    #[case::no_reference(r##"{"$ref":"#/$defs/Nothing"}"##, &["n"])]
    #[case::a_reference_to_elsewhere(r#"{"$ref":"https://example.org/"}"#, &["n"])]
    #[case::a_reference_to_itself(r##"{"$ref":"#/properties/n"}"##, &["n"])]
    #[case::a_value_without_end(r##"{"$ref":"#/$defs/Endless"}"##, &["n.of"])]
    #[case::members_without_a_type(
        r#"{"type":"object","required":["a","b","c"],"properties":{"a":{},"c":{"type":"null"}}}"#,
        &["n.a", "n.b"]
    )]
    #[case::items_without_a_type(r#"{"type":"array","minItems":1,"items":{"required":["a"]}}"#, &["n"])]
    #[case::no_alternative(r##"{"anyOf":[{"$ref":"#/$defs/Endless"},{"type":"string","pattern":"^[0-9]+$"}]}"##, &["n"])]
    #[case::a_huge_list(r#"{"type":"array","minItems":1000000000,"items":{"type":"null"}}"#, &["n"])]
    fn what_has_no_value_is_named(#[case] property: &str, #[case] missing: &[&str]) {
        assert_eq!(of(property, true).unwrap_err(), missing);
    }

    #[test]
    fn a_hostile_schema_is_given_up() {
        let many = vec![r##"{"$ref":"#/$defs/a"},{"allOf":[{"$ref":"#/$defs/b"}]}"##; 50].join(",");
        let deep = format!("{}{{}}{}", r#"{"allOf":["#.repeat(100), "]}".repeat(100));
        let schema = format!(
            r#"{{"required":["n","m"],"properties":{{"n":{{"anyOf":[{many}]}},"m":{deep}}},
                "$defs":{{"a":{{"anyOf":[{many}]}},"b":{{"oneOf":[{many}]}}}}}}"#
        );
        let schema = Json::parse(&schema).unwrap();
        assert_eq!(object_of(&schema, true).unwrap_err(), ["n", "m"]);
        let itself = Json::parse(r##"{"$ref":"#"}"##).unwrap();
        assert_eq!(object_of(&itself, true).unwrap().to_compact(), "{}");
    }
}
