//! `explain`: a rule, or an outcome.

use anstream::print;
use anyhow::anyhow;
use clap::Args as ClapArgs;
use mcp_compat_judge::rules::{self, RevisionRange, Rule};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_reports::list;
use mcp_compat_reports::rule::{self, Explained};
use mcp_compat_run::glob::nothing;

use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// A rule's id or an outcome
    #[arg(value_name = "RULE|OUTCOME")]
    name: String,
}

pub(crate) fn execute(args: &ExplainArgs) -> anyhow::Result<Exit> {
    if let Ok(outcome) = args.name.parse::<Outcome>() {
        let silent = if outcome.is_silent() { " The user gets no error: the break is silent." } else { "" };
        let meaning = format!("{}.{silent}", outcome.meaning());
        print!("{}", list::table(&[(outcome.to_string(), meaning)], terminal::style()));
        return Ok(Exit::Success);
    }
    let Some(rule) = rules::find(&args.name) else {
        let names = rules::all().iter().map(|rule| rule.id).chain(Outcome::ALL.map(Outcome::as_str));
        return Err(anyhow!(nothing("rule or outcome", &args.name, names)));
    };
    print!("{}", rule::render(&explained(rule), terminal::style()));
    Ok(Exit::Success)
}

/// A rule as the reports know it.
pub(crate) fn explained(rule: &Rule) -> Explained {
    Explained {
        id: rule.id.to_owned(),
        title: rule.title.to_owned(),
        level: rule.level,
        party: rule.party,
        revisions: revisions(rule),
        source: rule.source.to_owned(),
        explanation: rule.explanation.to_owned(),
    }
}

/// The revisions in which a rule holds, in words.
pub(crate) fn revisions(rule: &Rule) -> String {
    range(rule.revisions)
}

/// A range of revisions, in words.
pub(crate) fn range(revisions: RevisionRange) -> String {
    let (from, to) = (revisions.from, revisions.to);
    if from == to { from.to_string() } else { format!("{from} to {to}") }
}
