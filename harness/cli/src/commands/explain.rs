//! `explain`: print the meaning of a rule, an outcome or another word of a report.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args as ClapArgs;
use mcp_compat_audit::server::{AUDIT_RULES, AuditRule};
use mcp_compat_judge::rules::{self, Rule};
use mcp_compat_model::signature::{Ground, Signature};
use mcp_compat_model::suggestions::near;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_reports::rule::{self, Explained, ExplainedOfAudit};
use mcp_compat_reports::view::View;
use mcp_compat_reports::{headline, list, wording};
use mcp_compat_run::history::{OpenedRun, open};

use crate::exit::Exit;
use crate::inputs::numbered_causes;
use crate::output::print;
use crate::terminal;
use crate::values::{DEFAULT_OUT, record_folder, records};

const EXAMPLES: &str = "\
Examples:
  mcp-compat explain 1
  mcp-compat explain text-fallback
  mcp-compat explain lost
  mcp-compat explain SEP-2106
  mcp-compat explain 'client:hung:session:refusal-ignored'";

/// Page of the book that defines the words of reports; a link to `docs/src/glossary.md`.
const GLOSSARY: &str = include_str!("../../glossary.md");

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The number of a cause in the report of the last run, the id of a rule, an outcome, a word of the glossary, or the
    /// signature of a cause
    #[arg(value_name = "WORD")]
    name: String,
    /// The run that has the cause: its folder, or a compact run of a history (.mcpc.gz) [default: .mcp-compat or
    /// target/mcp-compat]
    #[arg(long, value_name = "DIR", value_parser = records())]
    out: Option<PathBuf>,
}

pub(crate) fn execute(args: &ExplainArgs) -> anyhow::Result<Exit> {
    match args.name.parse::<usize>() {
        Ok(number) => {
            let run = args.out.clone().unwrap_or_else(|| record_folder(DEFAULT_OUT.into()));
            let (title, ground) = cause(&run, number)?;
            print!("{number}  {title}\n\n");
            explain(&ground)
        }
        Err(_) => explain(&args.name),
    }
}

/// Returns the title of the cause with a number in a run, and its rule, or its signature if there is no rule.
fn cause(run: &Path, number: usize) -> anyhow::Result<(String, String)> {
    let OpenedRun { record, .. } = open(run)?;
    let view = View::of(&record);
    let cause = numbered_causes::find(&view, run, number)?;
    let title = headline::title(cause);
    match &cause.example.signature {
        Some(Signature { ground: Ground::Rule(rule), .. }) => Ok((title, rule.clone())),
        Some(signature) => Ok((title, signature.to_string())),
        None => bail!("no rule explains cause {number}. `mcp-compat show {number}` shows it"),
    }
}

fn explain(word: &str) -> anyhow::Result<Exit> {
    let as_read = |outcome: &Outcome| wording::outcome(*outcome) == word;
    if let Some(outcome) = word.parse::<Outcome>().ok().or_else(|| Outcome::ALL.into_iter().find(as_read)) {
        let silent = if outcome.is_silent() { " Such a break is silent." } else { "" };
        let meaning = format!("{}.{silent}", outcome.meaning());
        let read = wording::outcome(outcome);
        let name = if read == outcome.as_str() { read.to_owned() } else { format!("{outcome} ({read})") };
        let rows: Vec<(String, String)> = [(name, meaning)].into_iter().chain(glossary_entry(word)).collect();
        print!("{}", list::table(&rows, terminal::style()));
        return Ok(Exit::Success);
    }
    if let Some(rule) = AUDIT_RULES.iter().find(|rule| rule.id == word) {
        print!("{}", rule::render_of_audit(of_audit(rule), terminal::style()));
        return Ok(Exit::Success);
    }
    if let Some((word, meaning)) = glossary_entry(word).or_else(|| of_cause(word)) {
        print!("{}", list::table(&[(word, meaning)], terminal::style()));
        return Ok(Exit::Success);
    }
    let Some(rule) = rules::find(word) else {
        let words = glossary().map(|(word, _)| word).chain(AUDIT_RULES.iter().map(|rule| rule.id));
        let names = rules::all().iter().map(|rule| rule.id).chain(Outcome::ALL.map(Outcome::as_str)).chain(words);
        bail!("{}", unknown(&word.to_lowercase(), names));
    };
    print!("{}", rule::render(&explained(rule), terminal::style()));
    Ok(Exit::Success)
}

/// Returns the words of the glossary with their meanings in Markdown, in alphabetical order.
fn glossary() -> impl Iterator<Item = (&'static str, &'static str)> {
    GLOSSARY.lines().filter_map(|line| line.strip_prefix("| *")?.strip_suffix(" |")?.split_once("* | "))
}

/// Returns the entry of a word in the glossary, or the entry that defines the word, such as *era* for `legacy`.
fn glossary_entry(word: &str) -> Option<(String, String)> {
    // Reports write some words in capitals, and people the names of proposals in small letters.
    let marked = format!("*{}*", word.to_lowercase());
    let defines = || glossary().find(|(_, meaning)| meaning.contains(&marked));
    let (word, meaning) = glossary().find(|(known, _)| known.eq_ignore_ascii_case(word)).or_else(defines)?;
    Some((word.to_owned(), meaning.replace('*', "")))
}

/// Number of similar names in an error message.
const NEAR: usize = 3;

/// Returns the error message for an unknown word, with similar names.
fn unknown<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> String {
    let near = match &near(word, names, NEAR)[..] {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        [others @ .., last] => format!(" Did you mean {} or {last}?", others.join(", ")),
    };
    format!(
        "{word:?} is not a rule, an outcome or a word of the glossary.{near}\n\
         `mcp-compat show rules` lists the rules, docs/src/glossary.md the words and the outcomes."
    )
}

/// Explains a signature, or the part of one that names no rule, such as `stream-withheld`.
fn of_cause(name: &str) -> Option<(String, String)> {
    let signature = name.parse::<Signature>().ok().map(|it| headline::of_signature(&it));
    Some((name.to_owned(), signature.or_else(|| headline::of_ground(&Ground::from(name)))?))
}

/// Converts a rule that only an audit checks for the reports.
fn of_audit(rule: &AuditRule) -> ExplainedOfAudit<'_> {
    let AuditRule { id, title, severity, remedy, source, .. } = *rule;
    ExplainedOfAudit { id, title, severity, remedy, source }
}

/// Converts a rule for the reports.
fn explained(rule: &Rule) -> Explained {
    Explained {
        id: rule.id.to_owned(),
        title: rule.title.to_owned(),
        level: rule.level,
        party: rule.party,
        revisions: rule.revisions.to_string(),
        source: rule.source.to_owned(),
        explanation: rule.explanation.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_explained_by_its_entry_or_by_the_entry_that_defines_it() {
        let silent = "said of a break that raises no error anywhere (silently in tables)";
        let silent = ("silent".to_owned(), silent.to_owned());
        assert_eq!(glossary_entry("silent"), Some(silent));
        for (word, of) in [
            ("legacy", "era"),
            ("session", "blast radius"),
            ("degraded", "rating"),
            ("spec", "fault"),
            ("http", "transport"),
            ("SILENT", "silent"),
            ("silently", "silent"),
            ("lost", "blast radius"),
            ("sep-2106", "SEP-2106"),
            ("vacuous", "unproven"),
            ("cell", "check"),
        ] {
            assert_eq!(glossary_entry(word).map(|(of, _)| of).as_deref(), Some(of), "{word}");
        }
        assert!(glossary_entry("xyzzy").is_none());
    }

    #[test]
    fn every_row_of_the_glossary_is_read_in_alphabetical_order() {
        let words: Vec<&str> = glossary().map(|(word, _)| word).collect();
        assert_eq!(words.len(), GLOSSARY.lines().filter(|line| line.starts_with("| *")).count());
        assert!(words.len() > 30 && words.is_sorted(), "{words:?}");
    }
}
