//! What a server does with results that the negotiated revision does not know.
//!
//! Structured output came in with 2025-06-18, for objects only, and was widened to any value in 2026-07-28. Servers
//! treat clients of an older revision in four ways, and all four are found in the wild.

use std::fmt;

use mcp_compat_model::Revision;

use mcp_compat_mock_wire::object::Object;

/// How a server treats a client whose revision is older than its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Downgrade {
    /// The same bytes to everybody.
    Naive,
    /// Neither `outputSchema` nor `structuredContent`; the text stays.
    Omit,
    /// Schema and value as an object with one member, `result`; the text stays. Where a revision has no structured
    /// output at all there is nothing to wrap into, and both are omitted.
    Wrap,
    /// Neither `outputSchema` nor `structuredContent`, for any client of any revision.
    TextOnly,
}

impl Downgrade {
    /// Every downgrade.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Omit, Self::Wrap, Self::TextOnly];

    /// The name in peer ids; `naive` is the default and is not written there.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Omit => "omit",
            Self::Wrap => "wrap",
            Self::TextOnly => "text-only",
        }
    }

    /// What the server does, in a few words.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Naive => "sends the same bytes to every client",
            Self::Omit => "omits structured output that the client's revision does not know",
            Self::Wrap => "wraps structured output that the client's revision does not know under `result`",
            Self::TextOnly => "sends text only, whatever the client's revision knows",
        }
    }

    /// What becomes of one tool's structured output in a session of `revision`.
    ///
    /// Schema and value share one fate: a definition without its schema, or a value without its wrapping, would break
    /// a rule that the tool itself does not break.
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

/// What becomes of one tool's structured output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Nothing changes.
    Keep,
    /// Schema and value go.
    Drop,
    /// Schema and value become an object with one member.
    Wrap,
}

/// What becomes of a tool's schema, and what of its value.
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

    /// To each its own, as only a quirk has it: a schema is wrapped that is not one of objects, and a value where its
    /// schema is, or where it is no object itself.
    pub(crate) fn apart(revision: Revision, schema: Option<&str>, value: Option<&str>) -> Self {
        let wrapped = |foreign| if foreign { Treatment::Wrap } else { Treatment::Keep };
        let legacy = !revision.has_any_value_output();
        let schema = legacy && schema.is_some_and(|schema| !is_object_schema(schema));
        let value = legacy && (schema || value.is_some_and(|value| !value.starts_with('{')));
        Self { schema: wrapped(schema), value: wrapped(value) }
    }
}

/// Whether the root of a schema says `type: "object"`, which is all that 2025-06-18 and 2025-11-25 admit.
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
    fn a_server_of_text_sends_nothing_else_to_anybody() {
        for revision in Revision::ALL {
            assert_eq!(Downgrade::TextOnly.treatment(revision, OBJECT, Some("{}")), Treatment::Drop);
        }
    }
}
