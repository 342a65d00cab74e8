//! What a sabotaged client does wrong: one named deviation each, so that a check can be shown to notice it.

use std::fmt;

/// One deviation of a client from what an honest one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientQuirk {
    /// Never hands out structured content.
    DropsValue,
    /// Reads every number into a 64-bit float, and writes it again.
    RoundsNumbers,
    /// Takes `structuredContent: null` for no structured content.
    NullAsAbsent,
    /// Takes structured content that is `null`, `false`, `0` or `""` for no structured content.
    Truthiness,
    /// Leaves out the members of objects that are `null`.
    StripsNulls,
    /// Hands out `x` where the value is `{"result": x}`.
    UnwrapsResult,
    /// Hands out `{"result": x}` where the value is no object.
    WrapsValue,
    /// Hands out a string with the value's JSON text in it.
    DoubleEncodes,
    /// Hands out what the first text block parses to, and ignores the structured content.
    PrefersTextParse,
    /// Never hands out content blocks.
    DropsContent,
    /// Hands out a tool error as a success.
    IgnoresIsError,
    /// Raises an error of its own for every tool error, without the tool's words.
    MasksToolErrors,
    /// Hands out a JSON-RPC error as an empty success.
    SwallowsProtocolErrors,
    /// Validates nothing, whatever its policy says.
    SkipsValidation,
    /// Validates the results of tool errors too.
    ValidatesErrors,
    /// Refuses structured content that is no object.
    RejectsNonObject,
    /// Reads every schema as draft-07.
    Draft07Only,
    /// Takes a schema that it cannot use as one that allows everything.
    PermissiveSchemas,
    /// Loses the whole list over one schema that it cannot use.
    LosesListOnBadSchema,
    /// Fetches a `$ref` into the network before it uses the schema (on loopback only).
    FetchesRef,
    /// Keeps its list whatever the server tells.
    IgnoresListChanged,
    /// Lists the first page only.
    FirstPageOnly,
    /// Takes a result of any `resultType` as complete.
    IgnoresResultType,
    /// Leaves the protocol's members out of `_meta`.
    OmitsMeta,
    /// Never sends `notifications/initialized`.
    SkipsInitialized,
}

impl ClientQuirk {
    /// Every quirk, grouped by where it strikes.
    pub const ALL: [Self; 25] = [
        Self::DropsValue,
        Self::RoundsNumbers,
        Self::NullAsAbsent,
        Self::Truthiness,
        Self::StripsNulls,
        Self::UnwrapsResult,
        Self::WrapsValue,
        Self::DoubleEncodes,
        Self::PrefersTextParse,
        Self::DropsContent,
        Self::IgnoresIsError,
        Self::MasksToolErrors,
        Self::SwallowsProtocolErrors,
        Self::SkipsValidation,
        Self::ValidatesErrors,
        Self::RejectsNonObject,
        Self::Draft07Only,
        Self::PermissiveSchemas,
        Self::LosesListOnBadSchema,
        Self::FetchesRef,
        Self::IgnoresListChanged,
        Self::FirstPageOnly,
        Self::IgnoresResultType,
        Self::OmitsMeta,
        Self::SkipsInitialized,
    ];

    /// The name used in peer ids: `sabotaged/<name>`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.describe().0
    }

    /// What it does, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.describe().1
    }

    const fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::DropsValue => ("drops-value", "never hands out structured content"),
            Self::RoundsNumbers => ("rounds-numbers", "reads every number into a 64-bit float"),
            Self::NullAsAbsent => ("null-as-absent", "takes a null value for no value"),
            Self::Truthiness => ("truthiness", "takes null, false, 0 and \"\" for no value"),
            Self::StripsNulls => ("strips-nulls", "leaves out the members of objects that are null"),
            Self::UnwrapsResult => ("unwraps-result", "hands out x where the value is {\"result\": x}"),
            Self::WrapsValue => ("wraps-value", "hands out {\"result\": x} where the value is no object"),
            Self::DoubleEncodes => ("double-encodes", "hands out a string with the value's JSON text in it"),
            Self::PrefersTextParse => ("prefers-text-parse", "hands out what the first text block parses to"),
            Self::DropsContent => ("drops-content", "never hands out content blocks"),
            Self::IgnoresIsError => ("ignores-is-error", "hands out a tool error as a success"),
            Self::MasksToolErrors => ("masks-tool-errors", "raises its own error in place of the tool's words"),
            Self::SwallowsProtocolErrors => {
                ("swallows-protocol-errors", "hands out a JSON-RPC error as an empty success")
            }
            Self::SkipsValidation => ("skips-validation", "validates nothing"),
            Self::ValidatesErrors => ("validates-errors", "validates the results of tool errors too"),
            Self::RejectsNonObject => ("rejects-non-object", "refuses structured content that is no object"),
            Self::Draft07Only => ("draft-07-only", "reads every schema as draft-07"),
            Self::PermissiveSchemas => ("permissive-schemas", "takes an unusable schema as one that allows everything"),
            Self::LosesListOnBadSchema => ("loses-list-on-bad-schema", "loses the list over one unusable schema"),
            Self::FetchesRef => ("fetches-ref", "fetches a $ref into the network (on loopback only)"),
            Self::IgnoresListChanged => ("ignores-list-changed", "keeps its list whatever the server tells"),
            Self::FirstPageOnly => ("first-page-only", "lists the first page only"),
            Self::IgnoresResultType => ("ignores-result-type", "takes a result of any resultType as complete"),
            Self::OmitsMeta => ("omits-meta", "leaves the protocol's members out of _meta"),
            Self::SkipsInitialized => ("skips-initialized", "never sends notifications/initialized"),
        }
    }
}

impl fmt::Display for ClientQuirk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_quirk_has_a_name_and_a_description_of_its_own() {
        let names: BTreeSet<_> = ClientQuirk::ALL.into_iter().map(ClientQuirk::as_str).collect();
        let abouts: BTreeSet<_> = ClientQuirk::ALL.into_iter().map(ClientQuirk::about).collect();
        assert_eq!((names.len(), abouts.len()), (ClientQuirk::ALL.len(), ClientQuirk::ALL.len()));
        let kebab =
            |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        assert!(names.iter().all(kebab));
    }
}
