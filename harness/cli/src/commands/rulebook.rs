//! `show rules --markdown`: plays the corpus and prints which rules it violates.

use mcp_compat_judge::rules::{self, Affects, Rule};
use mcp_compat_lab::rulebook::{Breakers, firsts, rulebook};
use mcp_compat_lab::spec_statements::{self, Gap, Judged, Statement};
use mcp_compat_model::verdict::Party;
use mcp_compat_reports::rulebook::{Answered, Asked, Rulebook, Ruling, render};
use mcp_compat_run::request::default_jobs;
use tokio_util::sync::CancellationToken;

use crate::commands::explain::{explained, range};
use crate::exit::Exit;
use crate::inputs::corpus;
use crate::output::print;
use crate::progress::Spinner;
use crate::runtime::interruptible;

pub(crate) fn execute() -> anyhow::Result<Exit> {
    let corpus = corpus::load(&[])?;
    let spinner = Spinner::start("playing every scenario with every mock");
    let played = async { Ok(rulebook(&corpus, default_jobs(), CancellationToken::new()).await?) };
    let found = interruptible(|| {}, played);
    drop(spinner);
    let Some(found) = found? else { return Ok(Exit::Interrupted) };
    let mut broken = found.broken;
    let book = Rulebook {
        rules: rules::all().iter().map(|rule| ruling(rule, broken.remove(rule.id).unwrap_or_default())).collect(),
        scenarios: corpus.len(),
        firsts: firsts(&corpus).len(),
        statements: spec_statements::all().map(asked).collect(),
        gaps: Gap::ALL.iter().map(|gap| gap.meaning().to_owned()).collect(),
    };
    print!("{}", render(&book));
    Ok(Exit::Success)
}

fn ruling(rule: &Rule, breakers: Breakers) -> Ruling {
    let shown = breakers.shown.into_iter().map(|(peer, scenarios)| (peer.to_string(), scenarios)).collect();
    Ruling { rule: explained(rule), scripted: breakers.scripted, shown, unbroken: unbroken(rule).to_owned() }
}

/// Returns the reason why nothing violates a rule.
fn unbroken(rule: &Rule) -> &'static str {
    match rule.party {
        Party::Client | Party::Server if rule.affects == Affects::HttpHead => {
            "It is about HTTP, and the scenarios were played in memory."
        }
        Party::Client => "No mock client violates it.",
        Party::Server => "No scenario scripts it, and no mock server violates it by itself.",
        Party::Spec => "No scenario reaches the point where the specification contradicts itself.",
    }
}

fn asked(statement: &Statement) -> Asked {
    let answered = match &statement.judged {
        Judged::ByRules(ids) => Answered::ByRules(ids.clone()),
        Judged::ByVerdict(how) => Answered::ByVerdict(how.clone()),
        Judged::Not(gap, why) => Answered::Not { gap: gap.meaning().to_owned(), why: why.clone() },
    };
    Asked {
        page: statement.page().to_owned(),
        level: statement.level,
        whom: statement.party.to_string(),
        revisions: range(statement.revisions),
        address: statement.address(),
        asks: statement.asks.clone(),
        answered,
    }
}
