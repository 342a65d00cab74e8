//! Specification of a mock server: its revisions, its downgrade, how it answers over HTTP, and its quirks.
//!
//! ```text
//! mock/<revisions>[/<downgrade>][/sse]     mock/dual  mock/2025-11-25/wrap  mock/dual/sse
//! sabotaged/<quirk>                      sabotaged/drops-value
//! profile/<sdk>@<release line>           profile/rmcp@3
//! ```

use crate::wire::deviations::{Deviations, nearest};
use mcp_compat_model::peer::{MockRevisions, PeerKind};
use mcp_compat_model::{Era, PeerId, Revision};

use crate::server::downgrade::Downgrade;
use crate::server::profiles::{self, ResponseFormat, ServerProfile};
use crate::server::quirk::ServerQuirk;

/// A mock server, described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    pub id: PeerId,
    /// The revisions that it speaks, oldest first; never empty.
    pub revisions: Vec<Revision>,
    /// Downgrade for clients whose revision is older than its results.
    pub downgrade: Downgrade,
    /// Format of its responses over HTTP.
    pub response_format: ResponseFormat,
    /// Its quirks; an honest server has none.
    pub deviations: Deviations<ServerQuirk>,
}

/// The variant that answers with event streams.
const SSE: &str = "sse";

/// The revisions of `dual`: all of them.
const DUAL: [Revision; 5] = Revision::ALL;

/// The default fleet. The order is that of lists.
const CATALOGUE: [&str; 9] = [
    "mock/dual",
    "mock/dual/omit",
    "mock/dual/wrap",
    "mock/dual/text-only",
    "mock/dual/sse",
    "mock/2026-07-28",
    "mock/2025-11-25",
    "mock/2025-06-18",
    "mock/2025-03-26",
];

impl ServerSpec {
    /// Reads a mock server's id. `mock/modern` is another name of `mock/2026-07-28`.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn parse(id: &str) -> Result<Self, UnknownServer> {
        PeerId::new(id).ok().and_then(|id| Self::of(&id)).ok_or_else(|| UnknownServer::new(id))
    }

    fn of(id: &PeerId) -> Option<Self> {
        if id.mode().is_some() {
            return None;
        }
        match id.kind() {
            PeerKind::Mock { revisions, variants } => Self::honest(revisions.all()?, variants),
            PeerKind::Sabotaged { quirk } => ServerQuirk::named(quirk).map(Self::with_quirk),
            PeerKind::Profile { name } => profiles::server(name).map(Self::of_profile),
            PeerKind::Release { .. } | PeerKind::Own { .. } => None,
        }
    }

    fn honest(revisions: Vec<Revision>, variants: &[String]) -> Option<Self> {
        let mut variants = variants.iter().map(String::as_str).peekable();
        let written = Downgrade::ALL.into_iter().find(|downgrade| Some(downgrade.as_str()) == variants.peek().copied());
        if written.is_some() {
            variants.next();
        }
        let response_format = match variants.next() {
            None => ResponseFormat::Json,
            Some(SSE) => ResponseFormat::Sse,
            Some(_) => return None,
        };
        let downgrade = written.unwrap_or(Downgrade::Naive);
        variants.next().is_none().then(|| Self::new(revisions, downgrade, response_format))
    }

    /// The honest server that speaks both eras.
    pub fn dual(downgrade: Downgrade) -> Self {
        Self::new(DUAL.to_vec(), downgrade, ResponseFormat::Json)
    }

    fn new(revisions: Vec<Revision>, downgrade: Downgrade, response_format: ResponseFormat) -> Self {
        let downgrade_part = (downgrade != Downgrade::Naive).then(|| downgrade.as_str());
        let format_part = (response_format == ResponseFormat::Sse).then_some(SSE);
        let variants: Vec<&str> = downgrade_part.into_iter().chain(format_part).collect();
        let id = match revisions.as_slice() {
            [revision] => PeerId::mock_of(*revision, &variants),
            _ => PeerId::mock(MockRevisions::Dual, &variants),
        };
        Self { id, revisions, downgrade, response_format, deviations: Deviations::None }
    }

    fn with_quirk(quirk: ServerQuirk) -> Self {
        let id = PeerId::sabotaged(quirk.as_str());
        Self { id, deviations: Deviations::Sabotage(quirk), ..Self::dual(Downgrade::Naive) }
    }

    fn of_profile(profile: &'static ServerProfile) -> Self {
        Self {
            id: profile.id(),
            revisions: profile.revisions.to_vec(),
            downgrade: profile.downgrade,
            response_format: profile.response_format,
            deviations: Deviations::Observed(profile.observed, None),
        }
    }

    /// The servers of the default fleet.
    pub fn catalogue() -> Vec<Self> {
        CATALOGUE.into_iter().filter_map(|id| Self::parse(id).ok()).collect()
    }

    /// The sabotaged servers, one for each quirk.
    pub fn sabotaged() -> Vec<Self> {
        ServerQuirk::ALL.into_iter().map(Self::with_quirk).collect()
    }

    pub fn profiles() -> Vec<Self> {
        profiles::servers().map(Self::of_profile).collect()
    }

    /// Describes the server in one line.
    pub fn about(&self) -> String {
        if let PeerKind::Profile { name } = self.id.kind()
            && let Some(profile) = profiles::server(name)
        {
            return profile.about();
        }
        let speaks = match self.revisions.as_slice() {
            [revision] => format!("speaks {revision} only"),
            _ => "speaks both eras".to_owned(),
        };
        let answers = match self.response_format {
            ResponseFormat::Json => "",
            ResponseFormat::Sse => ", answers over HTTP as an event stream",
        };
        match self.deviations {
            Deviations::Sabotage(quirk) => format!("{speaks}; sabotaged: {}", quirk.about()),
            Deviations::None | Deviations::Observed(..) => format!("{speaks}; {}{answers}", self.downgrade.about()),
        }
    }

    /// The newest revision of an era that the server speaks.
    pub fn newest(&self, era: Era) -> Option<Revision> {
        self.revisions.iter().copied().filter(|revision| revision.era() == era).max()
    }

    pub(crate) fn has(&self, quirk: ServerQuirk) -> bool {
        self.deviations.has(quirk)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{id:?} is not a mock server{}: there are mock/<revision> and mock/dual, each with an optional /omit, /wrap or \
     /text-only and an optional /sse; {}; and sabotaged/<quirk> with one of {}",
    nearest.as_ref().map(|nearest| format!(", did you mean {nearest:?}?")).unwrap_or_default(),
    ServerSpec::profiles().iter().map(|profile| profile.id.to_string()).collect::<Vec<_>>().join(", "),
    ServerQuirk::ALL.map(ServerQuirk::as_str).join(", ")
)]
pub struct UnknownServer {
    pub id: String,
    /// The most similar id, if one is similar.
    pub nearest: Option<String>,
}

impl UnknownServer {
    fn new(id: &str) -> Self {
        let known = ServerSpec::catalogue().into_iter().chain(ServerSpec::profiles()).chain(ServerSpec::sabotaged());
        Self { id: id.to_owned(), nearest: nearest(id, known.map(|spec| spec.id.to_string())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_of_the_catalogue_reads_back() {
        let ids: Vec<_> = ServerSpec::catalogue().iter().map(|spec| spec.id.to_string()).collect();
        assert_eq!(ids, CATALOGUE);
        for spec in ServerSpec::catalogue().into_iter().chain(ServerSpec::sabotaged()) {
            assert_eq!(ServerSpec::parse(spec.id.as_str()), Ok(spec.clone()));
            assert_eq!(spec.id.is_mock(), spec.deviations == Deviations::None);
            assert!(spec.about().starts_with("speaks "), "{}", spec.about());
        }
        assert_eq!(ServerSpec::sabotaged().len(), ServerQuirk::ALL.len());
        for spec in ServerSpec::profiles() {
            assert_eq!(ServerSpec::parse(spec.id.as_str()), Ok(spec.clone()));
            assert!(spec.id.is_built_in() && !spec.id.is_mock() && spec.about().starts_with("emulates "));
        }
    }

    #[test]
    fn conduct_and_form_of_answer_go_together_with_any_revision() {
        let spec = ServerSpec::parse("mock/2025-11-25/wrap/sse").unwrap();
        assert_eq!((spec.downgrade, spec.response_format), (Downgrade::Wrap, ResponseFormat::Sse));
        assert_eq!(ServerSpec::parse("mock/modern").unwrap().id.as_str(), "mock/2026-07-28");
        assert_eq!(ServerSpec::parse("mock/dual/naive").unwrap().id.as_str(), "mock/dual");
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        for id in ["", "dual", "mock/", "mock/2025-13-01", "mock/dual/sse/wrap", "mock/dual/omit/wrap", "sabotaged/"] {
            assert!(ServerSpec::parse(id).is_err(), "{id:?}");
        }
        let message = ServerSpec::parse("sabotaged/drop-value").unwrap_err().to_string();
        assert!(message.contains(r#"did you mean "sabotaged/drops-value"?"#), "{message}");
        assert!(message.contains("mock/dual") && message.contains("wraps-always"), "{message}");
        assert_eq!(ServerSpec::parse("zebra").unwrap_err().nearest, None);
    }
}
