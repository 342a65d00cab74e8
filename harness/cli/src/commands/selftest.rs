//! `selftest`: the corpus against sabotaged mocks, as a kill matrix.

use anstream::{eprintln, println};
use mcp_compat::HostError;
use mcp_compat::selftest::{Kills, Sabotage, selftest};
use tokio::sync::watch;

use crate::args::SelftestArgs;
use crate::corpus;
use crate::exit::Exit;

/// How many killers are named without `--verbose`.
const NAMED: usize = 3;

pub(crate) fn execute(args: SelftestArgs) -> anyhow::Result<Exit> {
    let corpus = corpus::load(&[])?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::Socket { what: "the runtime", error })?;
    let (_keep, stop) = watch::channel(false);
    let jobs = 2 * std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let kills = runtime.block_on(selftest(&corpus, jobs, stop))?;
    print(&kills, args.verbose);
    Ok(if kills.is_proven() { Exit::Success } else { Exit::Breaks })
}

fn print(kills: &Kills, verbose: bool) {
    let name = |sabotage: &Sabotage| format!("{} {}", sabotage.role, sabotage.id);
    let width = kills.sabotages.iter().map(|sabotage| name(sabotage).len()).max().unwrap_or(0);
    println!("{:<width$}  killed by", "sabotage");
    for sabotage in &kills.sabotages {
        let named = if verbose { sabotage.killed_by.len() } else { NAMED };
        let names: Vec<_> = sabotage.killed_by.iter().take(named).map(ToString::to_string).collect();
        let more = sabotage.killed_by.len().saturating_sub(named);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        println!("{:<width$}  {:>3}  {}{more}", name(sabotage), sabotage.killed_by.len(), names.join(", "));
    }
    println!();
    for sabotage in kills.survivors() {
        eprintln!("SURVIVES: {} ({}): no scenario tells it from the honest mock", name(sabotage), sabotage.about);
    }
    for id in &kills.idle {
        eprintln!("IDLE: {id} kills nothing but what every scenario kills, so it proves nothing");
    }
    println!(
        "{} sabotages, {} survive; {} scenarios, {} kill nothing; {} cells",
        kills.sabotages.len(),
        kills.survivors().count(),
        kills.scenarios,
        kills.idle.len(),
        kills.cells
    );
}
