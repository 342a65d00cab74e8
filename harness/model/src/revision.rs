//! Dated revisions of the specification, and the two eras that they fall into.

use std::str::FromStr;

use crate::named::named;

named! {
    /// A dated revision of the Model Context Protocol.
    ///
    /// The order is chronological, so `revision >= Revision::V2025_06_18` reads as "knows structured output".
    pub enum Revision {
        /// The first published revision: HTTP+SSE, no structured output.
        V2024_11_05 = "2024-11-05",
        /// Streamable HTTP; no structured output yet.
        V2025_03_26 = "2025-03-26",
        /// `outputSchema` and `structuredContent` arrive, both restricted to objects.
        V2025_06_18 = "2025-06-18",
        /// The last revision with a handshake; schemas default to JSON Schema 2020-12.
        V2025_11_25 = "2025-11-25",
        /// Stateless requests; any JSON value and any 2020-12 schema as structured output (SEP-2106).
        V2026_07_28 = "2026-07-28",
    }
}

impl Revision {
    /// The newest revision that still opens with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision there is.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The era this revision belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// Returns true if tools may declare an `outputSchema` and return `structuredContent` at all.
    #[must_use]
    pub fn has_structured_output(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Returns true if `structuredContent` may be something other than an object, and a schema's root anything
    /// (<https://modelcontextprotocol.io/seps/2106-json-schema-2020-12>).
    #[must_use]
    pub fn has_any_value_output(self) -> bool {
        self >= Self::V2026_07_28
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

/// A date that names no revision of the specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a revision of the specification: known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28"
)]
pub struct UnknownRevision(pub String);

named! {
    /// Way in which a revision carries version and capabilities
    /// (<https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#terminology>).
    pub enum Era {
        /// A session, opened with an `initialize` handshake; up to 2025-11-25.
        Legacy = "legacy",
        /// Stateless: each request carries its version in `_meta`; from 2026-07-28.
        Modern = "modern",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_what_it_writes() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        assert!("2025-11-26".parse::<Revision>().is_err());
    }

    #[test]
    fn only_the_newest_revision_is_modern() {
        let modern: Vec<_> = Revision::ALL.into_iter().filter(|r| r.era() == Era::Modern).collect();
        assert_eq!(modern, [Revision::NEWEST]);
    }
}
