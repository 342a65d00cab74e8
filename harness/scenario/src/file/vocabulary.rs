//! Values that are one of a few words: outcomes, revisions, what a tool does instead of answering, how it evolves.

use std::borrow::Cow;

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_model::verdict::Outcome;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::table::{At, Field, Place, Read};
use crate::sink::Sink;
use crate::words::{either, renamed};

/// The outcomes that a scenario can ask for. The others say that nothing was proven.
const ASKED_FOR: [Outcome; 15] = [
    Outcome::Intact,
    Outcome::Wrapped,
    Outcome::Text,
    Outcome::Prose,
    Outcome::Rejected,
    Outcome::Altered,
    Outcome::Lost,
    Outcome::Told,
    Outcome::Masked,
    Outcome::Swallowed,
    Outcome::Caught,
    Outcome::Uncaught,
    Outcome::Hung,
    Outcome::Crashed,
    Outcome::Unreachable,
];

/// What a tool does instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum Does {
    /// It never answers.
    Hang,
    /// It ends its process, or its connection.
    Exit,
}

/// Whether the server says that its tools change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) enum Evolution {
    /// It does, with `notifications/tools/list_changed`.
    Notify,
    /// It does not.
    Silent,
}

/// The least that a user of the client must get: in both eras, or in each.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    pub(crate) legacy: Field<Outcome>,
    pub(crate) modern: Field<Outcome>,
}

impl Does {
    const ALL: [Self; 2] = [Self::Hang, Self::Exit];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Hang => "hang",
            Self::Exit => "exit",
        }
    }
}

impl Evolution {
    const ALL: [Self; 2] = [Self::Notify, Self::Silent];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Notify => "notify",
            Self::Silent => "silent",
        }
    }
}

/// Reads one of `words`; `what` names what they are.
fn one_of<T: Copy>(
    place: &Place<'_>,
    what: &str,
    words: &[T],
    name: impl Fn(T) -> &'static str,
    sink: &mut Sink<'_>,
) -> Option<T> {
    let written = String::read(place, sink)?;
    let found = words.iter().copied().find(|word| name(*word) == written);
    if found.is_none() {
        let known = || words.iter().map(|word| name(*word));
        let mut unknown = sink
            .mistake(&place.span, format!("`{written}` is not {what}"))
            .label(format!("expected {}", either(known())));
        let now = renamed(&written, known()).map(|now| format!("`{written}` is now called `{now}`"));
        let near = || sink.nearest(&written, known()).map(|near| format!("the nearest is `{near}`"));
        unknown.help.extend(now.or_else(near));
        sink.report(unknown);
    }
    found
}

impl Read for Outcome {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "an outcome to ask for", &ASKED_FOR, Self::as_str, sink)
    }
}

impl Read for Revision {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a revision of the specification", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for AnsweredMethod {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a request whose answer can be written", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Does {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "something that a tool can do", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Evolution {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        one_of(place, "a way to evolve", &Self::ALL, Self::as_str, sink)
    }
}

impl Read for Expectation {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let Some(mut eras) = place.table("an expectation") else {
            if place.value.as_str().is_none() {
                let example = "for example: `expect = { modern = \"intact\", legacy = \"text\" }`".to_owned();
                return place.refuse("an outcome, or a table with one for each era", Some(example), sink);
            }
            let value = Outcome::read(place, sink)?;
            let both = Field::Given(At { value, key: place.key.clone(), span: place.span.clone() });
            return Some(Self { legacy: both.clone(), modern: both });
        };
        let expectation = Self { modern: eras.field("modern", sink), legacy: eras.field("legacy", sink) };
        eras.finish(None, sink);
        Some(expectation)
    }
}

impl JsonSchema for Expectation {
    fn schema_name() -> Cow<'static, str> {
        "Expectation".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let outcome = json_schema!({ "enum": ASKED_FOR.map(Outcome::as_str) });
        json_schema!({
            "description": "An outcome for both eras, or one for each.",
            "oneOf": [
                outcome,
                {
                    "type": "object",
                    "properties": { "modern": outcome, "legacy": outcome },
                    "additionalProperties": false,
                    "minProperties": 1,
                },
            ],
        })
    }
}
