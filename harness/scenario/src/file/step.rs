//! A `[[step]]`: list, call, or evolve.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::extras::{AlsoExpect, ArgsFrom};
use super::payload::JsonObject;
use super::table::{At, Completeness, Field, Place, Read};
use super::tool::Tool;
use super::vocabulary::{Evolution, Expectation, Meaning};
use crate::sink::{Sink, Span};

/// A step. It is exactly one of `list`, `call` and `evolve`.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(extend("required" = []))]
#[schemars(extend("oneOf" = [
    { "required": ["list"] },
    { "required": ["call"] },
    { "required": ["evolve", "tool"] },
]))]
pub(crate) struct Step {
    #[schemars(skip)]
    pub(crate) header: Span,
    /// List all tools.
    pub(crate) list: Field<Yes>,
    /// Call the tool of this name.
    pub(crate) call: Field<String>,
    /// The server's tools change, with or without a notification.
    pub(crate) evolve: Field<Evolution>,
    /// With `evolve`: the complete list of tools from now on.
    pub(crate) tool: Field<Vec<At<Tool>>>,
    /// With `call`: other arguments than the tool's.
    pub(crate) arguments: Field<JsonObject>,
    /// With `call`: a meaning other than the tool's.
    pub(crate) means: Field<Meaning>,
    /// With `call`: an expected outcome other than the tool's.
    pub(crate) expect: Field<Expectation>,
    /// With `call`: other additional parts of the result than the tool's `also-expect`.
    pub(crate) also_expect: Field<AlsoExpect>,
    /// With `call`: send it together with the call of the step before, without waiting for its answer.
    pub(crate) concurrent: Field<Yes>,
    /// With `call`: arguments that come from the value of the call before.
    pub(crate) args_from: Field<ArgsFrom>,
}

/// The value of a key that has only one: `true`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Yes;

impl JsonSchema for Yes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Yes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": true })
    }
}

impl Read for Yes {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        if place.value.as_bool() == Some(true) {
            return Some(Self);
        }
        let mistake = sink.mistake(&place.span, format!("`{}` can only be `true`", place.name));
        sink.report(mistake.label("expected `true`"));
        None
    }
}

impl Read for Step {
    const MOST: usize = 5_000;

    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut table) = place.table("a step") else {
            return place.refuse("a table", Some("a step begins with `[[step]]`".to_owned()), sink);
        };
        let step = Self {
            header: place.span.clone(),
            list: table.field("list", sink),
            call: table.field("call", sink),
            evolve: table.field("evolve", sink),
            tool: table.field("tool", sink),
            arguments: table.field("arguments", sink),
            means: table.field("means", sink),
            expect: table.field("expect", sink),
            also_expect: table.field("also-expect", sink),
            concurrent: table.field("concurrent", sink),
            args_from: table.field("args-from", sink),
        };
        let completeness = table.finish(None, sink);
        if completeness == Completeness::Partial {
            return None;
        }
        step.check_form(sink).then_some(step)
    }
}

impl Step {
    /// Returns whether the step has one form, and no key of another.
    fn check_form(&self, sink: &mut Sink<'_>) -> bool {
        if self.list.is_broken() || self.call.is_broken() || self.evolve.is_broken() {
            return false;
        }
        let forms = [self.list.is_absent(), self.call.is_absent(), self.evolve.is_absent()];
        if forms.iter().filter(|absent| !**absent).count() != 1 {
            let mistake = sink.mistake(&self.header, "a step is one of `list`, `call` and `evolve`");
            sink.report(
                mistake.label("expected exactly one of `list = true`, `call = \"…\"` and `evolve = \"notify\"`"),
            );
            return false;
        }
        let misplaced = [
            (self.call.is_absent(), self.arguments.given().map(|at| &at.key), "arguments", "call"),
            (self.call.is_absent(), self.means.given().map(|at| &at.key), "means", "call"),
            (self.call.is_absent(), self.expect.given().map(|at| &at.key), "expect", "call"),
            (self.call.is_absent(), self.also_expect.given().map(|at| &at.key), "also-expect", "call"),
            (self.call.is_absent(), self.concurrent.given().map(|at| &at.key), "concurrent", "call"),
            (self.call.is_absent(), self.args_from.given().map(|at| &at.key), "args-from", "call"),
            (self.evolve.is_absent(), self.tool.given().map(|at| &at.span), "tool", "evolve"),
        ];
        let mut well = true;
        for (wrong_form, place, name, form) in misplaced {
            if let (true, Some(place)) = (wrong_form, place) {
                let mistake = sink.mistake(place, format!("`{name}` goes with `{form}`"));
                sink.report(mistake.label(format!("this step has no `{form}`")));
                well = false;
            }
        }
        if !self.evolve.is_absent() && self.tool.is_absent() {
            let mistake = sink.mistake(&self.header, "an evolution needs the tools that it leads to");
            let mistake =
                mistake.label("no `[[step.tool]]` follows").help("if every tool goes away, write `tool = []`");
            sink.report(mistake);
            well = false;
        }
        well
    }
}
