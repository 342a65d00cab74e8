//! The lists of `show`: the scenarios, the peers, the rules.

use std::path::{Path, PathBuf};

use mcp_compat_judge::rules;
use mcp_compat_reports::list;
use mcp_compat_run::peer::PeerInfo;
use mcp_compat_run::peer_set::PeerSet;
use serde_json::{Value, json};

use super::ShowOption;
use crate::exit::Exit;
use crate::inputs::recordings;
use crate::inputs::{corpus, peers_folder};
use crate::output::{eprintln, json_text, print};
use crate::terminal;

/// Names of the lists: `show scenarios`, `show peers`, `show rules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// The scenarios of the corpus.
    Scenarios,
    /// The clients and servers.
    Peers,
    /// The rules that messages are checked against.
    Rules,
}

impl Listed {
    pub(super) const NAMES: [&str; 3] = ["scenarios", "peers", "rules"];

    /// The list of that name. No scenario has such a name, because those have a `/`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "scenarios" => Self::Scenarios,
            "peers" => Self::Peers,
            "rules" => Self::Rules,
            _ => return None,
        })
    }

    /// The options that it can use.
    pub(super) fn options(self) -> &'static [ShowOption] {
        match self {
            Self::Scenarios => &[ShowOption::Json, ShowOption::Scenarios],
            Self::Peers => &[ShowOption::Json, ShowOption::Peers],
            Self::Rules => &[ShowOption::Json],
        }
    }
}

/// Prints a list, as a table or as JSON. `places` have scenarios besides the corpus, and `folder` is the folder of the
/// real peers, if it was named.
pub(super) fn execute(
    listed: Listed,
    places: &[PathBuf],
    folder: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let (rows, values): (Vec<(String, String)>, Vec<Value>) = match listed {
        Listed::Scenarios => scenarios(places)?.into_iter().unzip(),
        Listed::Peers => peers(folder)?.into_iter().unzip(),
        Listed::Rules => rules().into_iter().unzip(),
    };
    if as_json {
        print!("{}", json_text(&values)?);
    } else {
        print!("{}", list::table(&rows, terminal::style()));
    }
    Ok(Exit::Success)
}

type Row = ((String, String), Value);

fn scenarios(places: &[PathBuf]) -> anyhow::Result<Vec<Row>> {
    let row = |scenario: &mcp_compat_scenario::Scenario| {
        let value = json!({
            "id": scenario.id, "title": scenario.title, "why": scenario.why, "since": scenario.since,
            "sources": scenario.sources,
        });
        ((scenario.id.to_string(), scenario.title.clone()), value)
    };
    Ok(corpus::load(places)?.iter().map(|scenario| row(scenario)).collect())
}

fn peers(folder: Option<&Path>) -> anyhow::Result<Vec<Row>> {
    let mut fleet = PeerSet::mocks();
    let PeerSet { clients, servers } = PeerSet::profiles();
    fleet.extend(clients);
    fleet.extend(servers);
    match peers_folder::find(folder)? {
        Some(folder) => {
            let members = folder.fleet().iter().map(|member| &member.installation);
            fleet.extend(members.chain(&folder.beyond()).flat_map(mcp_compat_fleet::Installation::peers));
            for recording in recordings::of_folder(&folder).into_iter().flatten() {
                fleet.extend(recording.peers());
            }
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
            "id": rule.id, "level": rule.level.newest(), "party": rule.party, "revisions": rule.revisions.to_string(),
            "title": rule.title, "source": rule.source,
        });
        ((rule.id.to_owned(), format!("{} {}: {}", rule.party, rule.level, rule.title)), value)
    };
    rules::all().iter().map(|rule| row(rule)).collect()
}
