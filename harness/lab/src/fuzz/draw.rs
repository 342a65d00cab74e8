//! Random values that a schema probably accepts, drawn without the code under test.

use mcp_compat_json::{Json, Object};

/// Largest depth of a value.
const DEPTH: usize = 5;

/// Values for a place that the schema does not restrict.
const ANYTHING: [&str; 18] = [
    "null",
    "true",
    "0",
    "1",
    "2",
    "-3",
    "0.5",
    "1.0",
    "1e2",
    "\"\"",
    "\"a\"",
    "\"abc\"",
    "[]",
    "[1]",
    "[null,null]",
    "{}",
    r#"{"a":1}"#,
    r#"{"b":"a","x":null}"#,
];

/// Draws values by a schema.
pub(crate) struct Draw<'s> {
    root: &'s Json,
    random: fastrand::Rng,
}

impl<'s> Draw<'s> {
    pub(crate) fn new(root: &'s Json, seed: u64) -> Self {
        Self { root, random: fastrand::Rng::with_seed(seed) }
    }

    pub(crate) fn value(&mut self) -> Json {
        self.of(self.root, DEPTH)
    }

    fn of(&mut self, schema: &'s Json, depth: usize) -> Json {
        // One in ten values ignores the schema, because schemas accept more than they seem to.
        let members = match schema.as_object() {
            Some(members) if depth > 0 && self.random.usize(..10) > 0 => members,
            Some(_) | None => return self.anything(),
        };
        if let Some(reference) = members.get("$ref").or(members.get("$dynamicRef")).and_then(Json::as_str) {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or(Json::Null, |target| self.of(target, depth - 1));
        }
        let list = |keyword: &str| members.get(keyword).and_then(Json::as_array).filter(|list| !list.is_empty());
        let given = members.get("const").cloned().or_else(|| Some(self.pick(list("enum")?).clone()));
        if let Some(value) = given {
            return value;
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(branches) = list(keyword)
                && self.random.bool()
            {
                let branch = self.pick(branches);
                return self.of(branch, depth - 1);
            }
        }
        if let Some(then) = members.get("then").or(members.get("else"))
            && self.random.usize(..4) == 0
        {
            return self.of(then, depth - 1);
        }
        let kind = members.get("type").and_then(Json::as_str);
        let kind = kind.or_else(|| self.pick(list("type")?).as_str());
        let implied = ["properties", "required", "additionalProperties", "minProperties", "propertyNames"];
        match kind {
            Some("object") => self.object(members, depth),
            Some("array") => self.array(members, depth),
            Some("integer" | "number") => self.number(members),
            Some("string") => self.string(members),
            Some("boolean") => self.random.bool().into(),
            Some("null") => Json::Null,
            Some(_) | None if implied.iter().any(|keyword| members.get(keyword).is_some()) => {
                self.object(members, depth)
            }
            Some(_) | None if members.get("items").or(members.get("contains")).is_some() => self.array(members, depth),
            Some(_) | None => self.anything(),
        }
    }

    fn pick(&mut self, values: &'s [Json]) -> &'s Json {
        &values[self.random.usize(..values.len())]
    }

    fn number(&mut self, schema: &Object) -> Json {
        let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
        let bounds: Vec<i64> = bounds.iter().filter_map(|keyword| schema.get(keyword)?.as_number()?.as_i64()).collect();
        let near = if bounds.is_empty() { 0 } else { bounds[self.random.usize(..bounds.len())] };
        match self.random.usize(..8) {
            0 => Json::parse("0.5").unwrap_or(Json::Null),
            1 => Json::parse("-1.5").unwrap_or(Json::Null),
            2 => near.saturating_mul(2).into(),
            _ => near.saturating_add(self.random.i64(-3..=3)).into(),
        }
    }

    fn string(&mut self, schema: &Object) -> Json {
        let bound = ["minLength", "maxLength"].map(|keyword| schema.get(keyword)?.as_number()?.as_u64());
        let near = bound.into_iter().flatten().next().unwrap_or(1).min(20);
        let length = usize::try_from(near).unwrap_or(1) + self.random.usize(..3);
        let letters = ["a", "b", "x", "é", "1", "\u{1f600}"];
        let letter = letters[self.random.usize(..letters.len())];
        letter.repeat(length.saturating_sub(1)).into()
    }

    fn object(&mut self, schema: &'s Object, depth: usize) -> Json {
        let mut drawn = Object::new();
        let properties = schema.get("properties").and_then(Json::as_object);
        let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
        for (name, part) in properties.into_iter().flat_map(Object::iter) {
            let is_required = required.iter().any(|wanted| wanted.as_str() == name.as_str());
            if (is_required && self.random.usize(..15) > 0) || self.random.bool() {
                drawn.push(name.clone(), self.of(part, depth - 1));
            }
        }
        let further = required.iter().filter_map(Json::as_str).chain(["extra", "xb", "a", "b"]);
        for name in further.collect::<Vec<_>>() {
            let is_wanted = required.iter().any(|wanted| wanted.as_str() == Some(name));
            if !drawn.contains_key(name) && (is_wanted || self.random.usize(..5) == 0) {
                let part = schema.get("additionalProperties").or(schema.get("unevaluatedProperties"));
                let value = self.part(part, depth);
                drawn.push(name, value);
            }
        }
        drawn.into()
    }

    fn array(&mut self, schema: &'s Object, depth: usize) -> Json {
        let first = schema.get("prefixItems").and_then(Json::as_array).unwrap_or_default();
        let rest = schema.get("items").or(schema.get("contains")).or(schema.get("unevaluatedItems"));
        let length = self.random.usize(..4);
        let element = |at: usize| first.get(at).or(rest);
        (0..length).map(|at| self.part(element(at), depth)).collect::<Vec<_>>().into()
    }

    fn part(&mut self, schema: Option<&'s Json>, depth: usize) -> Json {
        match schema {
            Some(schema) => self.of(schema, depth - 1),
            None => self.anything(),
        }
    }

    fn anything(&mut self) -> Json {
        Json::parse(ANYTHING[self.random.usize(..ANYTHING.len())]).unwrap_or(Json::Null)
    }
}
