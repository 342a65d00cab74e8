//! The JSON Schema Test Suite as scenarios: from the text of its files to one scenario a test.
//!
//! ```text
//! tests/draft2020-12/anyOf.json ─ read ─> groups of tests ─ name ─> SuiteCase: schema, value, the suite's word, an id
//!                                                                       └─ play ─> Scenario
//! ```
//!
//! A test of the suite is a schema, a value, and whether the value is valid by it. As a scenario it is a tool with that
//! `outputSchema` which returns that `structuredContent`: what is valid has to arrive `intact`, what is not has to be
//! `caught`. The text goes over the wire lexeme for lexeme, but for two things that the suite leaves to its runner:
//!
//! - **`$schema`.** Schemas of draft-07 do not name their dialect, since a runner is told by the folder. A client is not,
//!   so `$schema` is put first in every schema that lacks it. (Beside a `$ref` draft-07 ignores other members, this one
//!   by the letter too; every validator looks at it all the same.)
//! - **Schemas that are `true` or `false`.** MCP has objects only. `true` goes out as the schema that allows everything,
//!   `{"$schema": …}`, and `false` as the one that allows nothing, `{"$schema": …, "not": {}}`, which mean the same by
//!   definition. Within a schema they stay as they are.
//!
//! A legacy session knows only schemas with `type: object` at their root, and objects. Where a test has both, it may be
//! played from 2025-06-18 on; any other, from 2026-07-28.

mod case;
mod name;
mod play;
mod read;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::schema_suite::{SuiteDraft, SuiteTest};

use crate::Diagnostics;
use crate::sink::Sink;

pub use case::SuiteCase;
pub use name::spelled;
pub use play::one_tool;

/// A file of the suite.
#[derive(Clone, Debug)]
pub struct SuiteFile {
    /// The draft that it is about.
    pub draft: SuiteDraft,
    /// Its name without the extension, most often a keyword: `anyOf`.
    pub keyword: String,
    /// What is in it.
    pub text: String,
}

impl SuiteFile {
    /// Its path below the checkout.
    #[must_use]
    pub fn path(&self) -> String {
        format!("tests/{}/{}.json", self.draft, self.keyword)
    }
}

/// Reads files of the suite: one case a test, in the order of the files.
///
/// # Errors
/// Every mistake in every file.
pub fn load(files: &[SuiteFile]) -> Result<Vec<SuiteCase>, Diagnostics> {
    let mut cases = Vec::new();
    let mut diagnostics = Diagnostics::default();
    for file in files {
        let path = file.path();
        let mut sink = Sink::new(&path, &file.text);
        let groups = read::groups(&mut sink);
        let read = groups.into_iter().flat_map(|group| cases_of(file, group, &mut sink)).collect::<Vec<_>>();
        match sink.finish(read) {
            Ok(read) => cases.extend(read),
            Err(found) => diagnostics.extend(found),
        }
    }
    if diagnostics.is_empty() { Ok(cases) } else { Err(diagnostics) }
}

fn cases_of(file: &SuiteFile, groups: Vec<read::Group<'_>>, sink: &mut Sink<'_>) -> Vec<SuiteCase> {
    let mut cases = Vec::new();
    let mut group_names = name::Names::default();
    for (place, group) in groups.into_iter().enumerate() {
        let group_name = group_names.of(&group.description);
        let mut test_names = name::Names::default();
        let (schema_text, schema) = play::schema(&group.schema, file.draft);
        for test in group.tests {
            let name = format!(
                "{}/{}/{group_name}[{}]",
                file.draft,
                name::slug(&file.keyword),
                test_names.of(&test.description)
            );
            let scenario = match ScenarioId::new(name) {
                Ok(scenario) => scenario,
                Err(error) => {
                    sink.report(sink.mistake(&test.span, format!("this test cannot be named: {error}")));
                    continue;
                }
            };
            cases.push(SuiteCase {
                test: SuiteTest {
                    scenario,
                    draft: file.draft,
                    keyword: file.keyword.clone(),
                    group: group.description.clone(),
                    test: test.description,
                    schema: format!("{}#/{place}/schema", file.path()),
                    valid: test.valid,
                    remote: None,
                    dissent: None,
                },
                schema: schema.clone(),
                value: test.value.json,
                schema_text: schema_text.clone(),
                value_text: test.value.text,
            });
        }
    }
    cases
}
