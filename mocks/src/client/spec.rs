//! Specification of a mock client: its revisions, how it negotiates, how it reads results, and its quirks.
//!
//! ```text
//! mock/<revisions>[/<variant>][+mode]    mock/dual+auto  mock/2025-11-25/lenient  mock/dual/content+legacy
//! sabotaged/<quirk>[+mode]               sabotaged/drops-value
//! profile/<sdk>@<release line>[+mode]    profile/rmcp@3+auto
//! ```

use crate::wire::deviations::{Carrier, Deviations, nearest};
use mcp_compat_model::peer::{MockRevisions, PeerKind};
use mcp_compat_model::{Era, Mode, PeerId, Revision};
use tokio::time::Instant;

use crate::client::policy::{Policy, Preference, Typing, Validation, Variant};
use crate::client::profiles::{self, ClientProfile};
use crate::client::quirk::ClientQuirk;
use crate::client::request_style::RequestStyle;

/// A mock client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSpec {
    pub id: PeerId,
    /// The revisions that it speaks, oldest first; never empty.
    pub revisions: Vec<Revision>,
    pub mode: Mode,
    /// Policy for reading results.
    pub policy: Policy,
    /// Limits of a list of tools. Then the list is an error; the tools so far stay known.
    pub longest_list: ListLimits,
    /// Time after which it begins no further step; its answer then has fewer steps than the job.
    pub until: Option<Instant>,
    /// Number of bytes that the results of a session may have together. Then it begins no further step either.
    pub most_bytes: usize,
    /// Its quirks; an honest client has none.
    pub deviations: Deviations<ClientQuirk>,
    pub style: RequestStyle,
}

/// Reason why a text is not the id of a mock client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("there is no mock client {id:?}{}; there are {}", suggestion(nearest.as_deref()), known.join(", "))]
    Unknown {
        id: String,
        /// The most similar name.
        nearest: Option<String>,
        /// The ids that exist.
        known: Vec<String>,
    },
    #[error("{id} speaks {} revisions only, so it cannot be +{mode}: leave the mode out", era.as_str())]
    Mode {
        /// The client, without its mode.
        id: String,
        mode: Mode,
        /// The only era that it speaks.
        era: Era,
    },
    #[error("{id} cannot be +{mode}: what it stands for has {}", if modes.len() > 1 { modes.join(", ") } else { "no modes".to_owned() })]
    ModeOfProfile { id: String, mode: Mode, modes: Vec<String> },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!(" (did you mean {nearest}?)")).unwrap_or_default()
}

/// The revisions of `dual`: all of them.
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
    /// Reads `mock/<revisions>[/<variant>][+mode]`, `sabotaged/<quirk>[+mode]` or `profile/<name>[+mode]`.
    ///
    /// `<revisions>` is `dual`, `modern` or one revision. `<variant>` is `structured`, `content`, `warn`, `skip`,
    /// `lenient` (any JSON value) or `strict` (objects only). Without a mode, a client of both eras is `auto`, and a
    /// profile does what its SDK does by default. The id is normalized: a mode is written if there is a choice.
    ///
    /// # Errors
    /// When there is no such client, or it cannot negotiate in that mode.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Self::of(&PeerId::new(text).map_err(|_| SpecError::unknown(text))?)
    }

    fn of(id: &PeerId) -> Result<Self, SpecError> {
        let unknown = || SpecError::unknown(id.as_str());
        match id.kind() {
            PeerKind::Mock { revisions, variants } => {
                let named = |name: &String| Variant::ALL.into_iter().find(|variant| variant.as_str() == name);
                let variant = match &variants[..] {
                    [] => None,
                    [name] => Some(named(name).ok_or_else(unknown)?),
                    [_, _, ..] => return Err(unknown()),
                };
                let revisions = revisions.all().ok_or_else(unknown)?;
                let mode = resolve_mode(id, &revisions)?;
                Ok(Self::new(revisions, variant, mode))
            }
            PeerKind::Sabotaged { quirk } => {
                let quirk = ClientQuirk::named(quirk).ok_or_else(unknown)?;
                Ok(Self::with_quirk(quirk, id.mode().unwrap_or(Mode::Auto)))
            }
            PeerKind::Profile { name } => Self::of_profile(profiles::client(name).ok_or_else(unknown)?, id.mode()),
            PeerKind::Release { .. } | PeerKind::Own { .. } => Err(unknown()),
        }
    }

    /// The honest client of one revision.
    pub fn mock_of(revision: Revision, variant: Option<Variant>) -> Self {
        let mode = match revision.era() {
            Era::Legacy => Mode::Legacy,
            Era::Modern => Mode::Modern,
        };
        Self::new(vec![revision], variant, mode)
    }

    fn new(revisions: Vec<Revision>, variant: Option<Variant>, mode: Mode) -> Self {
        let policy = Policy::of(&revisions);
        let policy = variant.map_or(policy, |variant| variant.apply(policy));
        let variants: Vec<&str> = variant.map(Variant::as_str).into_iter().collect();
        let id = match revisions.as_slice() {
            [revision] => PeerId::mock_of(*revision, &variants),
            _ => PeerId::mock(MockRevisions::Dual, &variants).with_mode(mode),
        };
        let longest_list = ListLimits::default();
        Self {
            id,
            revisions,
            mode,
            policy,
            longest_list,
            until: None,
            most_bytes: usize::MAX,
            deviations: Deviations::None,
            style: RequestStyle::default(),
        }
    }

    fn with_quirk(quirk: ClientQuirk, mode: Mode) -> Self {
        let id = PeerId::sabotaged(quirk.as_str());
        let id = if mode == Mode::Auto { id } else { id.with_mode(mode) };
        Self { id, deviations: Deviations::Sabotage(quirk), ..Self::new(DUAL.to_vec(), None, mode) }
    }

    fn of_profile(profile: &'static ClientProfile, mode: Option<Mode>) -> Result<Self, SpecError> {
        let id = profile.id();
        let mode = match (mode, profile.modes) {
            (Some(asked), modes) if !modes.contains(&asked) => {
                let modes = modes.iter().map(Mode::to_string).collect();
                return Err(SpecError::ModeOfProfile { id: id.to_string(), mode: asked, modes });
            }
            (asked, modes) => asked.or_else(|| modes.first().copied()).unwrap_or(Mode::Legacy),
        };
        Ok(Self {
            id: if profile.modes.len() > 1 { id.with_mode(mode) } else { id },
            policy: profile.policy,
            deviations: Deviations::Observed(profile.observed, None),
            ..Self::new(profile.revisions.to_vec(), None, mode)
        })
    }

    /// The clients that run by default. None is sabotaged.
    pub fn catalogue() -> Vec<Self> {
        CATALOGUE.into_iter().filter_map(|id| Self::parse(id).ok()).collect()
    }

    /// The sabotaged clients: one for each quirk that shows in memory, where there are no bodies of HTTP.
    pub fn sabotaged() -> Vec<Self> {
        let in_memory = ClientQuirk::ALL.into_iter().filter(|quirk| quirk.only_over() != Some(Carrier::Http));
        in_memory.map(|quirk| Self::with_quirk(quirk, Mode::Auto)).collect()
    }

    /// The profiles, in each mode that their SDKs have.
    pub fn profiles() -> Vec<Self> {
        let in_modes = |profile: &'static ClientProfile| {
            let modes = profile.modes.iter().copied();
            modes.filter_map(|mode| Self::of_profile(profile, Some(mode)).ok()).collect::<Vec<_>>()
        };
        profiles::clients().flat_map(in_modes).collect()
    }

    /// Describes the client in one line.
    pub fn about(&self) -> String {
        if let PeerKind::Profile { name } = self.id.kind()
            && let Some(profile) = profiles::client(name)
        {
            return profile.about();
        }
        let speaks = match (self.revisions.as_slice(), self.mode) {
            ([revision], _) => format!("speaks {revision} only"),
            (_, Mode::Auto) => "speaks both eras and probes for the modern one".to_owned(),
            (_, Mode::Legacy) => "speaks both eras but always opens with initialize".to_owned(),
            (_, Mode::Modern) => "speaks both eras but never opens with initialize".to_owned(),
        };
        if let Deviations::Sabotage(quirk) = self.deviations {
            return format!("{speaks}; sabotaged: {}", quirk.about());
        }
        if !self.revisions.iter().any(|revision| revision.has_structured_output()) {
            return format!("{speaks}; knows no structured output and reads content blocks");
        }
        let holds = match self.policy.typing {
            Typing::StrictObject => "reads objects only",
            Typing::Any => "reads any JSON value",
            Typing::AsSpoken => "reads what the revision spoken allows",
        };
        let validates = match self.policy.validation {
            Validation::Reject => "rejects what violates its schema",
            Validation::Warn => "returns what violates its schema, with a warning",
            Validation::Skip => "does not validate",
        };
        let hands_out = match self.policy.preference {
            Preference::Both => "",
            Preference::Structured => ", returns only structured content if there is any",
            Preference::Content => ", returns content blocks only",
        };
        format!("{speaks}; {holds}, {validates}{hands_out}")
    }

    /// The same client, negotiating in another way.
    ///
    /// # Errors
    /// When it speaks one era only, and `mode` needs another.
    pub fn with_mode(&self, mode: Mode) -> Result<Self, SpecError> {
        Self::of(&self.id.with_mode(mode))
    }

    pub(crate) fn over(&self, carrier: Carrier) -> Self {
        Self { deviations: self.deviations.over(carrier), ..self.clone() }
    }

    pub fn does(&self, quirk: ClientQuirk) -> bool {
        self.deviations.has(quirk)
    }

    /// Returns whether it reads structured output in this revision.
    pub(crate) fn reads_output(&self, revision: Revision) -> bool {
        revision.has_structured_output() || self.does(ClientQuirk::ReadsOutputEarly)
    }

    /// Returns whether nothing else runs while it validates: JavaScript has one thread, and nothing interrupts a computation there.
    pub(crate) fn has_one_thread(&self) -> bool {
        self.does(ClientQuirk::ReadsLikeAjv) || self.does(ClientQuirk::CompilesLikeAjv)
    }

    /// Returns whether it assumes a modern server in this mode: a profile if its user sets the revision, a sabotaged client always.
    pub(crate) fn assumes_modern(&self, mode: Mode) -> bool {
        let assumes = mode == Mode::Modern || matches!(self.deviations, Deviations::Sabotage(_));
        assumes && self.does(ClientQuirk::AssumesModern)
    }

    /// The newest revision of an era that it speaks.
    pub(crate) fn newest(&self, era: Era) -> Option<Revision> {
        self.revisions.iter().rev().copied().find(|revision| revision.era() == era)
    }

    /// Returns the treatment of a result that violates its schema, including quirks.
    pub(crate) fn validation(&self) -> Validation {
        if self.does(ClientQuirk::SkipsValidation) { Validation::Skip } else { self.policy.validation }
    }
}

impl SpecError {
    fn unknown(text: &str) -> Self {
        let entries = ClientSpec::catalogue().into_iter().chain(ClientSpec::profiles()).chain(ClientSpec::sabotaged());
        let known: Vec<String> = entries.map(|spec| spec.id.to_string()).collect();
        Self::Unknown { id: text.to_owned(), nearest: nearest(text, known.iter().cloned()), known }
    }
}

/// Returns the mode of a client of these revisions, if the id allows it.
fn resolve_mode(id: &PeerId, revisions: &[Revision]) -> Result<Mode, SpecError> {
    let speaks = |era| revisions.iter().any(|revision| revision.era() == era);
    let (only, era) = match (speaks(Era::Legacy), speaks(Era::Modern)) {
        (true, true) => return Ok(id.mode().unwrap_or(Mode::Auto)),
        (false, true) => (Mode::Modern, Era::Modern),
        (true, false) | (false, false) => (Mode::Legacy, Era::Legacy),
    };
    match id.mode() {
        Some(mode) if mode != only => Err(SpecError::Mode { id: id.name().to_owned(), mode, era }),
        Some(_) | None => Ok(only),
    }
}

/// Limits of a list of tools: beyond them a client asks for no further page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLimits {
    pub pages: usize,
    pub tools: usize,
    /// Number of bytes that its pages may have together.
    pub bytes: usize,
    /// True if a list ends at a page that was read before.
    pub ends_at_repeated_page: bool,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 1_000, tools: 100_000, bytes: 256 << 20, ends_at_repeated_page: false }
    }
}

impl ListLimits {
    /// Names the limit that a list of so many pages, tools and bytes reaches.
    pub fn reached(&self, pages: usize, tools: usize, bytes: usize) -> Option<String> {
        const MEGABYTE: usize = 1 << 20;
        match self {
            _ if tools >= self.tools => Some(format!("{tools} tools")),
            _ if pages >= self.pages => Some(format!("{pages} pages")),
            _ if bytes >= self.bytes => Some(format!("{} MB", bytes / MEGABYTE)),
            _ => None,
        }
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
            assert_eq!(spec.id.is_mock(), spec.deviations == Deviations::None);
            assert!(spec.about().starts_with("speaks "), "{}", spec.about());
        }
        let over_http = ClientQuirk::ALL.into_iter().filter(|quirk| quirk.only_over() == Some(Carrier::Http)).count();
        assert_eq!(ClientSpec::sabotaged().len(), ClientQuirk::ALL.len() - over_http);
        for spec in ClientSpec::profiles() {
            assert_eq!(ClientSpec::parse(spec.id.as_str()), Ok(spec.clone()));
            assert!(spec.id.is_built_in() && !spec.id.is_mock() && spec.about().starts_with("emulates "));
        }
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
            error @ (SpecError::Mode { .. } | SpecError::ModeOfProfile { .. }) => unreachable!("{error}"),
        };
        assert_eq!(nearest("mock/daul+auto").as_deref(), Some("mock/dual+auto"));
        assert_eq!(nearest("sabotaged/round-numbers").as_deref(), Some("sabotaged/rounds-numbers"));
        assert_eq!(nearest("mock/dual/warm+auto").as_deref(), Some("mock/dual/warn+auto"));
        assert_eq!(nearest("profile/rmpc@3+auto").as_deref(), Some("profile/rmcp@3+auto"));
        assert_eq!(nearest("zzz"), None);
    }

    #[test]
    fn a_profile_negotiates_as_its_sdk_does_unless_the_id_has_a_mode() {
        let spec = ClientSpec::parse("profile/rmcp@3").unwrap();
        assert_eq!((spec.id.as_str(), spec.mode), ("profile/rmcp@3+legacy", Mode::Legacy));
        assert_eq!(spec.with_mode(Mode::Modern).unwrap().id.as_str(), "profile/rmcp@3+modern");
    }

    #[test]
    fn the_first_limit_that_is_reached_is_named() {
        let limits = ListLimits { pages: 3, tools: 10, bytes: 2 << 20, ends_at_repeated_page: false };
        let reached = |pages, tools, bytes| limits.reached(pages, tools, bytes);
        assert_eq!(reached(2, 9, (2 << 20) - 1), None);
        assert_eq!(reached(2, 12, 0).as_deref(), Some("12 tools"));
        assert_eq!(reached(3, 0, 0).as_deref(), Some("3 pages"));
        assert_eq!(reached(1, 1, 2 << 20).as_deref(), Some("2 MB"));
    }
}
