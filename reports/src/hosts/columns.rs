//! Kinds of results and lists that the table of hosts tells apart, each by a scenario.

/// What a server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub scenario: &'static str,
    /// In a few words, for a row of the table.
    pub sent: &'static str,
    pub(super) about: About,
}

/// What there is to read, where it is not a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Value,
    Text,
    /// A link beside the text.
    Link,
    /// A tool that is not on the first page, as is the plain tool by which the damage is measured.
    Page,
    /// The text of a tool with a union at the root of its input schema.
    Union,
}

const MIRROR: Kind = kind("root-type/object", "a value and its JSON text");
const PROSE: Kind = kind("fallback/prose", "a value and other text");
const ALONE: Kind = kind("fallback/empty-content", "a value alone");

/// The rows of the table.
pub const KINDS: [Kind; 14] = [
    MIRROR,
    PROSE,
    ALONE,
    Kind { about: About::Text, ..kind("structured-missing/prose", "text, schema declared") },
    Kind { about: About::Text, ..kind("host/json-text", "JSON as text, no schema") },
    kind("root-type/array", "an array"),
    kind("root-type/null", "null"),
    kind("error-result/conforming", "an error with a value"),
    kind("number/large-integer[beyond-double]", "an integer beyond 2^53"),
    Kind { about: About::Link, ..kind("content-types/resource-link", "a link beside text") },
    Kind { about: About::Page, ..kind("pagination/second-page", "tools on a second page") },
    Kind { about: About::Text, ..kind("bad-schema/input-without-type", "an input without type") },
    Kind { about: About::Union, ..kind("host/input-union", "a union as input") },
    kind("host/dotted-name", "a dot in a name"),
];

/// Kinds of which the sentence above the table speaks.
pub(super) const ADVISED: [Kind; 3] = [MIRROR, PROSE, ALONE];

const fn kind(scenario: &'static str, sent: &'static str) -> Kind {
    Kind { scenario, sent, about: About::Value }
}
