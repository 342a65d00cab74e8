//! Questions that the specification leaves open about older clients, with the answers of the newest releases.

use std::fmt::Write as _;

use mcp_compat_model::projection::{Input, Projection, Projections, SentValue};

use super::{grouped, newest, word};
use crate::markdown::escape::link;

/// A question, and the section that does not answer it.
struct Question {
    asks: &'static str,
    section: (&'static str, &'static str),
    /// Words of the section about it.
    says: &'static str,
    about: Input,
    /// Answer of an SDK; `None` if it has none.
    answer: fn(&Projection) -> Option<String>,
}

const MATRIX: (&str, &str) = (
    "Versioning, Compatibility Matrix",
    "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix",
);
const SEP: (&str, &str) = (
    "SEP-2106, Backward Compatibility",
    "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12#backward-compatibility",
);
const SCHEMA: (&str, &str) =
    ("Tools, Output Schema", "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema");

/// Rule about schemas and their values.
const OBJECT_ROOT: &str = "The value conforms to the schema. Earlier revisions require `type: object` at the root.";

const QUESTIONS: [Question; 5] = [
    Question {
        asks: "What stands in `structuredContent` for an array?",
        section: MATRIX,
        says: "The server serves the client according to the negotiated revision, which has objects only. SEP-2106 adds that \
        a text block has the array.",
        about: Input::Array,
        answer: treatment,
    },
    Question {
        asks: "If the array is wrapped, under which key?",
        section: SEP,
        says: "Wrapping is not mentioned.",
        about: Input::Array,
        answer: |sent| match sent {
            Projection::Sent { value: SentValue::Wrapped(key), .. } => Some(format!("`{key}`")),
            Projection::Sent { .. } | Projection::Refused(_) | Projection::ListFails(_) => None,
        },
    },
    Question {
        asks: "What stands there for null?",
        section: SEP,
        says: "Only arrays and primitives are named.",
        about: Input::Null,
        answer: treatment,
    },
    Question {
        asks: "Which `outputSchema` is listed for a union of objects, and is the value wrapped?",
        section: SCHEMA,
        says: OBJECT_ROOT,
        about: Input::Union,
        answer: treatment,
    },
    Question {
        asks: "What is done with a schema without a type?",
        section: SCHEMA,
        says: OBJECT_ROOT,
        about: Input::Untyped,
        answer: treatment,
    },
];

fn treatment(sent: &Projection) -> Option<String> {
    Some(word(sent, false))
}

/// Renders the questions as a Markdown table.
pub(super) fn markdown(data: &Projections) -> String {
    let mut text = "| Question | Section | It says | Answers |\n|---|---|---|---|\n".to_owned();
    for Question { asks, section: (name, address), says, about, answer } in QUESTIONS {
        let newest = newest(data, about).into_iter();
        let answers = grouped(newest.filter_map(|(family, sent)| Some((family, answer(sent)?))));
        let answers = answers.iter().map(|(answer, families)| format!("{answer}: {}", families.join(", ")));
        let answers = answers.collect::<Vec<_>>().join("; ");
        let _ = writeln!(text, "| {asks} | {} | {says} | {answers} |", link(name, address));
    }
    text
}
