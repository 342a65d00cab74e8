//! What is asked for, looked at and found usable before anything is installed or played.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use mcp_compat_fleet::bisect::Variant;
use mcp_compat_fleet::{Installation, PeersFolder};
use mcp_compat_model::peer::{BuiltIn, ReleaseText};
use mcp_compat_model::{PeerId, Role, Transport};
use mcp_compat_run::glob::{Glob, nothing, select};
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_scenario::Scenario;

use super::{BisectArgs, End};
use crate::inputs::{corpus, peers_folder};
use crate::values::transports;

/// With whom the releases play.
#[derive(Clone, Debug)]
pub(super) struct Counterpart {
    pub(super) peer: Peer,
    /// What has to be installed for it; nothing for a mock.
    pub(super) release: Option<Installation>,
}

#[derive(Debug)]
pub(super) struct Asked {
    pub(super) scenario: Arc<Scenario>,
    pub(super) folder: PeersFolder,
    /// What the family is called.
    pub(super) name: String,
    /// As whom its releases play, in a mode where one of the ends names one.
    pub(super) variant: Variant,
    pub(super) good: Variant,
    pub(super) bad: Variant,
    /// How wide the ids of its releases are, without their versions.
    pub(super) beside: usize,
    pub(super) counterpart: Counterpart,
    pub(super) transport: Transport,
}

impl Asked {
    /// Reads what was typed.
    pub(super) fn read(args: &BisectArgs, folder: Option<&Path>) -> Result<Self> {
        let scenario = Arc::new(one_scenario(&args.scenario)?);
        let folder = peers_folder::need(folder)?;
        let (role, family) = match (&args.client, &args.server) {
            (Some(family), _) => (Role::Client, family),
            (None, Some(family)) => (Role::Server, family),
            (None, None) => bail!("name the family whose releases are tried, with --client or --server"),
        };
        let ReleaseText { family: name, flavour, .. } = ReleaseText::read(family);
        let flavour = flavour.map(str::to_owned);
        if !folder.names().contains(&name) {
            return Err(nothing("SDK", name, folder.names().into_iter()).into());
        }
        let variant = Variant { role, flavour, mode: args.good.mode.or(args.bad.mode) };
        let counterpart = counterpart(&folder, args.against.as_deref(), role)?;
        let mut peers = vec![counterpart.peer.clone()];
        let mut end = |end: &End| -> Result<Variant> {
            let release = folder.release(&format!("{name}@{}", end.version))?;
            let variant = Variant { mode: end.mode.or(variant.mode), ..variant.clone() };
            let peer = variant.peer_of(&release)?;
            if let Some(mode) = end.mode.filter(|mode| peer.record().mode != Some(*mode)) {
                bail!("{} cannot choose how to negotiate: leave out +{mode}", release.id());
            }
            peers.push(peer);
            Ok(variant)
        };
        let (good, bad) = (end(&args.good)?, end(&args.bad)?);
        let transport = common_transport(&peers, args.transport.as_deref())?;
        let beside =
            |peer: &Peer| peer.id().as_str().len() - peer.id().version().map_or(0, |version| version.as_str().len());
        let beside = peers.iter().skip(1).map(beside).max().unwrap_or_default();
        let name = name.to_owned();
        Ok(Self { scenario, name, variant, good, bad, beside, counterpart, transport, folder })
    }
}

/// The one scenario that is meant.
fn one_scenario(name: &str) -> Result<Scenario> {
    if !Glob::is_pattern(name) || corpus::scenario_file(name).is_some() {
        return corpus::find(name);
    }
    let corpus = corpus::load(&[])?;
    let found = select("scenario", &[name.to_owned()], &corpus, |scenario| scenario.id.as_str())?;
    match found[..] {
        [only] => Ok(Scenario::clone(only)),
        [first, second, ..] => {
            let (all, first, second) = (found.len(), &first.id, &second.id);
            bail!("{name:?} matches {all} scenarios, {first} and {second} among them: name one of them")
        }
        [] => Err(anyhow!("{name:?} matches no scenario")),
    }
}

/// The reference peer that plays with all of them.
fn counterpart(folder: &PeersFolder, named: Option<&str>, releases: Role) -> Result<Counterpart> {
    let Some(named) = named else {
        let role = if releases == Role::Client { Role::Server } else { Role::Client };
        let peer = PeerSet::references().of_role(role).into_iter().max_by_key(|peer| peer.offered().count());
        return Ok(Counterpart { peer: peer.context("there is no reference mock")?, release: None });
    };
    if matches!(BuiltIn::of(named), Some(BuiltIn::Mock | BuiltIn::Sabotaged)) {
        let peer = match releases {
            Role::Client => Peer::from(ServerPeer::mock(named)?),
            Role::Server => Peer::from(ClientPeer::mock(named)?),
        };
        return Ok(Counterpart { peer, release: None });
    }
    let role = if releases == Role::Client { Role::Server } else { Role::Client };
    if peers_folder::is_manifest(named) {
        let release = peers_folder::installation(named)?;
        let peer = Variant { role, flavour: None, mode: None }.peer_of(&release)?;
        return Ok(Counterpart { peer, release: Some(release) });
    }
    let (release, id) = (folder.release(named)?, PeerId::new(named)?);
    let flavour = id.flavour().map(str::to_owned);
    let peer = Variant { role, flavour, mode: id.mode() }.peer_of(&release)?;
    if id.mode() != peer.record().mode && named.contains('+') {
        bail!("there is no {role} {named}; did you mean {}?", peer.id());
    }
    Ok(Counterpart { peer, release: Some(release) })
}

/// The quickest transport that all have, or the one that is asked for.
fn common_transport(peers: &[Peer], wanted: Option<&str>) -> Result<Transport> {
    let have = |transport: &Transport| peers.iter().all(|peer| peer.transports().contains(transport));
    let names = || peers.iter().map(|peer| peer.id().as_str()).collect::<Vec<_>>().join(", ");
    let wanted = transports(wanted.map(str::to_owned).as_slice());
    let asked = |transport: &&Transport| wanted.is_empty() || wanted.contains(transport);
    let first = peers.first().map(Peer::transports).unwrap_or_default();
    let found = first.iter().filter(asked).find(|transport| have(transport));
    found.copied().with_context(|| match wanted.first() {
        Some(wanted) => format!("not all of {} support {wanted}: name another transport", names()),
        None => format!("{} have no transport in common", names()),
    })
}
