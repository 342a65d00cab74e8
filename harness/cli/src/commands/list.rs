//! `list`: the scenarios, the peers, the rules.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};
use mcp_compat_judge::rules;
use mcp_compat_reports::list;
use mcp_compat_run::peer::PeerInfo;
use mcp_compat_run::peer_set::PeerSet;
use serde_json::{Value, json};

use crate::commands::explain::revisions;
use crate::commands::rulebook;
use crate::exit::Exit;
use crate::inputs::{corpus, peers_folder};
use crate::json_text::json_text;
use crate::output::{eprintln, print};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  mcp-compat list scenarios
  mcp-compat list rules --markdown
  mcp-compat list peers --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    pub(crate) what: Listed,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print Markdown (rules only): the rules, what violates each (the corpus is played), and the gaps
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    pub(crate) peers: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Listed {
    /// The scenarios of the corpus
    Scenarios,
    /// The clients and servers
    Peers,
    /// The rules that messages are checked against
    Rules,
}

pub(crate) fn execute(args: ListArgs) -> anyhow::Result<Exit> {
    if args.markdown {
        let Listed::Rules = args.what else {
            bail!("--markdown is a page about the rules; type `mcp-compat list rules --markdown`, or --json");
        };
        return rulebook::execute();
    }
    let (rows, values): (Vec<(String, String)>, Vec<Value>) = match args.what {
        Listed::Scenarios => scenarios()?.into_iter().unzip(),
        Listed::Peers => peers(&args)?.into_iter().unzip(),
        Listed::Rules => rules().into_iter().unzip(),
    };
    if args.json {
        print!("{}", json_text(&values)?);
    } else {
        print!("{}", list::table(&rows, terminal::style()));
    }
    Ok(Exit::Success)
}

type Row = ((String, String), Value);

fn scenarios() -> anyhow::Result<Vec<Row>> {
    let row = |scenario: &mcp_compat_scenario::Scenario| {
        let value = json!({
            "id": scenario.id, "title": scenario.title, "why": scenario.why, "since": scenario.since,
            "sources": scenario.sources,
        });
        ((scenario.id.to_string(), scenario.title.clone()), value)
    };
    Ok(corpus::load(&[])?.iter().map(|scenario| row(scenario)).collect())
}

fn peers(args: &ListArgs) -> anyhow::Result<Vec<Row>> {
    let mut fleet = PeerSet::mocks();
    let PeerSet { clients, servers } = PeerSet::profiles();
    fleet.extend(clients);
    fleet.extend(servers);
    match peers_folder::find(args.peers.as_deref())? {
        Some(folder) => {
            let members = folder.fleet().iter().map(|member| &member.installation);
            fleet.extend(members.chain(&folder.beyond()).flat_map(mcp_compat_fleet::Installation::peers));
        }
        None => eprintln!(
            "These are the mocks: no SDK release is installed. Install releases with `mcp-compat peers install`."
        ),
    }
    let row = |peer: &PeerInfo| {
        let record = peer.record();
        let name = format!("{:<6} {}", record.role, record.id);
        ((name, record.about.clone()), json!(record))
    };
    Ok(fleet.infos().map(row).collect())
}

fn rules() -> Vec<Row> {
    let row = |rule: &rules::Rule| {
        let value = json!({
            "id": rule.id, "level": rule.level, "party": rule.party, "revisions": revisions(rule),
            "title": rule.title, "source": rule.source,
        });
        ((rule.id.to_owned(), format!("{} {}: {}", rule.party, rule.level, rule.title)), value)
    };
    rules::all().iter().map(|rule| row(rule)).collect()
}
