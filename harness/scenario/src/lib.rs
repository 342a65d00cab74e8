//! Scenario files: from TOML text to checked scenarios, with diagnostics that point at the line.
//!
//! ```text
//! text ── file ──> File: every key with its place ── resolve ──> Scenario: checked, defaults filled in, ready to play
//!            └────────────── sink ──────────────────────┘──────> Diagnostics: every mistake, drawn by render
//! ```
//!
//! No stage stops at the first mistake: each reports unusable input to the sink and continues with the rest. The types
//! of [`mod@scenario`] are the public result; the types of `file` also give the format's JSON Schema ([`schema`]).
//! [`corpus`] is the set of scenarios that comes with this project.
//!
//! ```
//! let text = r#"
//! title = "A number at the root"
//! why = "Any JSON value may be structured content, and zero is easily taken for nothing."
//! since = "2026-07-28"
//! sources = ["https://modelcontextprotocol.io/seps/2106-json-schema-2020-12"]
//!
//! [[tool]]
//! definition = '{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}'
//! returns = '{"structuredContent": 0, "content": [{"type": "text", "text": "0"}]}'
//! "#;
//! let scenarios = mcp_compat_scenario::load("root-type/zero.toml", text, &|_| None)?;
//! assert_eq!(scenarios[0].id.as_str(), "root-type/zero");
//! assert_eq!(scenarios[0].steps.len(), 3, "list, call the tool, call the bystander");
//! # Ok::<(), mcp_compat_scenario::Diagnostics>(())
//! ```
//!
//! The crate is pure: files come in as text, and diagnostics go out as data or text.

#![warn(missing_docs)]

mod budget;
pub mod corpus;
mod diagnostic;
mod file;
mod parts;
pub mod places;
mod render;
mod resolve;
pub mod scenario;
mod sink;
mod words;
pub mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use file::schema;
pub use places::Placed;
pub use scenario::Scenario;

use file::document::File;
use file::table::Table;
use sink::Sink;

/// Reads one scenario file: one scenario, or the members of a family in the order written.
///
/// `path` is the file's path below its corpus, such as `root-type/array.toml`; the id comes from it. `beside` looks
/// up a `raw-file` by its path below the same corpus: for `broken.bin` in that file it is asked for
/// `root-type/broken.bin`.
///
/// # Errors
/// Every mistake in the file.
pub fn load(path: &str, text: &str, beside: &dyn Fn(&str) -> Option<Vec<u8>>) -> Result<Vec<Scenario>, Diagnostics> {
    Ok(load_placed(path, text, beside)?.into_iter().map(|placed| placed.scenario).collect())
}

/// Reads one scenario file as [`load`] does, and returns each scenario with the places of its parts in the file.
///
/// # Errors
/// Every mistake in the file.
pub fn load_placed(
    path: &str,
    text: &str,
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<Placed>, Diagnostics> {
    let mut sink = Sink::new(path, text);
    let Some(tree) = file::table::parse(text, &mut sink) else { return sink.finish(Vec::new()) };
    let file = File::read(Table::new(tree.get_ref(), 0..0, "a scenario file"), &mut sink);
    let scenarios = resolve::scenarios(&file, beside, &mut sink);
    let text: Arc<str> = text.into();
    let placed = |(scenario, places)| Placed { scenario, places, path: path.to_owned(), text: Arc::clone(&text) };
    sink.finish(scenarios.into_iter().map(placed).collect())
}

/// Reads a whole corpus of paths and texts, sorted by id. No id may occur twice.
///
/// # Errors
/// Every mistake in every file.
pub fn load_all<P: AsRef<str>, T: AsRef<str>>(
    files: &[(P, T)],
    beside: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<Scenario>, Diagnostics> {
    let mut corpus = BTreeMap::new();
    let mut diagnostics = Diagnostics::default();
    for (path, text) in files {
        let (path, text) = (path.as_ref(), text.as_ref());
        match load(path, text, beside) {
            Err(found) => diagnostics.extend(found),
            Ok(scenarios) => {
                for scenario in scenarios {
                    let id = scenario.id.clone();
                    if corpus.insert(id.clone(), scenario).is_some() {
                        let mistake = Diagnostic::new(path, 0..0, format!("there are two scenarios `{id}`"))
                            .help("the id is the path of the file: two of the files have the same one");
                        diagnostics.extend(Diagnostics::of_file(path, text, vec![mistake]));
                    }
                }
            }
        }
    }
    if diagnostics.is_empty() { Ok(corpus.into_values().collect()) } else { Err(diagnostics) }
}
