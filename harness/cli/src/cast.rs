//! Who can take part in a run: the mocks, and the real peers as far as they can be set up.
//!
//! Manifests are all read before anything is built. Of the fleet, those that a run may set up are set up if they are
//! selected, and the others play if they are there; who is named and not there is an error, with the command that sets
//! it up. One that cannot be set up is noted, and the others play without it. A peer that takes no part is still known:
//! a baseline may speak of it.

use std::path::Path;

use anstream::eprintln;
use anyhow::bail;
use mcp_compat::fleet::{InstallError, Installation, Member, PeersFolder};
use mcp_compat::glob::Glob;
use mcp_compat::{Fleet, Peer, PeerError, Stop};
use mcp_compat_model::Role;

use crate::absent::Absent;
use crate::peers_folder;
use crate::setting_up::SettingUp;

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
    /// A client that is only a command.
    pub(crate) command: Option<&'a Peer>,
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

/// What part a release of the folder has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It is set up if that is due, and plays.
    SetUp,
    /// It is there, and plays.
    Plays,
    /// It would play, were it there.
    Absent,
    /// It does not play, and nobody has to be told.
    Waits,
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
        if let Some(command) = args.command {
            clients.push(command.id().to_string());
            fleet.extend([command.clone()]);
        }
        let mut cast = Self { known: fleet.clone(), fleet, missing: Vec::new(), clients, servers, complete: true };
        let folder = peers_folder::find(args.peers)?;
        if folder.is_none() && !args.no_peers {
            eprintln!("no folder `peers` here or above: playing the mocks alone (--peers names one)");
        }
        let mut around = Vec::new();
        if let Some(folder) = &folder {
            // Whoever names a manifest means that one, not another of the same id.
            let is_another = |found: &Installation| named.iter().all(|named| named.id() != found.id());
            around = cast.around(folder, args);
            around.retain(|(installation, _)| is_another(installation));
            if !args.no_peers {
                cast.tell_absent(folder, &named, &around)?;
            }
        }
        for installation in &named {
            cast.take(installation, &mut stop).await;
        }
        for (installation, part) in &around {
            match part {
                Part::SetUp => cast.take(installation, &mut stop).await,
                Part::Plays => {
                    cast.known.extend(Peer::from_installation(installation));
                    cast.fleet.extend(Peer::from_installation(installation));
                }
                Part::Absent | Part::Waits => cast.known.extend(Peer::from_installation(installation)),
            }
        }
        cast.complete = drop_missing(&mut cast.clients, &cast.fleet.clients, &cast.known.clients)
            & drop_missing(&mut cast.servers, &cast.fleet.servers, &cast.known.servers);
        Ok(cast)
    }

    /// What part each release of the folder has: those of the fleet, and of the others whoever is named.
    fn around(&self, folder: &PeersFolder, args: &Wanted<'_>) -> Vec<(Installation, Part)> {
        let there = |installation: &Installation| installation.is_ready().unwrap_or(false);
        let of_the_fleet = folder.fleet().iter().map(|Member { installation, at_run, .. }| {
            let waits = args.set_up == SetUp::WhoeverIsNamed && !self.names_any(installation);
            let part = match (args.no_peers, at_run) {
                (true, _) => Part::Waits,
                (false, true) if !waits => Part::SetUp,
                (false, _) if there(installation) => Part::Plays,
                (false, true) => Part::Waits,
                (false, false) => Part::Absent,
            };
            (installation.clone(), part)
        });
        let named = folder.beyond().into_iter().filter(|installation| !args.no_peers && self.names_any(installation));
        let beyond = named.map(|installation| {
            let part = if there(&installation) { Part::Plays } else { Part::Absent };
            (installation, part)
        });
        of_the_fleet.chain(beyond).collect()
    }

    /// Says who is left out because nobody has set it up.
    ///
    /// # Errors
    /// When nobody else was asked for.
    fn tell_absent(
        &self,
        folder: &PeersFolder,
        named: &[Installation],
        around: &[(Installation, Part)],
    ) -> anyhow::Result<()> {
        let (mut absent, mut expected) = (Absent::default(), self.fleet.clone());
        expected.extend(named.iter().flat_map(Peer::from_installation));
        for (installation, part) in around {
            match part {
                Part::SetUp | Part::Plays => expected.extend(Peer::from_installation(installation)),
                Part::Absent => absent.add(installation),
                Part::Waits => {}
            }
        }
        absent.refuse(&self.clients, &expected.clients, folder)?;
        absent.refuse(&self.servers, &expected.servers, folder)?;
        absent.tell(|peer| self.selects(peer));
        Ok(())
    }

    /// Takes in the peers of an installation, set up if they are selected.
    async fn take(&mut self, installation: &Installation, stop: &mut Stop) {
        let peers = Peer::from_installation(installation);
        self.known.extend(peers.clone());
        if !peers.iter().any(|peer| self.selects(peer)) {
            self.fleet.extend(peers);
            return;
        }
        let progress = SettingUp::default();
        let outcome = tokio::select! {
            outcome = installation.install(|step| progress.notice(installation, step)) => outcome,
            Ok(_) = stop.wait_for(|stop| *stop) => return,
        };
        match outcome {
            Ok(_) => self.fleet.extend(peers),
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

    /// Whether somebody asked for a peer of an installation.
    fn names_any(&self, installation: &Installation) -> bool {
        Peer::from_installation(installation).iter().any(|peer| self.names(peer))
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
        if !peers_folder::is_manifest(name) {
            globs.push(name.clone());
            continue;
        }
        let installation = peers_folder::installation(name)?;
        let id = installation.id();
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

/// The roles that a peer may have: those of a manifest, or, where only an id is known, both.
///
/// # Errors
/// When the manifest cannot be used.
pub(crate) fn roles(name: &str) -> anyhow::Result<Vec<Role>> {
    if !peers_folder::is_manifest(name) {
        return Ok(vec![Role::Client, Role::Server]);
    }
    let mut roles: Vec<_> =
        Peer::from_installation(&peers_folder::installation(name)?).iter().map(|peer| peer.record().role).collect();
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
