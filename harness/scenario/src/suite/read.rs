//! The text of a file of the suite, read: groups of tests, each with its place, for error messages.
//!
//! A file is an array of groups, a group a schema with its tests. What else stands in them (comments, references to the
//! specification) is let be.

use std::collections::BTreeMap;

use mcp_compat_json::{Json, minify};
use serde_json::value::RawValue;

use crate::sink::{Sink, Span};

/// A schema and its tests.
pub(super) struct Group<'f> {
    pub(super) description: String,
    pub(super) schema: Written<'f>,
    pub(super) tests: Vec<Test<'f>>,
}

/// A value, and the suite's word on it.
pub(super) struct Test<'f> {
    pub(super) description: String,
    pub(super) value: Written<'f>,
    pub(super) valid: bool,
    pub(super) span: Span,
}

/// JSON as it stands in the file.
pub(super) struct Written<'f> {
    /// Without white space between tokens; otherwise as it was written.
    pub(super) text: String,
    pub(super) json: Json,
    raw: &'f RawValue,
}

/// The groups of a file; `None` if it is not an array of groups. Every mistake in it is reported.
pub(super) fn groups<'f>(sink: &mut Sink<'f>) -> Option<Vec<Group<'f>>> {
    let text = sink.text;
    if let Err(error) = Json::parse(text) {
        let place = error.offset..error.offset;
        sink.report(sink.mistake(&place, "this file of the suite is not JSON").label(error.kind.to_string()));
        return None;
    }
    let Ok(groups) = serde_json::from_str::<Vec<&'f RawValue>>(text) else {
        let start = text.len() - text.trim_start().len();
        let mistake =
            sink.mistake(&(start..start), "this is not a file of the suite").label("expected an array of groups");
        sink.report(mistake.help("a group is an object with `description`, `schema` and `tests`"));
        return None;
    };
    Some(groups.into_iter().filter_map(|raw| group(raw, sink)).collect())
}

fn group<'f>(raw: &'f RawValue, sink: &mut Sink<'f>) -> Option<Group<'f>> {
    let members = Members::of(raw, "a group of tests", sink)?;
    let description = members.string("description", sink);
    let schema = members.schema(sink);
    let tests = members.list("tests", sink);
    let (description, schema, tests) = (description?, schema?, tests?);
    let tests = tests.into_iter().filter_map(|raw| test(raw, sink)).collect();
    Some(Group { description, schema, tests })
}

fn test<'f>(raw: &'f RawValue, sink: &mut Sink<'f>) -> Option<Test<'f>> {
    let members = Members::of(raw, "a test", sink)?;
    let description = members.string("description", sink);
    let value = members.json("data", sink);
    let valid = members.boolean("valid", sink);
    Some(Test { description: description?, value: value?, valid: valid?, span: span(sink.text, raw) })
}

/// The members of an object, as they stand in the file.
struct Members<'f> {
    raw: &'f RawValue,
    what: &'static str,
    members: BTreeMap<String, &'f RawValue>,
}

impl<'f> Members<'f> {
    fn of(raw: &'f RawValue, what: &'static str, sink: &mut Sink<'f>) -> Option<Self> {
        match serde_json::from_str(raw.get()) {
            Ok(members) => Some(Self { raw, what, members }),
            Err(_) => {
                let place = start(&span(sink.text, raw));
                sink.report(sink.mistake(&place, format!("{what} must be an object")).label("expected an object"));
                None
            }
        }
    }

    fn get(&self, name: &str, sink: &mut Sink<'f>) -> Option<&'f RawValue> {
        let found = self.members.get(name).copied();
        if found.is_none() {
            let place = start(&span(sink.text, self.raw));
            sink.report(sink.mistake(&place, format!("{} needs `{name}`", self.what)).label("it has none"));
        }
        found
    }

    /// A member of one type, with what reads it.
    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        read: fn(&'f str) -> serde_json::Result<T>,
        sink: &mut Sink<'f>,
    ) -> Option<T> {
        let raw = self.get(name, sink)?;
        let value = read(raw.get());
        if value.is_err() {
            self.refuse(raw, &format!("`{name}` of {} is of another type", self.what), expected, sink);
        }
        value.ok()
    }

    fn string(&self, name: &str, sink: &mut Sink<'f>) -> Option<String> {
        self.read(name, "expected a string", serde_json::from_str, sink)
    }

    fn boolean(&self, name: &str, sink: &mut Sink<'f>) -> Option<bool> {
        self.read(name, "expected `true` or `false`", serde_json::from_str, sink)
    }

    fn list(&self, name: &str, sink: &mut Sink<'f>) -> Option<Vec<&'f RawValue>> {
        self.read(name, "expected an array", serde_json::from_str, sink)
    }

    fn json(&self, name: &str, sink: &mut Sink<'f>) -> Option<Written<'f>> {
        let raw = self.get(name, sink)?;
        match Json::parse(raw.get()).and_then(|json| Ok((json, minify(raw.get())?))) {
            Ok((json, text)) => Some(Written { text, json, raw }),
            Err(error) => {
                self.refuse(raw, &format!("`{name}` is not JSON"), &error.kind.to_string(), sink);
                None
            }
        }
    }

    fn schema(&self, sink: &mut Sink<'f>) -> Option<Written<'f>> {
        let schema = self.json("schema", sink)?;
        if matches!(schema.json, Json::Object(_) | Json::Bool(_)) {
            return Some(schema);
        }
        self.refuse(schema.raw, "`schema` is not a schema", "expected an object, `true` or `false`", sink);
        None
    }

    fn refuse(&self, raw: &'f RawValue, message: &str, expected: &str, sink: &mut Sink<'f>) {
        sink.report(sink.mistake(&start(&span(sink.text, raw)), message).label(expected));
    }
}

/// Where a value stands in the text that it was read from.
fn span(text: &str, raw: &RawValue) -> Span {
    // A raw value that was borrowed is a part of the text.
    let start = raw.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + raw.get().len()
}

/// The first character of a span: values of the suite go over many lines.
fn start(span: &Span) -> Span {
    span.start..span.start + 1
}
