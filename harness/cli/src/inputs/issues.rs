//! Issues in other trackers about causes: a list in TOML that ships, or one of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::cause::causes;
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::site::Issue;
use mcp_compat_run::glob::Glob;
use serde::Deserialize;

/// Name of the list that ships, among the files of the adapters.
const SHIPPED: &str = "issues.toml";

/// Largest size of a list in bytes; it is written by hand.
const LONGEST: u64 = 1 << 20;

/// Largest number of issues that are shown for a cause.
const SHOWN: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    issue: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    cause: String,
    #[serde(default)]
    families: BTreeSet<String>,
    url: String,
    title: String,
    state: String,
}

/// Returns the issues about the causes of a record, by the name of the cause, from the file or from the list that
/// ships.
pub fn of_record(record: &Record, file: Option<&Path>) -> Result<BTreeMap<String, Vec<Issue>>> {
    let (name, text) = match file {
        Some(path) => {
            let reading = || format!("cannot read the reports {}", path.display());
            (path.display().to_string(), input_file::read_text(path, LONGEST).with_context(reading)?)
        }
        None => (SHIPPED.to_owned(), mcp_compat_fleet::adapters::text(SHIPPED).unwrap_or_default().to_owned()),
    };
    let entries = parsed(&text).with_context(|| format!("cannot read the reports {name}"))?;
    let mut found = BTreeMap::<String, Vec<Issue>>::new();
    for rating in [Rating::Breaks, Rating::Degraded] {
        for cause in causes(&record.cells, rating) {
            let families: BTreeSet<&str> = cause
                .cells
                .iter()
                .flat_map(|cell| [&cell.client, &cell.server])
                .filter_map(|peer| peer.release().map(|(family, _)| family))
                .collect();
            let concerns = |entry: &&(Glob, Entry)| {
                let (pattern, Entry { families: about, .. }) = entry;
                let is_of_them = about.is_empty() || about.iter().any(|family| families.contains(family.as_str()));
                is_of_them && cause.example.signature.is_some() && pattern.matches(&cause.name)
            };
            let issues: Vec<Issue> = entries
                .iter()
                .filter(concerns)
                .map(|(_, Entry { url, title, state, .. })| Issue {
                    url: url.clone(),
                    title: title.clone(),
                    state: state.clone(),
                })
                .take(SHOWN)
                .collect();
            if !issues.is_empty() {
                found.insert(cause.name, issues);
            }
        }
    }
    Ok(found)
}

fn parsed(text: &str) -> Result<Vec<(Glob, Entry)>> {
    let File { issue } = toml::from_str(text)?;
    let checked = issue.into_iter().map(|entry| {
        let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'`\\".contains(c);
        if !(entry.url.starts_with("https://") && entry.url.chars().all(is_plain)) {
            bail!("{:?} is not an address: write https://…", entry.url);
        }
        let pattern = Glob::new(&entry.cause).with_context(|| format!("the cause {:?}", entry.cause))?;
        Ok((pattern, entry))
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_that_ships_can_be_read() {
        assert!(!parsed(&mcp_compat_fleet::adapters::text(SHIPPED).unwrap()).unwrap().is_empty());
    }

    #[test]
    fn an_entry_has_an_address_of_the_web_and_no_unknown_key() {
        let entry = |rest: &str| format!("[[issue]]\ncause = \"a:*\"\ntitle = \"t\"\nstate = \"open\"\n{rest}");
        assert_eq!(parsed(&entry("url = \"https://example.org/1\"")).unwrap().len(), 1);
        let wrong = |rest: &str| format!("{:#}", parsed(&entry(rest)).err().unwrap());
        assert!(wrong("url = \"javascript:alert(1)\"").contains("write https://"));
        assert!(wrong("url = \"https://example.org/\"\nurk = 1").contains("urk"));
    }
}
