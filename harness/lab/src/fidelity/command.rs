//! `fidelity`: a profile compared with the SDK release that it emulates.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::fidelity::{Contest, Disagreement, Kind, Request, differential, fidelity, pair};
use crate::generated::pairs;
use anyhow::{Result, bail};
use clap::Args;
use mcp_compat_model::{Role, Transport};
use mcp_compat_reports::fidelity as report;
use mcp_compat_run::glob::{Glob, nothing, select};
use mcp_compat_run::peer::{Peer, PeerInfo};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::request::default_jobs;
use mcp_compat_run::timeouts::Timeouts;
use tokio_util::sync::CancellationToken;

use mcp_compat_cli::exit::{ENDING, Exit};
use mcp_compat_cli::inputs::corpus;
use mcp_compat_cli::inputs::peer_pattern::matches;
use mcp_compat_cli::inputs::peer_selection::{BuiltInPeers, Install, PeerSelection, Wanted, roles};
use mcp_compat_cli::inputs::peers_folder::is_manifest;
use mcp_compat_cli::inputs::quantities::duration;
use mcp_compat_cli::install_progress::{InstallProgress, report_failures};
use mcp_compat_cli::output::{eprintln, json_text, print};
use mcp_compat_cli::progress::Progress;
use mcp_compat_cli::runtime::{Threads, cancellable, own_programs};
use mcp_compat_cli::terminal;
use mcp_compat_cli::values::transports;

const EXAMPLES: &str = "\
Exit status: 1 if fewer cells are equal than --at-least requires, or if not all
cells were played.

Examples:
  cargo run -p mcp-compat-lab -- fidelity profile/rmcp@3 rmcp@3.11.0
  cargo run -p mcp-compat-lab -- fidelity profile/python@1 python@1.30.0 --generated 1000
  cargo run -p mcp-compat-lab -- fidelity profile/typescript@1 ./peer.toml --server mock/dual";

/// Compare a profile with the SDK release that it emulates
///
/// Plays both with the same partners, and prints how many cells are equal, and the differences.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FidelityArgs {
    /// The profile; without a mode, in every mode that both have
    #[arg(value_name = "PROFILE")]
    profile: String,
    /// The real peer: an id or a peer.toml
    #[arg(value_name = "PEER|FILE")]
    peer: String,
    /// Play both as clients, with these servers [default: both roles, with the reference mocks]
    #[arg(long, value_name = "GLOB")]
    server: Vec<String>,
    /// Play both as servers, with these clients
    #[arg(long, value_name = "GLOB", conflicts_with = "server")]
    client: Vec<String>,
    /// Play only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    scenario: Vec<String>,
    /// Play N random pairs of a schema and a value in place of the scenarios, and reduce each difference
    #[arg(long, value_name = "N", conflicts_with = "scenario", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    generated: Option<u32>,
    /// The seed of the random pairs: the same number gives the same pairs
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "generated")]
    seed: u64,
    /// Play only over these transports: stdio, http
    #[arg(long, value_name = "NAME", value_parser = ["stdio", "http"], hide_possible_values = true)]
    transport: Vec<String>,
    /// The percentage of cells that must be equal
    #[arg(long, value_name = "PERCENT", default_value_t = 90, value_parser = clap::value_parser!(u8).range(0..=100))]
    at_least: u8,
    /// Print Markdown
    #[arg(long)]
    markdown: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// How many cells are played at the same time [default: two per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    timeout: Duration,
}

/// Compares, and prints the differences.
///
/// # Errors
/// When the input is wrong, or the harness fails.
pub fn execute(args: &FidelityArgs) -> Result<Exit> {
    let progress = Progress::default();
    let printer = progress.printer();
    let exit = cancellable(Threads::PerCore, move || printer.say(ENDING), |stop| compare(args, progress, stop))?;
    Ok(exit.unwrap_or(Exit::Interrupted))
}

async fn compare(args: &FidelityArgs, mut progress: Progress, stop: CancellationToken) -> Result<Exit> {
    require_profile(&args.profile)?;
    let all = corpus::load(&[])?;
    let corpus = select("scenario", &args.scenario, &all, |scenario| scenario.id.as_str())?;
    let mut contests = Vec::new();
    for role in roles_asked(args)? {
        contests.extend(contests_of(args, role, &stop).await?);
    }
    if contests.is_empty() {
        bail!(
            "{} and {} have no role and no mode in common; `mcp-compat show peers` names those of both",
            args.profile,
            args.peer
        );
    }
    let wanted = transports(&args.transport);
    let request = Request {
        contests,
        corpus: corpus.into_iter().cloned().collect(),
        transports: if wanted.is_empty() { vec![Transport::Stdio, Transport::Http] } else { wanted },
        timeouts: Timeouts { step: args.timeout, ..Timeouts::default() },
        jobs: args.jobs.map_or_else(default_jobs, usize::from),
        programs: own_programs()?,
        logs: None,
    };
    let (found, disagreements) = match args.generated {
        Some(count) => {
            let pairs = pairs(args.seed, usize::try_from(count).unwrap_or(usize::MAX));
            differential(request, &pairs, &mut progress, stop.clone()).await?
        }
        None => (fidelity(&request, &mut progress, stop.clone()).await?, Vec::new()),
    };
    if stop.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    let text = if args.json {
        json_text(&found)?
    } else if args.markdown {
        report::markdown(&found)
    } else {
        report::terminal(&found, terminal::style())
    };
    print!("{text}");
    if !disagreements.is_empty() {
        eprintln!("the differences, each with the smallest schema and value found:");
    }
    for Disagreement { pair, kind } in &disagreements {
        let Kind { profile, emulated, real, .. } = kind;
        eprintln!("{profile}: {emulated}, {}: {real}; value {}, schema {}", args.peer, pair.value, pair.schema);
    }
    if !found.complete {
        eprintln!("not all cells were played; the report covers only those that were");
        return Ok(Exit::Breaks);
    }
    if found.is_at_least(args.at_least) {
        return Ok(Exit::Success);
    }
    if found.sides.iter().all(|side| side.cells == 0) {
        bail!("{} and {} have no cell that can be compared in these scenarios and transports", args.profile, args.peer);
    }
    eprintln!("fewer than {} in a hundred cells are equal (--at-least)", args.at_least);
    Ok(Exit::Breaks)
}

/// Refuses a name that no profile has.
fn require_profile(name: &str) -> Result<()> {
    let profiles = PeerSet::profiles();
    let ids = || profiles.infos().map(PeerInfo::id);
    if ids().any(|id| id.as_str() == name || id.name() == name) {
        return Ok(());
    }
    let names: BTreeSet<&str> = ids().flat_map(|id| [id.name(), id.as_str()]).collect();
    Err(nothing("profile", name, names.into_iter()).into())
}

/// The roles in which the two are compared.
fn roles_asked(args: &FidelityArgs) -> Result<Vec<Role>> {
    let asked = match (args.server.is_empty(), args.client.is_empty()) {
        (true, true) => vec![Role::Client, Role::Server],
        (false, _) => vec![Role::Client],
        (true, false) => vec![Role::Server],
    };
    let has = roles(&args.peer)?;
    Ok(asked.into_iter().filter(|role| has.contains(role)).collect())
}

/// The pairs of one role, each with its counterparts.
async fn contests_of(args: &FidelityArgs, role: Role, stop: &CancellationToken) -> Result<Vec<Contest>> {
    let both = [in_any_mode(&args.profile), in_any_mode(&args.peer)];
    let counterparts = counterparts(args, role);
    let (client, server): (&[String], &[String]) = match role {
        Role::Client => (&both, &counterparts),
        Role::Server => (&counterparts, &both),
    };
    let peers = args.peers.as_deref();
    // A named file needs no folder.
    let no_peers = peers.is_none() && is_manifest(&args.peer);
    let wanted = Wanted {
        client,
        command: None,
        server,
        peers,
        no_peers,
        fleet: true,
        has_baseline: false,
        built_in: BuiltInPeers::Mocks,
        install: Install::OnlyNamed,
    };
    let selection = PeerSelection::resolve(&wanted, stop, &InstallProgress::default()).await?;
    report_failures(&selection.missing);
    let (own, other, globs) = match role {
        Role::Client => (selection.peers.of_role(role), selection.peers.of_role(Role::Server), &selection.servers),
        Role::Server => (selection.peers.of_role(role), selection.peers.of_role(Role::Client), &selection.clients),
    };
    let kind = match role {
        Role::Client => "server",
        Role::Server => "client",
    };
    let counterparts: Vec<Peer> =
        select(kind, globs, &other, |peer| peer.id().as_str())?.into_iter().cloned().collect();
    let named = |name: &str| {
        let is = |peer: &&Peer| peer.id().as_str() == name || peer.id().name() == name;
        own.iter().filter(is).cloned().collect::<Vec<_>>()
    };
    let reals = if is_manifest(&args.peer) {
        own.iter().filter(|peer| !peer.id().is_built_in() && selection_names(&selection, role, peer)).cloned().collect()
    } else {
        named(&args.peer)
    };
    let profiles = named(&args.profile);
    let pairs = pair(&profiles, &reals).into_iter();
    Ok(pairs.filter_map(|(profile, real)| Contest::new(profile, real, &counterparts)).collect())
}

/// Returns whether the peer is one that the globs of its side name.
fn selection_names(selection: &PeerSelection, role: Role, peer: &Peer) -> bool {
    let globs = match role {
        Role::Client => &selection.clients,
        Role::Server => &selection.servers,
    };
    globs.iter().any(|glob| matches(glob, peer))
}

/// Whom both meet: who is named, or the reference mocks.
fn counterparts(args: &FidelityArgs, role: Role) -> Vec<String> {
    let references = PeerSet::references();
    let (named, references) = match role {
        Role::Client => (&args.server, references.of_role(Role::Server)),
        Role::Server => (&args.client, references.of_role(Role::Client)),
    };
    if named.is_empty() { references.iter().map(|peer| peer.id().to_string()).collect() } else { named.clone() }
}

/// A pattern for the peer in all of its modes, unless it names one or is a file.
fn in_any_mode(name: &str) -> String {
    if is_manifest(name) || name.contains('+') || Glob::is_pattern(name) { name.to_owned() } else { format!("{name}*") }
}
