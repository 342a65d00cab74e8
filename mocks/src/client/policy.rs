//! Policy of a client for results: validation, returned parts, and what its types can hold.

use mcp_compat_model::{Era, Revision};

use crate::wire::object::Object;

/// Policy of a client for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Treatment of a result that violates its schema.
    pub validation: Validation,
    /// Parts of a result that it returns.
    pub preference: Preference,
    /// Values that its types can hold.
    pub typing: Typing,
    /// Requirements of its types for the root of a schema, beside `type`.
    pub roots: Roots,
    /// Into which types it decodes definitions and results, beside schemas and values.
    pub types: Types,
    /// Treatment of a repeated request for the tools.
    pub lists: Lists,
}

/// Treatment of a result that violates its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Raises an error.
    Reject,
    /// Logs a warning and returns it.
    Warn,
    /// Does not validate.
    Skip,
}

/// Parts of a result that a client returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The value and the blocks. The default.
    Both,
    /// Only the structured content, if there is any: some hosts drop the blocks beside it.
    Structured,
    /// Only the blocks.
    Content,
}

/// Values that a client's types can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Schemas whose root is `type: "object"`, and objects: the wire format of 2025. One tool with another schema
    /// makes the whole list unreadable.
    StrictObject,
    /// Any JSON value, and any schema.
    Any,
    /// Values that the negotiated revision allows: the wire format of 2025 in the legacy era, anything in the modern one.
    AsSpoken,
}

/// Treatment of a repeated request for the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// It asks the server.
    Afresh,
    /// It returns the list that it has, as long as the `ttlMs` of that list says, as the TypeScript SDK 2.x does:
    /// `ClientResponseCache.read` in `packages/client/src/client/responseCache.ts`.
    WhileFresh,
    /// The same in the modern era only, as the Python SDK 2.x does:
    /// <https://github.com/modelcontextprotocol/python-sdk/blob/v2.3.0/src/mcp/client/caching.py#L342>.
    WhileFreshIfModern,
}

/// Requirements of a client's types for the root of a schema, beside `type`. A list with another schema cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    Open,
    /// The types of the TypeScript SDK. In the legacy era, `properties` is an object and `required` a list of names:
    /// <https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.32.2/src/types.ts#L1390-L1412>. In the modern era,
    /// which only 2.x speaks, `$schema` is a string. None of them may be null.
    Zod,
    /// The types of the Python SDK 2.x. `$schema` is a string. In the legacy era, the members of `properties` are objects
    /// or booleans, and `required` is a list of names:
    /// <https://github.com/modelcontextprotocol/python-sdk/blob/v2.3.0/src/mcp-types/mcp_types/_v2025_11_25/__init__.py#L1347-L1362>.
    /// All of them may be null.
    Pydantic,
}

/// Into which types a client decodes definitions of tools, results and content blocks. What does not fit them loses the
/// list, or the result. Each was observed with one wrong member at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// It looks at what it needs alone.
    Open,
    /// The schemas of the TypeScript SDK 1.x: strict, without nulls. `data` and `blob` are read with `atob`. `logging`,
    /// `completions`, experiments and extensions may be arrays.
    Zod1,
    /// The schemas of the TypeScript SDK 2.x: as those of 1.x, without these arrays.
    Zod2,
    /// The models of the Python SDK 1.x: words and numbers are taken for booleans, digits for numbers. A `uri` has a
    /// scheme.
    Pydantic1,
    /// The models of the Python SDK 2.x: as those of 1.x, and a `uri` is any string.
    Pydantic2,
    /// The structs of the Go SDK: nothing is required, and words are any strings. `data` and `blob` are padded base64.
    Go,
    /// The classes of the Java SDK: nothing is required, and strings, numbers and booleans are taken for
    /// one another where that makes sense.
    Jackson,
    /// The structs of rmcp: strict, and numbers have no bounds.
    Serde,
}

impl Lists {
    /// Returns whether a page that repeats the one before it, with its cursor, ends the list. It does for the TypeScript SDK
    /// 2.x, which leaves that page out: `_walkPages` in `packages/client/src/client/client.ts`.
    pub(crate) const fn ends_at_repeated_page(self) -> bool {
        matches!(self, Self::WhileFresh)
    }

    /// Returns whether a list is returned again in this revision while it is fresh.
    pub(crate) fn holds(self, revision: Revision) -> bool {
        match self {
            Self::Afresh => false,
            Self::WhileFresh => true,
            Self::WhileFreshIfModern => revision.era() == Era::Modern,
        }
    }
}

impl Typing {
    /// Returns whether values have to be objects in this revision, and schemas those of objects.
    pub(crate) fn is_of_objects(self, revision: Revision) -> bool {
        match self {
            Self::StrictObject => true,
            Self::Any => false,
            Self::AsSpoken => !revision.has_any_value_output(),
        }
    }
}

impl Roots {
    /// Requires the root of a schema to be what the types say.
    ///
    /// # Errors
    /// The first member that is not.
    pub(crate) fn require(self, revision: Revision, schema: &str) -> Result<(), String> {
        let Some(schema) = Object::read(schema) else { return Ok(()) };
        let legacy = revision.era() == Era::Legacy;
        let members: &[(&str, Check)] = match (self, legacy) {
            (Self::Open, _) => &[],
            (Self::Zod, true) => &[("properties", is_object), ("required", is_names)],
            (Self::Zod, false) => &[("$schema", is_text)],
            (Self::Pydantic, true) => &[("$schema", is_text), ("properties", is_schemas), ("required", is_names)],
            (Self::Pydantic, false) => &[("$schema", is_text)],
        };
        let fits = |value: &str, is: Check| is(value) || (self == Self::Pydantic && value == "null");
        match members.iter().find(|(name, is)| schema.get(name).is_some_and(|value| !fits(value, *is))) {
            None => Ok(()),
            Some((name, _)) => Err(format!("{name} has the wrong type")),
        }
    }
}

/// Tells whether the JSON text of a member has the right type.
type Check = fn(&str) -> bool;

fn is_text(value: &str) -> bool {
    value.starts_with('"')
}

fn is_object(value: &str) -> bool {
    value.starts_with('{')
}

fn is_names(value: &str) -> bool {
    serde_json::from_str::<Vec<String>>(value).is_ok()
}

/// An object of objects and booleans.
fn is_schemas(value: &str) -> bool {
    let is_schema = |value: &str| matches!(value, "true" | "false") || is_object(value);
    Object::read(value).is_some_and(|mut named| named.members_mut().all(|member| is_schema(&member.value)))
}

impl Policy {
    /// The policy of a client that knows these revisions, unless its id says otherwise: it validates, and its types
    /// hold what the newest of them can send.
    pub(crate) fn of(revisions: &[Revision]) -> Self {
        let any = revisions.iter().any(|revision| revision.has_any_value_output());
        Self {
            validation: Validation::Reject,
            preference: Preference::Both,
            typing: if any { Typing::Any } else { Typing::StrictObject },
            roots: Roots::Open,
            types: Types::Open,
            lists: Lists::Afresh,
        }
    }
}

/// The part of an id after the revisions: one setting that is not the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Hands out structured content alone, if there is any.
    Structured,
    /// Hands out content blocks alone.
    Content,
    /// Hands out an invalid value with a warning.
    Warn,
    /// Does not validate.
    Skip,
    /// Reads any JSON value.
    Lenient,
    /// Reads objects only.
    Strict,
}

impl Variant {
    pub(crate) const ALL: [Self; 6] =
        [Self::Structured, Self::Content, Self::Warn, Self::Skip, Self::Lenient, Self::Strict];

    /// The name used in ids.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Content => "content",
            Self::Warn => "warn",
            Self::Skip => "skip",
            Self::Lenient => "lenient",
            Self::Strict => "strict",
        }
    }

    pub(crate) const fn apply(self, policy: Policy) -> Policy {
        match self {
            Self::Structured => Policy { preference: Preference::Structured, ..policy },
            Self::Content => Policy { preference: Preference::Content, ..policy },
            Self::Warn => Policy { validation: Validation::Warn, ..policy },
            Self::Skip => Policy { validation: Validation::Skip, ..policy },
            Self::Lenient => Policy { typing: Typing::Any, ..policy },
            Self::Strict => Policy { typing: Typing::StrictObject, ..policy },
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// As the types in the sources have it.
    #[rstest]
    #[case::sound(r#"{"type":"object","$schema":"x","properties":{"a":{}},"required":["a"]}"#, [true; 4])]
    #[case::dialect(r#"{"$schema":7}"#, [true, false, false, false])]
    #[case::null_dialect(r#"{"$schema":null}"#, [true, false, true, true])]
    #[case::list(r#"{"properties":[]}"#, [false, true, false, true])]
    #[case::odd_property(r#"{"properties":{"a":1}}"#, [true, true, false, true])]
    #[case::boolean(r#"{"properties":{"a":true}}"#, [true; 4])]
    #[case::no_names(r#"{"required":[1]}"#, [false, true, false, true])]
    #[case::null_names(r#"{"required":null}"#, [false, true, true, true])]
    fn a_root_fits_the_types_of_the_era(#[case] schema: &str, #[case] fits: [bool; 4]) {
        let clients = [(Roots::Zod, true), (Roots::Zod, false), (Roots::Pydantic, true), (Roots::Pydantic, false)];
        let revision = |legacy| if legacy { Revision::V2025_11_25 } else { Revision::V2026_07_28 };
        let found = clients.map(|(roots, legacy)| roots.require(revision(legacy), schema).is_ok());
        assert_eq!(found, fits);
        assert_eq!(Roots::Open.require(Revision::V2025_11_25, schema), Ok(()));
    }
}
