//! Downgrades for clients whose revision does not support a server's results.
//!
//! Structured output was introduced in 2025-06-18, for objects only, and extended to any value in 2026-07-28. Servers treat
//! clients of an older revision in four ways. All four exist in practice.

use std::fmt;

use crate::wire::object::Object;
use mcp_compat_model::Revision;

/// Downgrade for a client whose revision is older than a server's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Downgrade {
    /// Sends the same bytes to every client.
    Naive,
    /// Omits `outputSchema` and `structuredContent`. The text stays.
    Omit,
    /// Wraps schema and value in an object with one member, `result`. The text stays. A revision without structured output
    /// has nothing to wrap into, so both are omitted.
    Wrap,
    /// Omits `outputSchema` and `structuredContent` for every client of every revision.
    TextOnly,
}

impl Downgrade {
    pub const ALL: [Self; 4] = [Self::Naive, Self::Omit, Self::Wrap, Self::TextOnly];

    /// The name in peer ids; `naive` is the default and is not written there.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Omit => "omit",
            Self::Wrap => "wrap",
            Self::TextOnly => "text-only",
        }
    }

    /// Describes the downgrade in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Naive => "sends the same bytes to every client",
            Self::Omit => "omits structured output that the client's revision does not support",
            Self::Wrap => "wraps structured output that the client's revision does not support under `result`",
            Self::TextOnly => "sends text only, whatever the client's revision supports",
        }
    }

    /// Returns the treatment of one tool's structured output in a session of `revision`.
    ///
    /// Schema and value are treated alike: a definition without its schema, or a value without its wrapper, would break a
    /// rule that the tool itself does not break.
    pub(crate) fn treatment(self, revision: Revision, schema: Option<&str>, value: Option<&str>) -> Treatment {
        let known = if revision.has_any_value_output() {
            true
        } else if revision.has_structured_output() {
            schema.is_none_or(is_object_schema) && value.is_none_or(|value| value.starts_with('{'))
        } else {
            schema.is_none() && value.is_none()
        };
        match self {
            Self::TextOnly => Treatment::Drop,
            Self::Naive => Treatment::Keep,
            Self::Omit | Self::Wrap if known => Treatment::Keep,
            Self::Omit => Treatment::Drop,
            Self::Wrap if revision.has_structured_output() => Treatment::Wrap,
            Self::Wrap => Treatment::Drop,
        }
    }
}

impl fmt::Display for Downgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Treatment of one tool's structured output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    Keep,
    /// Schema and value are removed.
    Drop,
    /// Schema and value become an object with one member.
    Wrap,
}

/// Treatment of a tool's schema and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Treatments {
    pub(crate) schema: Treatment,
    pub(crate) value: Treatment,
}

impl Treatments {
    /// The same for both.
    pub(crate) const fn alike(treatment: Treatment) -> Self {
        Self { schema: treatment, value: treatment }
    }

    /// Each for itself, which only a quirk does: a schema is dropped if it is not of objects, and a value if it is not an
    /// object.
    pub(crate) fn strip(revision: Revision, schema: Option<&str>, value: Option<&str>) -> Self {
        let dropped = |is_foreign| if is_foreign { Treatment::Drop } else { Treatment::Keep };
        let is_legacy = !revision.has_any_value_output();
        Self {
            schema: dropped(is_legacy && schema.is_some_and(|schema| !is_object_schema(schema))),
            value: dropped(is_legacy && value.is_some_and(|value| !value.starts_with('{'))),
        }
    }

    /// Each for itself, which only a quirk does: a schema is wrapped if it is not of objects, and a value if its schema is
    /// wrapped or if it is not an object.
    pub(crate) fn apart(revision: Revision, schema: Option<&str>, value: Option<&str>) -> Self {
        let wrapped = |foreign| if foreign { Treatment::Wrap } else { Treatment::Keep };
        let legacy = !revision.has_any_value_output();
        let schema = legacy && schema.is_some_and(|schema| !is_object_schema(schema));
        let value = legacy && (schema || value.is_some_and(|value| !value.starts_with('{')));
        Self { schema: wrapped(schema), value: wrapped(value) }
    }
}

/// Returns whether the root of a schema has `type: "object"`, the only type that 2025-06-18 and 2025-11-25 allow.
pub(crate) fn is_object_schema(schema: &str) -> bool {
    Object::read(schema).is_some_and(|schema| schema.get("type") == Some(r#""object""#))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: Option<&str> = Some(r#"{"type":"object"}"#);
    const ARRAY: Option<&str> = Some(r#"{"type":"array"}"#);

    #[test]
    fn what_a_revision_knows_stays_as_it_is() {
        for downgrade in [Downgrade::Naive, Downgrade::Omit, Downgrade::Wrap] {
            assert_eq!(downgrade.treatment(Revision::V2026_07_28, ARRAY, Some("[]")), Treatment::Keep);
            assert_eq!(downgrade.treatment(Revision::V2025_11_25, OBJECT, Some("{}")), Treatment::Keep);
            assert_eq!(downgrade.treatment(Revision::V2025_03_26, None, None), Treatment::Keep);
        }
    }

    #[test]
    fn what_it_does_not_know_is_treated_as_the_conduct_says() {
        let foreign =
            [(ARRAY, None), (OBJECT, Some("[]")), (None, Some("null")), (Some(r#"{"type":["object"]}"#), None)];
        for (schema, value) in foreign {
            let treated = |downgrade: Downgrade| downgrade.treatment(Revision::V2025_11_25, schema, value);
            assert_eq!(treated(Downgrade::Naive), Treatment::Keep);
            assert_eq!(treated(Downgrade::Omit), Treatment::Drop);
            assert_eq!(treated(Downgrade::Wrap), Treatment::Wrap);
        }
    }

    #[test]
    fn where_there_is_no_structured_output_nothing_can_be_wrapped() {
        assert_eq!(Downgrade::Wrap.treatment(Revision::V2025_03_26, OBJECT, Some("{}")), Treatment::Drop);
        assert_eq!(Downgrade::Omit.treatment(Revision::V2025_03_26, OBJECT, Some("{}")), Treatment::Drop);
        assert_eq!(Downgrade::Naive.treatment(Revision::V2025_03_26, OBJECT, Some("{}")), Treatment::Keep);
    }

    #[test]
    fn apart_a_value_is_wrapped_beside_a_schema_that_stays() {
        let treated = |revision, schema, value| {
            let Treatments { schema, value } = Treatments::apart(revision, schema, value);
            [schema, value].map(|treatment| treatment == Treatment::Wrap)
        };
        let legacy = Revision::V2025_11_25;
        assert_eq!(treated(legacy, OBJECT, Some("[]")), [false, true]);
        assert_eq!(treated(legacy, ARRAY, Some("{}")), [true, true]);
        assert_eq!(treated(legacy, OBJECT, Some("{}")), [false, false]);
        assert_eq!(treated(Revision::V2026_07_28, ARRAY, Some("[]")), [false, false]);
    }

    #[test]
    fn stripped_is_what_is_no_object() {
        let treated = |revision, schema, value| {
            let Treatments { schema, value } = Treatments::strip(revision, schema, value);
            [schema, value].map(|treatment| treatment == Treatment::Drop)
        };
        let legacy = Revision::V2025_11_25;
        assert_eq!(treated(legacy, OBJECT, Some("[]")), [false, true]);
        assert_eq!(treated(legacy, ARRAY, Some("{}")), [true, false]);
        assert_eq!(treated(legacy, None, Some("null")), [false, true]);
        assert_eq!(treated(Revision::V2026_07_28, ARRAY, Some("[]")), [false, false]);
    }

    #[test]
    fn a_server_of_text_sends_nothing_else_to_anybody() {
        for revision in Revision::ALL {
            assert_eq!(Downgrade::TextOnly.treatment(revision, OBJECT, Some("{}")), Treatment::Drop);
        }
    }
}
