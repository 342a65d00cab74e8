//! `explain`: a rule, or an outcome.

use anyhow::anyhow;
use clap::Args as ClapArgs;
use mcp_compat_audit::server::{AUDIT_RULES, AuditRule};
use mcp_compat_judge::rules::{self, RevisionRange, Rule};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_reports::list;
use mcp_compat_reports::rule::{self, Explained};
use mcp_compat_run::glob::nothing;

use crate::exit::Exit;
use crate::glossary;
use crate::output::print;
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
    if let Some(rule) = AUDIT_RULES.iter().find(|rule| rule.id == args.name) {
        print!("{}", list::table(&of_audit(rule), terminal::style()));
        return Ok(Exit::Success);
    }
    if let Some(meaning) = glossary::meaning(&args.name) {
        print!("{}", list::table(&[(args.name.clone(), meaning)], terminal::style()));
        return Ok(Exit::Success);
    }
    let Some(rule) = rules::find(&args.name) else {
        let words = glossary::WORDS.iter().map(|(word, _)| *word).chain(AUDIT_RULES.iter().map(|rule| rule.id));
        let names = rules::all().iter().map(|rule| rule.id).chain(Outcome::ALL.map(Outcome::as_str)).chain(words);
        return Err(anyhow!(nothing("rule or outcome", &args.name, names)));
    };
    print!("{}", rule::render(&explained(rule), terminal::style()));
    Ok(Exit::Success)
}

/// A rule that only an audit checks.
fn of_audit(rule: &AuditRule) -> Vec<(String, String)> {
    let mut rows = vec![
        (rule.id.to_owned(), rule.title.to_owned()),
        ("severity".to_owned(), format!("{}, checked by `audit`", rule.severity)),
        ("to fix".to_owned(), rule.remedy.to_owned()),
    ];
    rows.extend(rule.source.map(|source| ("source".to_owned(), source.to_owned())));
    rows
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
