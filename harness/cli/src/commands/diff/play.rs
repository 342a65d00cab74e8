//! Plays the peers of `--base` and `--head`, and plays cells again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use mcp_compat_model::diff::{Class, Diff};
use mcp_compat_model::record::Record;
use mcp_compat_model::{Cell, PeerId, Role};
use mcp_compat_run::context::Run;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::{Request, RequestError};
use mcp_compat_run::store::Store;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use super::args::DiffArgs;
use crate::exit::HarnessFailed;
use crate::inputs::peer_pairs::Pair;
use crate::inputs::peer_selection::{BuiltInPeers, Install, PeerSelection, Wanted};
use crate::inputs::peers_folder;
use crate::install_progress::InstallProgress;
use crate::output::eprintln;
use crate::progress::Progress;
use crate::runtime::own_programs;
use crate::values::transports;

/// Plays a peer in each role that is compared, and writes the record to `folder`. Returns `None` if interrupted.
pub(super) async fn play(
    name: &str,
    pairs: &[Pair],
    scenarios: &[Arc<Scenario>],
    folder: &Path,
    args: &DiffArgs,
    stop: &CancellationToken,
) -> Result<Option<Record>> {
    let (mut whole, mut empty): (Option<Run>, Option<RequestError>) = (None, None);
    for role in [Role::Client, Role::Server] {
        if !pairs.iter().any(|(of, ..)| *of == role) {
            continue;
        }
        let (own, others) = (vec![name.to_owned()], partners(role, args));
        let (client, server) = if role == Role::Client { (own, others) } else { (others, own) };
        let selection = resolve(&client, &server, args, stop).await?;
        if stop.is_cancelled() {
            return Ok(None);
        }
        let request = request(&selection, args.scenario.clone(), coverage(args), folder, args)?;
        let run = match request.prepare(&selection.peers, scenarios, None) {
            Ok(run) => run,
            // The scenarios may require a revision that the peer does not speak in this role.
            Err(error @ RequestError::Empty(_)) => {
                empty.get_or_insert(error);
                continue;
            }
            Err(error @ (RequestError::Select(_) | RequestError::Baseline(_))) => return Err(error.into()),
        };
        whole = Some(match whole {
            Some(whole) => joined(whole, run),
            None => run,
        });
    }
    let run = match (whole, empty) {
        (Some(run), _) => run,
        (None, Some(error)) => return Err(error).with_context(|| format!("{name} has nothing to test")),
        (None, None) => bail!("{name} has nothing to test"),
    };
    let mut store = Store::open(folder).context("nothing was run")?;
    let mut progress = Progress::default();
    let record = mcp_compat_run::run::run(run, &mut [&mut store, &mut progress], stop.clone()).await?;
    store.close(&record).context(HarnessFailed("keeping the run"))?;
    Ok(if stop.is_cancelled() { None } else { Some(record) })
}

/// Plays the worse cells of a comparison again. Returns `None` if nothing is worse, or if interrupted.
pub(super) async fn again(
    diff: &Diff,
    after: &Record,
    head: Option<&str>,
    scenarios: &[Arc<Scenario>],
    args: &DiffArgs,
    stop: &CancellationToken,
) -> Result<Option<Record>> {
    let worse = diff.changes.iter().filter(|change| change.class == Class::Worse);
    let cells: BTreeSet<Cell> = worse
        .filter_map(|change| {
            let after = change.after.as_ref()?;
            Some(Cell {
                scenario: change.scenario.clone(),
                client: after.client.clone(),
                server: after.server.clone(),
                transport: change.transport,
            })
        })
        .collect();
    if cells.is_empty() {
        return Ok(None);
    }
    let described = described(head, args)?;
    let (client, server) = (names(&cells, Role::Client, &described), names(&cells, Role::Server, &described));
    let selection = resolve(&client, &server, args, stop).await?;
    if stop.is_cancelled() {
        return Ok(None);
    }
    let ids: BTreeSet<String> = cells.iter().map(|cell| cell.scenario.to_string()).collect();
    let logs = tempfile::tempdir().context(HarnessFailed("making a folder for the logs of a repeat"))?;
    let request = request(&selection, ids.into_iter().collect(), Coverage::Everything, logs.path(), args)?;
    let mut run = request.prepare(&selection.peers, scenarios, None)?;
    run.plan.cells.retain(|cell| cells.contains(cell));
    let missing = cells.len() - run.plan.cells.len();
    if missing > 0 {
        eprintln!("{missing} of {} worse checks of {} cannot be repeated here", cells.len(), after.started);
    }
    eprintln!("repeating what is worse");
    let record = mcp_compat_run::run::run(run, &mut [&mut Progress::default()], stop.clone()).await?;
    Ok(if stop.is_cancelled() { None } else { Some(record) })
}

/// Peer that a manifest describes, with its role and the manifest.
type Described = (Role, PeerId, String);

/// Returns the peers of the named manifests, which cannot be found by their ids.
fn described(head: Option<&str>, args: &DiffArgs) -> Result<Vec<Described>> {
    let named = head.into_iter().chain(args.against.iter().map(String::as_str));
    let mut described = Vec::new();
    for manifest in named.filter(|name| peers_folder::is_manifest(name)) {
        let peers = peers_folder::installation(manifest)?.peers();
        described.extend(peers.iter().map(|peer| (peer.record().role, peer.id().clone(), manifest.to_owned())));
    }
    Ok(described)
}

/// Returns the names of the peers of cells in a role: their ids, or their manifests.
fn names(cells: &BTreeSet<Cell>, role: Role, described: &[Described]) -> Vec<String> {
    let peer = |cell: &Cell| if role == Role::Client { cell.client.clone() } else { cell.server.clone() };
    let manifest = |id: &PeerId| described.iter().find(|(of, known, _)| *of == role && known == id).map(|(.., it)| it);
    let names: BTreeSet<String> =
        cells.iter().map(peer).map(|id| manifest(&id).cloned().unwrap_or_else(|| id.to_string())).collect();
    names.into_iter().collect()
}

/// Returns the partners of a peer in a role: those that are named, or the reference mocks.
fn partners(role: Role, args: &DiffArgs) -> Vec<String> {
    if !args.against.is_empty() {
        return args.against.clone();
    }
    let other = if role == Role::Client { Role::Server } else { Role::Client };
    PeerSet::references().of_role(other).iter().map(|peer| peer.id().to_string()).collect()
}

async fn resolve(
    client: &[String],
    server: &[String],
    args: &DiffArgs,
    stop: &CancellationToken,
) -> Result<PeerSelection> {
    let built_in = |name: &String| mcp_compat_model::peer::BuiltIn::of(name).is_some();
    let wanted = Wanted {
        client,
        command: None,
        server,
        peers: args.peers.as_deref(),
        no_peers: client.iter().chain(server).all(built_in),
        fleet: true,
        has_baseline: false,
        built_in: BuiltInPeers::Mocks,
        install: Install::OnlyNamed,
    };
    let selection = PeerSelection::resolve(&wanted, stop, &InstallProgress::default()).await?;
    if let Some(error) = selection.missing.first() {
        bail!("{error}");
    }
    Ok(selection)
}

/// Returns the coverage. Scenarios that the user named are played even if they are not marked `smoke`.
fn coverage(args: &DiffArgs) -> Coverage {
    let default = if args.scenario.is_empty() { Coverage::Smoke } else { Coverage::Pairwise };
    args.coverage.map_or(default, Coverage::from)
}

fn request(
    selection: &PeerSelection,
    scenarios: Vec<String>,
    coverage: Coverage,
    folder: &Path,
    args: &DiffArgs,
) -> Result<Request> {
    Ok(Request {
        scenarios,
        clients: selection.clients.clone(),
        servers: selection.servers.clone(),
        transports: transports(&args.transport),
        revision: None,
        coverage,
        shard: None,
        jobs: args.jobs.map(usize::from),
        step_timeout: Some(args.timeout),
        run_timeout: Some(args.run_timeout),
        started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        programs: own_programs()?,
        logs: Some(Store::logs(folder)),
        peer_memory: None,
    })
}

fn joined(one: Run, other: Run) -> Run {
    let cells: BTreeSet<Cell> = one.plan.cells.into_iter().chain(other.plan.cells).collect();
    let (mut clients, mut servers) = (one.clients, one.servers);
    clients.extend(other.clients);
    servers.extend(other.servers);
    clients.sort_by(|one, other| one.id().cmp(other.id()));
    servers.sort_by(|one, other| one.id().cmp(other.id()));
    clients.dedup_by(|one, other| one.id() == other.id());
    servers.dedup_by(|one, other| one.id() == other.id());
    let plan = mcp_compat_run::plan::Plan { cells: cells.into_iter().collect(), ..one.plan };
    Run { plan, clients, servers, ..one }
}
