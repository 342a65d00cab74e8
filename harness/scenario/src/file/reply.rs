//! How something is answered: in exactly one of five ways.

use schemars::JsonSchema;

use super::part::RawText;
use super::payload::{ErrorObject, JsonObject};
use super::table::{Field, Table};
use super::vocabulary::Does;
use crate::sink::{Sink, Span};

/// The keys of an answer. Exactly one of them is written.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(crate) struct Reply {
    /// The result.
    pub(crate) returns: Field<JsonObject>,
    /// The JSON-RPC error in place of a result.
    pub(crate) error: Field<ErrorObject>,
    /// The whole message in place of an answer, verbatim; `{{id}}` stands for the request's id.
    pub(crate) raw: Field<RawText>,
    /// A file beside the scenario with the bytes of the whole message; `{{id}}` stands for the request's id.
    pub(crate) raw_file: Field<String>,
    /// What the server does instead of answering.
    pub(crate) does: Field<Does>,
}

impl Reply {
    /// The keys, as messages name them.
    pub(super) const KEYS: [&'static str; 5] = ["returns", "error", "raw", "raw-file", "does"];

    pub(super) fn read_keys(table: &mut Table<'_>, sink: &mut Sink<'_>) -> Self {
        Self {
            returns: table.field("returns", sink),
            error: table.field("error", sink),
            raw: table.field("raw", sink),
            raw_file: table.field("raw-file", sink),
            does: table.field("does", sink),
        }
    }

    /// The ways to answer that are written down, and where.
    pub(crate) fn ways(&self) -> Vec<(&'static str, Option<&Span>)> {
        fn written<'a, T>(name: &'static str, field: &'a Field<T>) -> Option<(&'static str, Option<&'a Span>)> {
            match field {
                Field::Absent => None,
                Field::Broken => Some((name, None)),
                Field::Given(at) => Some((name, Some(&at.key))),
            }
        }
        let all = [
            written("returns", &self.returns),
            written("error", &self.error),
            written("raw", &self.raw),
            written("raw-file", &self.raw_file),
            written("does", &self.does),
        ];
        all.into_iter().flatten().collect()
    }
}
