//! Which mock client: the revisions it knows, how it negotiates, how it reads a result, and its quirk if it has one.
//!
//! ```text
//! mock/<revisions>[/<variant>][+mode]    mock/dual+auto  mock/2025-11-25/lenient  mock/dual/content+legacy
//! sabotaged/<quirk>[+mode]               sabotaged/drops-value
//! ```

use mcp_compat_model::{Era, Mode, PeerId, Revision};

use super::policy::{Policy, Preference, Typing, Validation, Variant};
use super::quirk::ClientQuirk;

/// A mock client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSpec {
    /// Its name.
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

/// The revisions of `dual`: all there are.
const DUAL: [Revision; 5] = Revision::ALL;

/// The default fleet. The order is that of lists.
const CATALOGUE: [&str; 12] = [
    "mock/dual+auto",
    "mock/dual+legacy",
    "mock/2026-07-28",
    "mock/2025-11-25",
    "mock/2025-06-18",
    "mock/2025-03-26",
    "mock/2024-11-05",
    "mock/2025-11-25/lenient",
    "mock/dual/structured+auto",
    "mock/dual/content+auto",
    "mock/dual/warn+auto",
    "mock/dual/skip+auto",
];

impl ClientSpec {
    /// Reads `mock/<revisions>[/<variant>][+mode]` or `sabotaged/<quirk>[+mode]`.
    ///
    /// `<revisions>` is `dual`, `modern` or one revision. `<variant>` is `structured`, `content`, `warn`, `skip`,
    /// `lenient` (any JSON value) or `strict` (objects only). Without a mode, a client of both eras is `auto`. The id is
    /// normalised: a mode is written where there is a choice.
    ///
    /// # Errors
    /// When there is no such client, with the most similar name; when it cannot negotiate like that.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let unknown = || SpecError::unknown(text);
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
        let policy = Policy::of(&revisions);
        let policy = variant.map_or(policy, |variant| variant.apply(policy));
        let id = canonical_id(&revisions, variant, mode, sabotage).ok_or_else(unknown)?;
        Ok(Self { id, revisions, mode, policy, sabotage })
    }

    /// The clients that run by default. None is sabotaged.
    #[must_use]
    pub fn catalogue() -> Vec<Self> {
        CATALOGUE.into_iter().filter_map(|id| Self::parse(id).ok()).collect()
    }

    /// The sabotaged clients, one a quirk.
    #[must_use]
    pub fn sabotaged() -> Vec<Self> {
        ClientQuirk::ALL.into_iter().filter_map(|quirk| Self::parse(&format!("sabotaged/{quirk}")).ok()).collect()
    }

    /// What the client is, in a line.
    #[must_use]
    pub fn about(&self) -> String {
        let speaks = match (self.revisions.as_slice(), self.mode) {
            ([revision], _) => format!("speaks {revision} only"),
            (_, Mode::Auto) => "speaks both eras and probes for the modern one".to_owned(),
            (_, Mode::Legacy) => "speaks both eras but always opens with initialize".to_owned(),
            (_, Mode::Modern) => "speaks both eras but never opens with initialize".to_owned(),
        };
        if let Some(quirk) = self.sabotage {
            return format!("{speaks}; sabotaged: {}", quirk.about());
        }
        if !self.revisions.iter().any(|revision| revision.has_structured_output()) {
            return format!("{speaks}; knows no structured output and reads content blocks");
        }
        let holds = match self.policy.typing {
            Typing::StrictObject => "reads objects only",
            Typing::Any => "reads any JSON value",
        };
        let validates = match self.policy.validation {
            Validation::Reject => "refuses what violates its schema",
            Validation::Warn => "hands out what violates its schema with a warning",
            Validation::Skip => "does not validate",
        };
        let hands_out = match self.policy.preference {
            Preference::Both => "",
            Preference::Structured => ", hands out structured content alone where there is any",
            Preference::Content => ", hands out content blocks only",
        };
        format!("{speaks}; {holds}, {validates}{hands_out}")
    }

    /// The same client, negotiating in another way.
    ///
    /// # Errors
    /// When it speaks one era only, and `mode` needs another.
    pub fn with_mode(&self, mode: Mode) -> Result<Self, SpecError> {
        Self::parse(&format!("{}+{mode}", self.id.without_mode()))
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
        let known: Vec<String> = entries.map(|spec| spec.id.to_string()).collect();
        let nearest = known
            .iter()
            .map(|name| (strsim::jaro_winkler(name, text), name))
            .filter(|(likeness, _)| *likeness > 0.85)
            .max_by(|(one, _), (other, _)| one.total_cmp(other))
            .map(|(_, name)| name.clone());
        Self::Unknown { id: text.to_owned(), nearest, known }
    }
}

fn revision_set(text: &str) -> Option<Vec<Revision>> {
    match text {
        "dual" => Some(DUAL.to_vec()),
        "modern" => Some(vec![Revision::NEWEST]),
        date => date.parse().ok().map(|revision| vec![revision]),
    }
}

fn canonical_id(
    revisions: &[Revision],
    variant: Option<Variant>,
    mode: Mode,
    sabotage: Option<ClientQuirk>,
) -> Option<PeerId> {
    let name = match (sabotage, revisions) {
        (Some(quirk), _) => format!("sabotaged/{quirk}"),
        (None, [revision]) => format!("mock/{revision}"),
        (None, _) => "mock/dual".to_owned(),
    };
    let variant = variant.map(|variant| format!("/{}", variant.as_str())).unwrap_or_default();
    let chosen = revisions.len() > 1 && (sabotage.is_none() || mode != Mode::Auto);
    let mode = if chosen { format!("+{mode}") } else { String::new() };
    PeerId::new(format!("{name}{variant}{mode}")).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_of_the_catalogue_reads_back() {
        let ids: Vec<_> = ClientSpec::catalogue().iter().map(|spec| spec.id.to_string()).collect();
        assert_eq!(ids, CATALOGUE);
        for spec in ClientSpec::catalogue().into_iter().chain(ClientSpec::sabotaged()) {
            assert_eq!(ClientSpec::parse(spec.id.as_str()), Ok(spec.clone()));
            assert_eq!(spec.id.is_mock(), spec.sabotage.is_none());
            assert!(spec.about().starts_with("speaks "), "{}", spec.about());
        }
        assert_eq!(ClientSpec::sabotaged().len(), ClientQuirk::ALL.len());
    }

    #[test]
    fn an_id_says_the_mode_where_there_is_a_choice() {
        let id = |text| ClientSpec::parse(text).unwrap().id.to_string();
        assert_eq!(id("mock/dual"), "mock/dual+auto");
        assert_eq!(id("mock/modern+modern"), "mock/2026-07-28");
        assert_eq!(id("mock/2025-11-25+legacy"), "mock/2025-11-25");
        assert_eq!(id("sabotaged/drops-value+auto"), "sabotaged/drops-value");
        assert_eq!(id("sabotaged/drops-value+legacy"), "sabotaged/drops-value+legacy");
        let auto = ClientSpec::parse("mock/dual/content").unwrap();
        assert_eq!(auto.with_mode(Mode::Legacy).unwrap().id.as_str(), "mock/dual/content+legacy");
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
