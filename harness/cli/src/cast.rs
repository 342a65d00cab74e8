//! Who can take part in a run: the mocks, and the real peers as far as they can be set up.
//!
//! Manifests are all read before anything is built. Only peers that are selected are set up; one that cannot be is
//! noted, and the others play without it. A peer that takes no part is still known: a baseline may speak of it.

use std::path::{Path, PathBuf};

use anstream::eprintln;
use anyhow::{Context as _, bail};
use mcp_compat::glob::Glob;
use mcp_compat::install::{InstallError, Installation, Progress, kept_folder};
use mcp_compat::{Fleet, Peer, PeerError, Stop, fleet};
use mcp_compat_model::Role;

use crate::progress::Spinner;

/// Who takes part.
#[derive(Debug)]
pub(crate) struct Cast {
    /// Those who can play.
    pub(crate) fleet: Fleet,
    /// These, and those that are left out or could not be set up.
    pub(crate) known: Fleet,
    /// Why some could not be set up.
    pub(crate) missing: Vec<InstallError>,
    /// Globs over clients.
    pub(crate) clients: Vec<String>,
    /// Globs over servers.
    pub(crate) servers: Vec<String>,
    /// Whether each side that was asked for has somebody left.
    pub(crate) complete: bool,
}

/// Who is asked for, and where to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// Only these clients, as globs or manifests.
    pub(crate) client: &'a [String],
    /// Only these servers, as globs or manifests.
    pub(crate) server: &'a [String],
    /// The folder of the real peers.
    pub(crate) peers: Option<&'a Path>,
    /// Whether to do without those.
    pub(crate) no_peers: bool,
    /// Whom to set up.
    pub(crate) set_up: SetUp,
}

/// Whom to set up, where that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetUp {
    /// Whoever plays: all of those that nobody left out.
    WhoeverPlays,
    /// Only who is asked for; of the others those take part that are ready.
    WhoeverIsNamed,
}

/// The real peers of a folder, given or found; none where there is no folder.
pub(crate) fn installations(folder: Option<&Path>) -> anyhow::Result<Option<Vec<Installation>>> {
    let found = match folder {
        Some(folder) => Some(folder.to_owned()),
        None => fleet::find_peers_folder(&std::env::current_dir().context("finding the current folder")?),
    };
    let Some(found) = found else { return Ok(None) };
    let installations = fleet::installations(&found, &kept_folder())?;
    if installations.is_empty() {
        let found = found.display();
        bail!("the folder {found} holds no peer: expected {found}/<language>/<peer>/peer.toml");
    }
    Ok(Some(installations))
}

impl Cast {
    /// Gathers those that the arguments select, setting up what is due.
    ///
    /// # Errors
    /// When a manifest cannot be used. A set-up that fails, or that `stop` ends, is noted.
    pub(crate) async fn gather(args: &Wanted<'_>, mut stop: Stop) -> anyhow::Result<Self> {
        let (mut named, mut clients, mut servers) = (Vec::new(), Vec::new(), Vec::new());
        select(args.client, Role::Client, &mut named, &mut clients)?;
        select(args.server, Role::Server, &mut named, &mut servers)?;
        let mut fleet = mocks(&clients, &servers);
        let more = variants(&mut clients, &fleet.clients, &Peer::mock_client);
        fleet.extend(more);
        let more = variants(&mut servers, &fleet.servers, &Peer::mock_server);
        fleet.extend(more);
        let mut cast = Self { known: fleet.clone(), fleet, missing: Vec::new(), clients, servers, complete: true };
        let around = match installations(args.peers)? {
            Some(around) => around,
            None => {
                if !args.no_peers {
                    eprintln!("no folder `peers` here or above: playing the mocks alone (--peers names one)");
                }
                Vec::new()
            }
        };
        for installation in &named {
            cast.take(installation, &mut stop).await;
        }
        // Whoever names a manifest means that one, not another of the same id.
        let another = |around: &&Installation| named.iter().all(|named| named.manifest.id != around.manifest.id);
        for installation in around.iter().filter(another) {
            let named = || Peer::from_installation(installation).iter().any(|peer| cast.names(peer));
            let waits = args.set_up == SetUp::WhoeverIsNamed && !named() && !installation.is_ready().unwrap_or(false);
            if args.no_peers || waits {
                cast.known.extend(Peer::from_installation(installation));
            } else {
                cast.take(installation, &mut stop).await;
            }
        }
        cast.complete = drop_missing(&mut cast.clients, &cast.fleet.clients, &cast.known.clients)
            & drop_missing(&mut cast.servers, &cast.fleet.servers, &cast.known.servers);
        Ok(cast)
    }

    /// Takes in the peers of an installation, set up if they are selected.
    async fn take(&mut self, installation: &Installation, stop: &mut Stop) {
        let peers = Peer::from_installation(installation);
        self.known.extend(peers.clone());
        if !peers.iter().any(|peer| self.selects(peer)) {
            self.fleet.extend(peers);
            return;
        }
        let outcome = tokio::select! {
            outcome = install(installation) => outcome,
            Ok(_) = stop.wait_for(|stop| *stop) => return,
        };
        match outcome {
            Ok(()) => self.fleet.extend(peers),
            Err(error) => self.missing.push(error),
        }
    }

    /// Whether a peer may play: somebody asked for it, or for nobody on its side.
    fn selects(&self, peer: &Peer) -> bool {
        self.asked(peer).is_empty() || self.names(peer)
    }

    /// Whether somebody asked for a peer.
    fn names(&self, peer: &Peer) -> bool {
        self.asked(peer).iter().any(|glob| matches(glob, peer))
    }

    /// Who is asked for on a peer's side.
    fn asked(&self, peer: &Peer) -> &[String] {
        match peer.record().role {
            Role::Client => &self.clients,
            Role::Server => &self.servers,
        }
    }
}

/// The honest mocks, and the profiles and the sabotaged ones on a side where a pattern is about them.
fn mocks(clients: &[String], servers: &[String]) -> Fleet {
    let mut fleet = Fleet::mocks();
    for (kind, more) in [("profile/", Fleet::profiles()), ("sabotaged/", Fleet::sabotaged())] {
        let named = |globs: &[String]| globs.iter().any(|glob| glob.starts_with(kind));
        fleet.extend(more.clients.into_iter().filter(|_| named(clients)));
        fleet.extend(more.servers.into_iter().filter(|_| named(servers)));
    }
    fleet
}

/// The mocks that are asked for by their exact ids, but are not among those that play by default. Each name becomes the
/// id as lists have it.
fn variants(names: &mut [String], playing: &[Peer], mock: &dyn Fn(&str) -> Result<Peer, PeerError>) -> Vec<Peer> {
    let mut found: Vec<Peer> = Vec::new();
    for name in names {
        let plays = playing.iter().any(|peer| matches(name, peer));
        let is_mock = ["mock/", "profile/", "sabotaged/"].iter().any(|kind| name.starts_with(kind));
        if plays || !is_mock {
            continue;
        }
        let Ok(peer) = mock(name) else { continue };
        *name = peer.id().to_string();
        if !playing.iter().chain(&found).any(|other| other.id() == peer.id()) {
            found.push(peer);
        }
    }
    found
}

/// Reads the manifests among the selected, and puts the ids of their peers in their place.
fn select(
    selected: &[String],
    role: Role,
    named: &mut Vec<Installation>,
    globs: &mut Vec<String>,
) -> anyhow::Result<()> {
    for name in selected {
        if !name.ends_with(".toml") {
            globs.push(name.clone());
            continue;
        }
        let installation = Installation::of_manifest(&PathBuf::from(name), &kept_folder())?;
        let id = &installation.manifest.id;
        if id.is_ours() {
            bail!(
                "{name} describes {id}, but ids that begin with `mock/`, `profile/` or `sabotaged/` are those of the \
                 mocks: choose another"
            );
        }
        let peers = Peer::from_installation(&installation);
        let ids: Vec<_> =
            peers.iter().filter(|peer| peer.record().role == role).map(|peer| peer.id().to_string()).collect();
        if ids.is_empty() {
            bail!("{name} has no [{role}], so {id} cannot be played with --{role}");
        }
        globs.extend(ids);
        match named.iter().find(|other| other.manifest.id == *id) {
            None => named.push(installation),
            Some(other) if other.folder == installation.folder => {}
            Some(other) => {
                let (one, two) = (other.folder.display(), installation.folder.display());
                bail!("the manifests in {one} and {two} both describe {id}: give one of them another id");
            }
        }
    }
    Ok(())
}

/// The roles that a peer may have: those of a manifest, or, where only an id is known, both.
///
/// # Errors
/// When the manifest cannot be used.
pub(crate) fn roles(name: &str) -> anyhow::Result<Vec<Role>> {
    if !name.ends_with(".toml") {
        return Ok(vec![Role::Client, Role::Server]);
    }
    let installation = Installation::of_manifest(&PathBuf::from(name), &kept_folder())?;
    let mut roles: Vec<_> = Peer::from_installation(&installation).iter().map(|peer| peer.record().role).collect();
    roles.dedup();
    Ok(roles)
}

/// Drops the patterns that fit only peers which are known but cannot play; tells whether anybody is left.
fn drop_missing(globs: &mut Vec<String>, playing: &[Peer], known: &[Peer]) -> bool {
    if globs.is_empty() {
        return true;
    }
    let fits = |glob: &str, peers: &[Peer]| peers.iter().any(|peer| matches(glob, peer));
    globs.retain(|glob| fits(glob, playing) || !fits(glob, known));
    !globs.is_empty()
}

/// Whether a pattern selects a peer; one that cannot be read selects none, and is told later.
pub(crate) fn matches(glob: &str, peer: &Peer) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.matches(peer.id().as_str()))
}

async fn install(installation: &Installation) -> Result<(), InstallError> {
    let id = &installation.manifest.id;
    let mut spinner = None;
    let outcome = installation
        .install(|step| match step {
            Progress::Started => spinner = Some(Spinner::start(&format!("setting up {id} (once; it is kept)"))),
            Progress::Line(line) => {
                if let Some(spinner) = &spinner {
                    spinner.line(&line);
                }
            }
            Progress::Done => {}
        })
        .await;
    drop(spinner);
    if outcome.is_err() {
        eprintln!("setting up {id} failed: it is not played");
    }
    outcome
}
