//! Which mock client: the revisions it knows, how it negotiates, how it reads a result, and its quirk if it has one.

use std::cmp::Reverse;

use mcp_compat_model::{Era, Mode, PeerId, Revision};

use super::quirk::ClientQuirk;

/// A mock client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSpec {
    /// Its name, as asked for.
    pub id: PeerId,
    /// What it speaks, oldest first; never empty.
    pub revisions: Vec<Revision>,
    /// How it chooses between the eras.
    pub mode: Mode,
    /// How it reads results.
    pub policy: Policy,
    /// What it does wrong; an honest client has none.
    pub sabotage: Option<ClientQuirk>,
}

/// How a client reads results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What it does with a result that violates its schema.
    pub validation: Validation,
    /// What it hands out of a result.
    pub preference: Preference,
    /// What its types can hold.
    pub typing: Typing,
}

/// What a client does with a result that violates its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Raises an error.
    Reject,
    /// Hands it out all the same.
    Warn,
    /// Does not look.
    Skip,
}

/// What a client hands out of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The structured content first, and the blocks beside it.
    Structured,
    /// The blocks only.
    Content,
    /// Structured content and blocks, neither before the other: on this interface the same as `Structured`.
    Both,
}

/// What a client's types can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Schemas whose root is `type: "object"`, and objects: the wire format of 2025. One tool with another schema
    /// makes the whole list unreadable.
    StrictObject,
    /// Any JSON value, and any schema.
    Any,
}

/// One client that there is, for lists and for the fleet that runs by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// The client.
    pub spec: ClientSpec,
    /// What it is, in a line.
    pub about: &'static str,
}

/// Why a text names no mock client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no such client.
    #[error("there is no mock client {id:?}{}; there are {}", suggestion(nearest.as_deref()), known.join(", "))]
    Unknown {
        /// What was asked for.
        id: String,
        /// The most similar name.
        nearest: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// The client cannot negotiate like that.
    #[error("{id} speaks {} revisions only, so it cannot be +{mode}: leave the mode out", era.as_str())]
    Mode {
        /// The client, without its mode.
        id: String,
        /// The mode asked for.
        mode: Mode,
        /// The only era that it speaks.
        era: Era,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean {nearest}?)")).unwrap_or_default()
}

/// The revisions of `dual`: those with structured output, on both sides of the handshake's end.
const DUAL: [Revision; 3] = [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// The default fleet. The order is that of lists.
const CATALOGUE: [(&str, &str); 12] = [
    ("mock/dual+auto", "speaks both eras and probes for the modern one; validates, and reads any JSON value"),
    ("mock/dual+legacy", "speaks both eras but always opens with initialize, as many releases do by default"),
    ("mock/2026-07-28", "speaks the modern revision only; fails on a legacy server"),
    ("mock/2025-11-25", "strict as the releases of its time: structured content and schemas are objects"),
    ("mock/2025-06-18", "the first revision with structured output, strict as the releases of its time"),
    ("mock/2025-03-26", "knows no structured output: reads content blocks only; takes batches"),
    ("mock/2024-11-05", "knows no structured output: reads content blocks only"),
    ("mock/2025-11-25/lenient", "legacy, but reads any JSON value and any schema"),
    ("mock/dual/content+auto", "hands out content blocks only, though it validates the structured content"),
    ("mock/dual/both+auto", "hands out structured content and content blocks as equals"),
    ("mock/dual/warn+auto", "hands out results that violate their schema, with no more than a warning"),
    ("mock/dual/skip+auto", "does not validate at all"),
];

/// What the part after the revisions says.
#[derive(Clone, Copy)]
enum Variant {
    Content,
    Both,
    Warn,
    Skip,
    Lenient,
    Strict,
}

impl Variant {
    const ALL: [Self; 6] = [Self::Content, Self::Both, Self::Warn, Self::Skip, Self::Lenient, Self::Strict];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Both => "both",
            Self::Warn => "warn",
            Self::Skip => "skip",
            Self::Lenient => "lenient",
            Self::Strict => "strict",
        }
    }

    const fn apply(self, policy: Policy) -> Policy {
        match self {
            Self::Content => Policy { preference: Preference::Content, ..policy },
            Self::Both => Policy { preference: Preference::Both, ..policy },
            Self::Warn => Policy { validation: Validation::Warn, ..policy },
            Self::Skip => Policy { validation: Validation::Skip, ..policy },
            Self::Lenient => Policy { typing: Typing::Any, ..policy },
            Self::Strict => Policy { typing: Typing::StrictObject, ..policy },
        }
    }
}

impl ClientSpec {
    /// Reads `mock/<revisions>[/<variant>][+mode]` or `sabotaged/<quirk>[+mode]`.
    ///
    /// `<revisions>` is `dual` or one revision. `<variant>` is `content`, `both`, `warn`, `skip`, `lenient` (any
    /// JSON value) or `strict` (objects only). Without a mode, `dual` is `auto`.
    ///
    /// # Errors
    /// When there is no such client, with the most similar name; when it cannot negotiate like that.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let unknown = || SpecError::unknown(text);
        let id = PeerId::new(text).map_err(|_| unknown())?;
        let (name, mode) = match text.split_once('+') {
            Some((name, mode)) => (name, Some(mode.parse::<Mode>().map_err(|_| unknown())?)),
            None => (text, None),
        };
        let (revisions, variant, sabotage) = match name.split_once('/').ok_or_else(unknown)? {
            ("mock", rest) => {
                let (revisions, variant) = match rest.split_once('/') {
                    Some((revisions, variant)) => (revisions, Some(variant)),
                    None => (rest, None),
                };
                let named = |variant| Variant::ALL.into_iter().find(|v| v.as_str() == variant).ok_or_else(unknown);
                (revision_set(revisions).ok_or_else(unknown)?, variant.map(named).transpose()?, None)
            }
            ("sabotaged", quirk) => {
                let quirk = ClientQuirk::ALL.into_iter().find(|q| q.as_str() == quirk).ok_or_else(unknown)?;
                (DUAL.to_vec(), None, Some(quirk))
            }
            _ => return Err(unknown()),
        };
        let mode = resolve_mode(name, &revisions, mode)?;
        let policy = default_policy(&revisions);
        let policy = variant.map_or(policy, |variant| variant.apply(policy));
        Ok(Self { id, revisions, mode, policy, sabotage })
    }

    /// The clients that run by default. None is sabotaged.
    #[must_use]
    pub fn catalogue() -> Vec<CatalogueEntry> {
        CATALOGUE
            .into_iter()
            .filter_map(|(id, about)| Some(CatalogueEntry { spec: Self::parse(id).ok()?, about }))
            .collect()
    }

    /// The sabotaged clients, one a quirk.
    #[must_use]
    pub fn sabotaged() -> Vec<CatalogueEntry> {
        let entry = |quirk: ClientQuirk| {
            let spec = Self::parse(&format!("sabotaged/{}", quirk.as_str())).ok()?;
            Some(CatalogueEntry { spec, about: quirk.about() })
        };
        ClientQuirk::ALL.into_iter().filter_map(entry).collect()
    }

    /// The same client, negotiating in another way.
    ///
    /// # Errors
    /// When it speaks one era only, and `mode` needs another.
    pub fn with_mode(&self, mode: Mode) -> Result<Self, SpecError> {
        let mode = resolve_mode(self.id.without_mode(), &self.revisions, Some(mode))?;
        Ok(Self { mode, ..self.clone() })
    }

    /// Whether it has this quirk.
    pub(super) fn does(&self, quirk: ClientQuirk) -> bool {
        self.sabotage == Some(quirk)
    }

    /// The newest revision of an era that it speaks.
    pub(super) fn newest(&self, era: Era) -> Option<Revision> {
        self.revisions.iter().rev().copied().find(|revision| revision.era() == era)
    }

    /// What it validates with, its quirk considered.
    pub(super) fn validation(&self) -> Validation {
        if self.does(ClientQuirk::SkipsValidation) { Validation::Skip } else { self.policy.validation }
    }
}

impl SpecError {
    fn unknown(text: &str) -> Self {
        let entries = ClientSpec::catalogue().into_iter().chain(ClientSpec::sabotaged());
        let known: Vec<String> = entries.map(|entry| entry.spec.id.to_string()).collect();
        let similarity = |name: &str| (strsim::jaro_winkler(name, text) * 1e6) as u64;
        let nearest = known.iter().min_by_key(|name| Reverse(similarity(name))).filter(|n| similarity(n) > 800_000);
        Self::Unknown { id: text.to_owned(), nearest: nearest.cloned(), known }
    }
}

fn revision_set(text: &str) -> Option<Vec<Revision>> {
    if text == "dual" { Some(DUAL.to_vec()) } else { text.parse().ok().map(|revision| vec![revision]) }
}

fn resolve_mode(id: &str, revisions: &[Revision], asked: Option<Mode>) -> Result<Mode, SpecError> {
    let speaks = |era| revisions.iter().any(|revision| revision.era() == era);
    let (only, era) = match (speaks(Era::Legacy), speaks(Era::Modern)) {
        (true, true) => return Ok(asked.unwrap_or(Mode::Auto)),
        (false, true) => (Mode::Modern, Era::Modern),
        (true, false) | (false, false) => (Mode::Legacy, Era::Legacy),
    };
    match asked {
        Some(mode) if mode != only => Err(SpecError::Mode { id: id.to_owned(), mode, era }),
        Some(_) | None => Ok(only),
    }
}

fn default_policy(revisions: &[Revision]) -> Policy {
    let any = revisions.iter().any(|revision| revision.has_any_value_output());
    Policy {
        validation: Validation::Reject,
        preference: Preference::Structured,
        typing: if any { Typing::Any } else { Typing::StrictObject },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_entry_of_the_catalogue_is_a_client_of_that_name() {
        let entries = ClientSpec::catalogue();
        assert_eq!(entries.len(), CATALOGUE.len());
        for entry in entries {
            assert!(entry.spec.id.is_mock() && entry.spec.sabotage.is_none(), "{}", entry.spec.id);
        }
    }

    #[test]
    fn every_quirk_is_a_client_that_is_no_mock() {
        let sabotaged = ClientSpec::sabotaged();
        let names: BTreeSet<_> = sabotaged.iter().map(|entry| entry.spec.id.clone()).collect();
        assert_eq!(names.len(), ClientQuirk::ALL.len());
        assert!(sabotaged.iter().all(|entry| !entry.spec.id.is_mock() && entry.spec.sabotage.is_some()));
    }

    #[test]
    fn a_client_that_knows_the_modern_revision_reads_any_value_and_a_legacy_one_only_objects() {
        let typing = |id| ClientSpec::parse(id).unwrap().policy.typing;
        assert_eq!((typing("mock/dual+auto"), typing("mock/2026-07-28")), (Typing::Any, Typing::Any));
        assert_eq!((typing("mock/2025-11-25"), typing("mock/2025-11-25/lenient")), (Typing::StrictObject, Typing::Any));
        assert_eq!(typing("mock/dual/strict"), Typing::StrictObject);
    }

    #[test]
    fn a_mode_that_the_revisions_do_not_allow_is_refused() {
        assert_eq!(ClientSpec::parse("mock/dual").unwrap().mode, Mode::Auto);
        assert_eq!(ClientSpec::parse("mock/dual+modern").unwrap().mode, Mode::Modern);
        assert_eq!(ClientSpec::parse("mock/2026-07-28").unwrap().mode, Mode::Modern);
        let error = ClientSpec::parse("mock/2025-11-25+auto").unwrap_err();
        assert_eq!(
            error.to_string(),
            "mock/2025-11-25 speaks legacy revisions only, so it cannot be +auto: leave the mode out"
        );
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_and_with_what_there_is() {
        let nearest = |id| match ClientSpec::parse(id).unwrap_err() {
            SpecError::Unknown { nearest, known, .. } => {
                assert!(known.len() > CATALOGUE.len());
                nearest
            }
            error @ SpecError::Mode { .. } => unreachable!("{error}"),
        };
        assert_eq!(nearest("mock/daul+auto").as_deref(), Some("mock/dual+auto"));
        assert_eq!(nearest("sabotaged/round-numbers").as_deref(), Some("sabotaged/rounds-numbers"));
        assert_eq!(nearest("mock/dual/warm+auto").as_deref(), Some("mock/dual/warn+auto"));
        assert_eq!(nearest("zzz"), None);
    }
}
