//! Reading the YAML of the official conformance suite's baseline: under `client` and `server`, lists of entries.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use mcp_compat_model::Role;
use mcp_compat_run::baseline::ConformanceEntry;
use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};

/// How long such a file may be. It is written by hand.
const LONGEST: u64 = 1 << 20;

/// Reads the file.
///
/// # Errors
/// When it cannot be read, or is none; with the line.
pub fn read(path: &Path) -> Result<Vec<ConformanceEntry>> {
    let shown = path.display();
    let reading = || format!("cannot read the baseline {shown}");
    let length = std::fs::metadata(path).with_context(reading)?.len();
    if length > LONGEST {
        bail!("the baseline {shown} has {length} bytes, and may have {LONGEST}: is it the right file?");
    }
    let text = std::fs::read_to_string(path).with_context(reading)?;
    entries(&text).with_context(|| format!("the baseline {shown} is not one of the conformance suite"))
}

fn entries(text: &str) -> Result<Vec<ConformanceEntry>> {
    let documents = MarkedYaml::load_from_str(text)?;
    let root = match documents.as_slice() {
        [] => return Ok(Vec::new()),
        [root] => root,
        [_, second, ..] => bail!("line {}: a second document; expected one", second.span.start.line()),
    };
    if is_empty(root) {
        return Ok(Vec::new());
    }
    let YamlData::Mapping(sides) = &root.data else {
        bail!("line {}: expected the keys `client` and `server`, each with a list", root.span.start.line());
    };
    let mut entries = Vec::new();
    for (side, list) in sides {
        let line = side.span.start.line();
        let role = match side.data.as_str() {
            Some("client") => Role::Client,
            Some("server") => Role::Server,
            Some(other) => bail!("line {line}: the key {other:?} is unknown; expected `client` or `server`"),
            None => bail!("line {line}: expected the key `client` or `server`"),
        };
        if is_empty(list) {
            continue;
        }
        let YamlData::Sequence(items) = &list.data else {
            bail!("line {}: expected a list of scenarios under `{role}`", list.span.start.line());
        };
        for item in items {
            entries.push(entry(item, role)?);
        }
    }
    Ok(entries)
}

/// Whether nothing stands there.
fn is_empty(node: &MarkedYaml<'_>) -> bool {
    matches!(node.data, YamlData::Value(Scalar::Null))
}

fn entry(item: &MarkedYaml<'_>, role: Role) -> Result<ConformanceEntry> {
    let line = item.span.start.line();
    if let Some(text) = item.data.as_str() {
        return Ok(ConformanceEntry { line, role, text: text.to_owned() });
    }
    if let YamlData::Mapping(pairs) = &item.data
        && let Some((scenario, check)) = pairs.iter().next().filter(|_| pairs.len() == 1)
        && let (Some(scenario), Some(check)) = (scenario.data.as_str(), check.data.as_str())
    {
        bail!("line {line}: write it without the blank after the colon: {:?}", format!("- {scenario}:{check}"));
    }
    bail!("line {line}: expected `<scenario>` or `<scenario>:<rule>`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        entries(text).unwrap_err().to_string()
    }

    #[test]
    fn entries_are_read_with_their_lines() {
        let text = "# known\nserver:\n  - sse-retry   # why\n\nclient:\n- root-type/array\n- 'ref/local:output-schema-valid'\n";
        let read: Vec<_> =
            entries(text).unwrap().into_iter().map(|entry| (entry.line, entry.role, entry.text)).collect();
        let expected = [(3, Role::Server, "sse-retry"), (6, Role::Client, "root-type/array")];
        let last = (7, Role::Client, "ref/local:output-schema-valid");
        assert_eq!(read, expected.into_iter().chain([last]).map(|(l, r, t)| (l, r, t.to_owned())).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_with_nothing_in_it_knows_of_no_break() {
        for text in ["", "# nothing\n", "client:\n", "server: []\n"] {
            assert_eq!(entries(text).unwrap(), [], "{text:?}");
        }
    }

    #[test]
    fn what_is_no_baseline_is_told_with_its_line() {
        assert!(
            wrong("client:\n  - a: b\n").ends_with("line 2: write it without the blank after the colon: \"- a:b\"")
        );
        assert!(wrong("clients:\n  - a\n").contains("line 1: the key \"clients\" is unknown"));
        assert!(wrong("client: a\n").contains("line 1: expected a list"));
        assert!(wrong("client:\n  - [a]\n").contains("line 2: expected `<scenario>`"));
        assert!(wrong("- a\n").contains("line 1: expected the keys"));
        assert!(wrong("client:\n  - a\n---\nserver: []\n").contains("a second document"));
        assert!(wrong("client:\n  - \"a\n").contains("line"), "{}", wrong("client:\n  - \"a\n"));
    }
}
