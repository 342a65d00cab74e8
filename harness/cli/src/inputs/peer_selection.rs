//! Selects the peers of a run: the mocks, and the real peers that are installed or that the run may install.
//!
//! ```text
//! patterns, manifests, the folder of peers ── resolve ──> PeerSelection: peers that play, known peers, failed installations
//! ```
//!
//! All manifests are read before anything is built. A named peer that is not installed is an error, with the command
//! that installs it. A peer that cannot be installed is noted, and the others play without it. Peers that do not play
//! are kept as known, because a baseline may name them.

use std::path::Path;

use anyhow::bail;
use mcp_compat_fleet::{InstallError, Installation, Member, PeersFolder};
use mcp_compat_model::peer::{BuiltIn, Mode};
use mcp_compat_model::{PeerId, Role};
use mcp_compat_run::glob::Glob;
use mcp_compat_run::peer::{ClientPeer, Peer, PeerError, PeerInfo, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use tokio_util::sync::CancellationToken;

use crate::inputs::not_installed::NotInstalled;
use crate::inputs::peer_pattern::matches;
use crate::inputs::peers_folder::{self, Unusable};
use crate::inputs::recordings;
use crate::install_progress::InstallProgress;

#[derive(Debug)]
pub struct PeerSelection {
    /// The peers that can play.
    pub peers: PeerSet,
    /// The peers that can play, and those that are skipped or could not be installed.
    pub known: PeerSet,
    /// Errors of the peers that could not be installed.
    pub missing: Vec<InstallError>,
    pub clients: Vec<String>,
    pub servers: Vec<String>,
    /// True if each side has a peer that can play.
    pub complete: bool,
}

/// The peers that the arguments name.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Only these clients, as globs or manifests.
    pub client: &'a [String],
    /// A client that is only a command.
    pub command: Option<&'a ClientPeer>,
    /// Only these servers, as globs or manifests.
    pub server: &'a [String],
    pub peers: Option<&'a Path>,
    /// True if the real peers are skipped.
    pub no_peers: bool,
    /// True if every release of the fleet that is installed plays, and not only those that every run plays.
    pub fleet: bool,
    /// True if a baseline of the user may name peers that do not play.
    pub has_baseline: bool,
    pub built_in: BuiltInPeers,
    pub install: Install,
}

/// Mocks and profiles that play without being named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltInPeers {
    /// The honest mocks.
    Mocks,
    /// The profiles of SDKs with a reference client and server of each era, and no client that is pinned to the modern
    /// era. If a peer is named: the honest mocks.
    Profiles,
    /// The honest mocks and the profiles. If a peer is named: the honest mocks.
    All,
}

/// Selection of the peers to install if they are not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// Installs all peers that play.
    AllSelected,
    /// Installs only the peers that are named. Other peers play if they are installed.
    OnlyNamed,
}

/// Participation of a release in the folder of peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Participation {
    /// It is installed if needed, and plays.
    Install,
    Plays,
    /// It is installed, and plays in the roles in which it is named.
    PlaysAsNamed,
    /// It would play, but is not installed.
    NotInstalled,
    /// It does not play.
    Ignored,
}

impl PeerSelection {
    /// Selects the peers that the arguments name, and installs them if needed.
    ///
    /// # Errors
    /// If a manifest cannot be used. A failed or cancelled installation is only noted.
    pub async fn resolve(
        args: &Wanted<'_>,
        stop: &CancellationToken,
        progress: &InstallProgress,
    ) -> anyhow::Result<Self> {
        let (mut named, mut clients, mut servers) = (Vec::new(), Vec::new(), Vec::new());
        select(args.client, Role::Client, &mut named, &mut clients)?;
        select(args.server, Role::Server, &mut named, &mut servers)?;
        let is_named = args.command.is_some() || !clients.is_empty() || !servers.is_empty();
        let built_in = if is_named { BuiltInPeers::Mocks } else { args.built_in };
        let mut fleet = built_in_peers(built_in, &clients, &servers);
        let more = variants(&mut clients, &fleet.clients, &ClientPeer::mock);
        fleet.extend(more);
        let more = variants(&mut servers, &fleet.servers, &ServerPeer::mock);
        fleet.extend(more);
        if let Some(command) = args.command {
            clients.push(command.id().to_string());
            fleet.extend([command.clone()]);
        }
        let mut selection =
            Self { known: fleet.clone(), peers: fleet, missing: Vec::new(), clients, servers, complete: true };
        let folder = found(args, progress)?;
        if folder.is_none() && !args.no_peers {
            selection.refuse_missing(&named)?;
        }
        let mut around = Vec::new();
        if let Some(folder) = &folder {
            selection.add_recordings(folder, args, &named, progress);
            // A manifest that is named takes precedence over a release with the same id.
            let is_another = |found: &Installation| named.iter().all(|named| named.id() != found.id());
            around = selection.around(folder, args);
            around.retain(|(installation, _)| is_another(installation));
            if !args.no_peers {
                selection.report_not_installed(folder, &named, &around, progress)?;
            }
        }
        for installation in &named {
            selection.add(installation, stop, progress).await;
        }
        for (installation, part) in &around {
            match part {
                Participation::Install => selection.add(installation, stop, progress).await,
                Participation::Plays => {
                    selection.known.extend(installation.peers());
                    selection.peers.extend(installation.peers());
                }
                Participation::PlaysAsNamed => {
                    selection.known.extend(installation.peers());
                    let named: Vec<Peer> =
                        installation.peers().into_iter().filter(|peer| selection.names(peer)).collect();
                    selection.peers.extend(named);
                }
                Participation::NotInstalled | Participation::Ignored => selection.known.extend(installation.peers()),
            }
        }
        if built_in != BuiltInPeers::Mocks {
            selection.prefer_releases();
        }
        if built_in == BuiltInPeers::Profiles && !args.fleet {
            selection.peers.clients.retain(|client| client.id().mode() != Some(Mode::Modern));
        }
        selection.complete = drop_missing(&mut selection.clients, &selection.peers.clients, &selection.known.clients)
            & drop_missing(&mut selection.servers, &selection.peers.servers, &selection.known.servers);
        if args.no_peers && named.is_empty() && !selection.complete {
            bail!("--no-peers leaves out real SDKs, and the patterns select nothing else: leave out --no-peers");
        }
        Ok(selection)
    }

    /// Removes the profiles of release lines of which a release plays.
    fn prefer_releases(&mut self) {
        let playing: Vec<_> = self.peers.infos().map(|peer| (peer.record().role, peer.id().clone())).collect();
        let is_stand_in = |role: Role, id: &PeerId| {
            playing.iter().any(|(other, release)| *other == role && id.is_profile_of(release))
        };
        self.peers.clients.retain(|peer| !is_stand_in(Role::Client, peer.id()));
        self.peers.servers.retain(|peer| !is_stand_in(Role::Server, peer.id()));
    }

    /// Refuses the name of a real peer, because none was ever installed.
    fn refuse_missing(&self, named: &[Installation]) -> anyhow::Result<()> {
        let names_one = |glob: &&String| glob.contains('@') && !Glob::is_pattern(glob);
        let of_a_manifest = |glob: &str| named.iter().flat_map(Installation::peers).any(|peer| matches(glob, &peer));
        let is_there = |glob: &str| self.is_known(glob) || of_a_manifest(glob);
        match self.clients.iter().chain(&self.servers).filter(names_one).find(|id| !is_there(id)) {
            Some(id) => bail!("{id} is not installed. Install it with `mcp-compat peers install {id}`"),
            None => Ok(()),
        }
    }

    /// Returns whether a pattern matches a known peer.
    fn is_known(&self, glob: &str) -> bool {
        self.known.clients.iter().any(|peer| matches(glob, peer))
            || self.known.servers.iter().any(|peer| matches(glob, peer))
    }

    /// Decides on each release in the folder: those of the fleet, and others that are named.
    fn around(&self, folder: &PeersFolder, args: &Wanted<'_>) -> Vec<(Installation, Participation)> {
        let there = |installation: &Installation| installation.is_ready().unwrap_or(false);
        // Outside of a checkout, a run does not build anything: only installed releases play.
        let installs = !folder.cache().is_shared();
        let of_the_fleet = folder.fleet().iter().map(|Member { installation, at_run, .. }| {
            let waits = args.install == Install::OnlyNamed && !self.names_any(installation);
            let part = match (args.no_peers, at_run) {
                (true, _) => Participation::Ignored,
                (false, _) if !installs && there(installation) => Participation::Plays,
                (false, true) if !installs => Participation::NotInstalled,
                (false, true) if !waits => Participation::Install,
                (false, false) if !args.fleet && !self.names_any(installation) => Participation::Ignored,
                (false, false) if !args.fleet && there(installation) => Participation::PlaysAsNamed,
                (false, _) if there(installation) => Participation::Plays,
                (false, true) => Participation::Ignored,
                (false, false) => Participation::NotInstalled,
            };
            (installation.clone(), part)
        });
        let named = folder.beyond().into_iter().filter(|installation| !args.no_peers && self.names_any(installation));
        let beyond = named.map(|installation| {
            let part = if !there(&installation) {
                Participation::NotInstalled
            } else if args.fleet {
                Participation::Plays
            } else {
                Participation::PlaysAsNamed
            };
            (installation, part)
        });
        of_the_fleet.chain(beyond).collect()
    }

    /// Adds the releases that were recorded on another machine: with the fleet, or in the roles in which they are named. A
    /// recording that cannot be used is skipped. A manifest that is named takes precedence over a recording of its release.
    fn add_recordings(
        &mut self,
        folder: &PeersFolder,
        args: &Wanted<'_>,
        named: &[Installation],
        progress: &InstallProgress,
    ) {
        let named: Vec<Peer> = named.iter().flat_map(Installation::peers).collect();
        let may_name_one = |glob: &String| {
            Glob::is_pattern(glob) || !(self.is_known(glob) || named.iter().any(|peer| matches(glob, peer)))
        };
        let is_asked_for = self.clients.iter().chain(&self.servers).any(may_name_one);
        if !(is_asked_for || args.has_baseline || args.fleet && !args.no_peers) {
            return;
        }
        let key = |peer: &Peer| (peer.record().role, peer.id().clone());
        let named: Vec<_> = named.iter().map(key).collect();
        for recording in recordings::of_folder(folder) {
            match recording {
                Ok(recording) => {
                    let mut peers = recording.peers();
                    peers.retain(|peer| !named.contains(&key(peer)));
                    self.known.extend(peers.clone());
                    let plays = |peer: &Peer| !args.no_peers && (args.fleet || self.names(peer));
                    let playing: Vec<Peer> = peers.into_iter().filter(plays).collect();
                    self.peers.extend(playing);
                }
                Err(error) if !args.no_peers => progress.say(&format!("Skipping a recording: {error:#}")),
                Err(_) => {}
            }
        }
    }

    /// Reports the peers that are skipped because they are not installed.
    ///
    /// # Errors
    /// If a pattern names only such peers.
    fn report_not_installed(
        &self,
        folder: &PeersFolder,
        named: &[Installation],
        around: &[(Installation, Participation)],
        progress: &InstallProgress,
    ) -> anyhow::Result<()> {
        let (mut not_installed, mut expected) = (NotInstalled::default(), self.peers.clone());
        expected.extend(named.iter().flat_map(Installation::peers));
        for (installation, part) in around {
            match part {
                Participation::Install | Participation::Plays | Participation::PlaysAsNamed => {
                    expected.extend(installation.peers());
                }
                Participation::NotInstalled => not_installed.add(installation),
                Participation::Ignored => {}
            }
        }
        not_installed.refuse(&self.clients, &expected.clients, folder)?;
        not_installed.refuse(&self.servers, &expected.servers, folder)?;
        if let Some(line) = not_installed.report(|peer| self.selects(peer)) {
            progress.say(&line);
        }
        Ok(())
    }

    /// Adds the peers of an installation, and installs them if they are selected.
    async fn add(&mut self, installation: &Installation, stop: &CancellationToken, progress: &InstallProgress) {
        let peers = installation.peers();
        self.known.extend(peers.clone());
        if !peers.iter().any(|peer| self.selects(peer)) {
            self.peers.extend(peers);
            return;
        }
        let outcome = tokio::select! {
            outcome = installation.install(|step| progress.notice(installation, step)) => outcome,
            () = stop.cancelled() => return,
        };
        match outcome {
            Ok(_) => self.peers.extend(peers),
            Err(error) => self.missing.push(error),
        }
    }

    /// Returns whether a peer may play: it is named, or no peer of its role is.
    fn selects(&self, peer: &Peer) -> bool {
        self.globs_of_role(peer).is_empty() || self.names(peer)
    }

    fn names(&self, peer: &Peer) -> bool {
        self.globs_of_role(peer).iter().any(|glob| matches(glob, peer))
    }

    /// Returns whether a peer of an installation is named.
    fn names_any(&self, installation: &Installation) -> bool {
        installation.peers().iter().any(|peer| self.names(peer))
    }

    /// Returns the globs over the role of a peer.
    fn globs_of_role(&self, peer: &Peer) -> &[String] {
        match peer.record().role {
            Role::Client => &self.clients,
            Role::Server => &self.servers,
        }
    }
}

/// Finds the folder of peers. If the adapters of the program cannot be used, a run continues without them, unless it
/// plays the fleet.
fn found(args: &Wanted<'_>, progress: &InstallProgress) -> anyhow::Result<Option<PeersFolder>> {
    peers_folder::find(args.peers).or_else(|error| match error.downcast::<Unusable>() {
        Ok(_) if args.no_peers => Ok(None),
        Ok(unusable) if args.fleet => Err(unusable.into()),
        Ok(unusable) => {
            progress.say(&format!("Skipping real SDKs: {unusable}."));
            Ok(None)
        }
        Err(error) => Err(error),
    })
}

/// Returns the mocks and profiles that play unless they are named, with the profiles and the sabotaged mocks of a role
/// for which a pattern names them.
fn built_in_peers(unnamed: BuiltInPeers, clients: &[String], servers: &[String]) -> PeerSet {
    let mut fleet = match unnamed {
        BuiltInPeers::Mocks | BuiltInPeers::All => PeerSet::mocks(),
        BuiltInPeers::Profiles => PeerSet::one_of_each_era(),
    };
    if unnamed != BuiltInPeers::Mocks {
        fleet.add(PeerSet::unpinned_profiles());
    }
    for (kind, more) in [(BuiltIn::Profile, PeerSet::profiles()), (BuiltIn::Sabotaged, PeerSet::sabotaged())] {
        let named = |globs: &[String]| globs.iter().any(|glob| BuiltIn::of(glob) == Some(kind));
        if named(clients) {
            fleet.extend(more.clients);
        }
        if named(servers) {
            fleet.extend(more.servers);
        }
    }
    fleet
}

/// Returns the mocks that are named by their exact ids, but do not play by default. Replaces each name by the id that
/// lists show.
fn variants<P: AsRef<PeerInfo>>(
    names: &mut [String],
    playing: &[P],
    mock: &dyn Fn(&str) -> Result<P, PeerError>,
) -> Vec<P> {
    let mut found: Vec<P> = Vec::new();
    for name in names {
        let plays = playing.iter().any(|peer| matches(name, peer));
        if plays || BuiltIn::of(name).is_none() {
            continue;
        }
        let Ok(peer) = mock(name) else { continue };
        *name = peer.as_ref().id().to_string();
        if !playing.iter().chain(&found).any(|other| other.as_ref().id() == peer.as_ref().id()) {
            found.push(peer);
        }
    }
    found
}

/// Reads the manifests among the names, and replaces them by the ids of their peers.
fn select(
    selected: &[String],
    role: Role,
    named: &mut Vec<Installation>,
    globs: &mut Vec<String>,
) -> anyhow::Result<()> {
    for name in selected {
        if !peers_folder::is_manifest(name) {
            globs.push(name.clone());
            continue;
        }
        let installation = peers_folder::installation(name)?;
        let id = installation.id();
        if id.is_built_in() {
            bail!(
                "{name} describes {id}, but ids that begin with `mock/`, `profile/` or `sabotaged/` are those of the \
                 mocks: choose another"
            );
        }
        let peers = installation.peers();
        let ids: Vec<_> =
            peers.iter().filter(|peer| peer.record().role == role).map(|peer| peer.id().to_string()).collect();
        if ids.is_empty() {
            bail!("{name} has no [{role}], so {id} cannot be tested with --{role}");
        }
        globs.extend(ids);
        match named.iter().find(|other| other.id() == id) {
            None => named.push(installation),
            Some(other) if other.folder() == installation.folder() => {}
            Some(other) => {
                let (one, two) = (other.folder().display(), installation.folder().display());
                bail!("the manifests in {one} and {two} both describe {id}: give one of them another id");
            }
        }
    }
    Ok(())
}

/// Returns the roles that a peer may have: those of its manifest, or both if only an id is known.
pub fn roles(name: &str) -> anyhow::Result<Vec<Role>> {
    if !peers_folder::is_manifest(name) {
        return Ok(vec![Role::Client, Role::Server]);
    }
    let mut roles: Vec<_> = peers_folder::installation(name)?.peers().iter().map(|peer| peer.record().role).collect();
    roles.dedup();
    Ok(roles)
}

/// Drops the patterns that match only known peers that cannot play. Returns whether a pattern is left.
fn drop_missing(globs: &mut Vec<String>, playing: &[impl AsRef<PeerInfo>], known: &[impl AsRef<PeerInfo>]) -> bool {
    if globs.is_empty() {
        return true;
    }
    let plays = |glob: &str| playing.iter().any(|peer| matches(glob, peer));
    let is_known = |glob: &str| known.iter().any(|peer| matches(glob, peer));
    globs.retain(|glob| plays(glob) || !is_known(glob));
    !globs.is_empty()
}
