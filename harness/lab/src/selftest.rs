//! `selftest`: the corpus against sabotaged mocks, as a kill matrix.

use std::fmt::Write as _;

use clap::Args as ClapArgs;
use mcp_compat_author::selftest::{Kills, Sabotage, selftest};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::count::counted;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_reports::list;
use mcp_compat_run::glob::select;
use mcp_compat_run::request::default_jobs;
use tokio_util::sync::CancellationToken;

use mcp_compat_cli::exit::Exit;
use mcp_compat_cli::inputs::corpus::{Corpus, Embedded};
use mcp_compat_cli::output::print;
use mcp_compat_cli::progress::Spinner;
use mcp_compat_cli::runtime::interruptible;
use mcp_compat_cli::terminal;

const EXAMPLES: &str = "\
Examples:
  cargo run -p mcp-compat-lab -- selftest
  cargo run -p mcp-compat-lab -- selftest --scenario 'root-type/*' --verbose";

/// Check that the corpus catches every mock with a deliberate bug
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub struct SelftestArgs {
    /// Play these scenarios only, to see what each catches; fails if one catches nothing
    #[arg(long, value_name = "PATTERN")]
    scenario: Vec<String>,
    /// Name every scenario that catches a mock, not only the first two
    #[arg(long)]
    verbose: bool,
}

/// How many of the scenarios that catch a sabotage are named without `--verbose`.
const NAMED: usize = 2;

/// Plays the self-test and prints the mocks that each scenario catches.
///
/// # Errors
/// When no scenario matches, or the harness fails.
pub fn execute(args: SelftestArgs) -> anyhow::Result<Exit> {
    let corpus = Corpus::gather(&[], Embedded::Played, &args.scenario)?.scenarios;
    let corpus: Vec<_> =
        select("scenario", &args.scenario, &corpus, |scenario| scenario.id.as_str())?.into_iter().cloned().collect();
    let which = if args.scenario.is_empty() { "every scenario" } else { "the selected scenarios" };
    let spinner = Spinner::start(&format!("playing {which} with every sabotaged mock"));
    let played = async { Ok(selftest(&corpus, default_jobs(), CancellationToken::new()).await?) };
    let kills = interruptible(|| {}, played);
    drop(spinner);
    let Some(kills) = kills? else { return Ok(Exit::Interrupted) };
    let named = if args.verbose { usize::MAX } else { NAMED };
    if args.scenario.is_empty() {
        print!("{}", page(&kills, named));
        return Ok(if kills.is_proven() { Exit::Success } else { Exit::Breaks });
    }
    print!("{}", page_of_some(&kills, named));
    Ok(if kills.idle.is_empty() { Exit::Success } else { Exit::Breaks })
}

/// The matrix, then what is wrong with it, and last of all the sum.
fn page(kills: &Kills, named: usize) -> String {
    let mut page = matrix(kills.sabotages.iter(), named);
    let survivors: Vec<_> = kills.survivors().map(|sabotage| (name(sabotage), sabotage.about.clone())).collect();
    section(&mut page, "SURVIVES: no scenario distinguishes it from the honest mock", &survivors);
    idle(&mut page, kills);
    let _ = writeln!(
        page,
        "\n{} sabotaged mocks, {} survive; {} scenarios, {} idle; {} cells",
        kills.sabotages.len(),
        survivors.len(),
        kills.scenarios,
        kills.idle.len(),
        kills.cells
    );
    page
}

/// The mocks that some scenarios catch. Whether others catch the rest is for the whole self-test to say.
fn page_of_some(kills: &Kills, named: usize) -> String {
    let caught: Vec<_> = kills.sabotages.iter().filter(|sabotage| !sabotage.killed_by.is_empty()).collect();
    let mut page = matrix(caught.iter().copied(), named);
    idle(&mut page, kills);
    let _ = writeln!(
        page,
        "\n{} {} {} of {} sabotaged mocks; {} idle; {} cells",
        counted(kills.scenarios, "scenario"),
        if kills.scenarios == 1 { "catches" } else { "catch" },
        caught.len(),
        kills.sabotages.len(),
        kills.idle.len(),
        kills.cells
    );
    page
}

fn matrix<'k>(sabotages: impl Iterator<Item = &'k Sabotage> + Clone, named: usize) -> String {
    let width = sabotages.clone().map(|sabotage| name(sabotage).len()).max().unwrap_or(0);
    let row = |sabotage: &Sabotage| {
        let caught = sabotage.killed_by.len();
        (format!("{:<width$}  {caught:>4}", name(sabotage)), killers(sabotage, named))
    };
    let rows: Vec<_> = sabotages.map(row).collect();
    format!("{:<width$}  caught by\n{}", "wrong on purpose", list::table(&rows, terminal::style()))
}

fn idle(page: &mut String, kills: &Kills) {
    let proves_nothing = |id: &ScenarioId| (id.to_string(), "catches only what every scenario catches".to_owned());
    let idle: Vec<_> = kills.idle.iter().map(proves_nothing).collect();
    section(page, "IDLE: a scenario that proves nothing", &idle);
}

fn section(page: &mut String, title: &str, rows: &[(String, String)]) {
    if !rows.is_empty() {
        let _ = write!(page, "\n{title}\n{}", list::table(rows, terminal::style()));
    }
}

fn name(sabotage: &Sabotage) -> String {
    let quirk = match sabotage.id.kind() {
        PeerKind::Sabotaged { quirk } => quirk,
        PeerKind::Mock { .. } | PeerKind::Profile { .. } | PeerKind::Release { .. } | PeerKind::Own { .. } => {
            sabotage.id.as_str()
        }
    };
    format!("{} {quirk}", sabotage.role)
}

fn killers(sabotage: &Sabotage, named: usize) -> String {
    let caught = sabotage.killed_by.len();
    if caught == 0 {
        return "nothing".to_owned();
    }
    if sabotage.is_plain_to_see {
        return "every scenario".to_owned();
    }
    let mut words: Vec<String> = sabotage.killed_by.iter().take(named).map(ToString::to_string).collect();
    if caught > words.len() {
        words.push(format!("{} more", caught - words.len()));
    }
    words.join(", ")
}
