//! The JSON Schema Test Suite, read from a checkout and made into a corpus of its own.
//!
//! The files of `tests/draft2020-12` and `tests/draft7` are read; what the suite calls optional is left out, since nobody
//! is bound to it, and since JSON Schema 2020-12 lets `format` be an annotation. `remotes` is left out too: no client may
//! fetch by itself what a schema names, so what needs it is played, and counts for nothing.
//!
//! Every test is also put to the judge's own validator. The suite is right where the two differ, and the record says so.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_compat_inclusion::{Conformance, Schemas};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::Record;
use mcp_compat_model::schema_suite::{SuiteDraft, SuiteRun, SuiteTest};
use mcp_compat_scenario::suite::{SuiteCase, SuiteFile, load};
use mcp_compat_scenario::{Diagnostics, Scenario};

/// The clients that play it unless others are named: the reference mocks that take any schema.
pub const DEFAULT_CLIENTS: [&str; 1] = ["mock/dual+auto"];

/// The servers that play it unless others are named: they only say what a test has them say.
pub const DEFAULT_SERVERS: [&str; 1] = ["mock/dual"];

/// How long a file of the suite may be; the longest that there is has some 60,000 bytes.
const FILE_LENGTH: u64 = 16 * 1024 * 1024;

/// The suite as a corpus.
#[derive(Debug)]
pub struct SchemaSuite {
    folder: String,
    scenarios: Vec<Arc<Scenario>>,
    tests: Vec<SuiteTest>,
}

/// Why a folder cannot be played as the suite; the user's input is wrong.
#[derive(Debug, thiserror::Error)]
pub enum SchemaSuiteError {
    /// It is something else.
    #[error(
        "{} is no checkout of the JSON Schema Test Suite: it has no tests/draft2020-12/*.json; name the folder that \
         `git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite` makes",
        .0.display()
    )]
    NotTheSuite(PathBuf),
    /// A file or folder of it cannot be read.
    #[error("cannot read {} of the schema suite: {error}", .path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A file of it is longer than any of the suite.
    #[error(
        "reading {} of the schema suite: it has {bytes} bytes, and no file of the suite has more than {FILE_LENGTH}",
        .path.display()
    )]
    TooLong {
        /// Which one.
        path: PathBuf,
        /// How long it is.
        bytes: u64,
    },
    /// Files of it have mistakes.
    #[error("the schema suite in {} has mistakes; nothing was run", .folder.display())]
    Mistakes {
        /// The checkout.
        folder: PathBuf,
        /// All of them.
        mistakes: Diagnostics,
    },
}

impl SchemaSuite {
    /// Reads a checkout.
    ///
    /// # Errors
    /// When it is none, or cannot be read, or has a mistake.
    pub fn read(folder: &Path) -> Result<Self, SchemaSuiteError> {
        let mut files = Vec::new();
        for draft in SuiteDraft::ALL {
            files.extend(files_of(folder, draft)?);
        }
        let cases = load(&files).map_err(|mistakes| SchemaSuiteError::Mistakes {
            folder: folder.to_owned(),
            mistakes: mistakes.below(folder),
        })?;
        if cases.is_empty() {
            return Err(SchemaSuiteError::NotTheSuite(folder.to_owned()));
        }
        let schemas = Schemas::default();
        let mut cases: Vec<SuiteCase> = cases.into_iter().map(|case| held_against(&schemas, case)).collect();
        cases.sort_by(|one, other| one.test.scenario.cmp(&other.test.scenario));
        Ok(Self {
            folder: folder.display().to_string(),
            scenarios: cases.iter().map(|case| Arc::new(case.scenario())).collect(),
            tests: cases.into_iter().map(|case| case.test).collect(),
        })
    }

    /// One scenario a test, sorted by id.
    #[must_use]
    pub fn scenarios(&self) -> &[Arc<Scenario>] {
        &self.scenarios
    }

    /// What the suite says of each test, sorted by scenario.
    #[must_use]
    pub fn tests(&self) -> &[SuiteTest] {
        &self.tests
    }

    /// Notes in the record of a run what the suite says of the tests that were played in it.
    pub fn note(&self, record: &mut Record) {
        let played: BTreeSet<&ScenarioId> = record.cells.iter().map(|cell| &cell.scenario).collect();
        let tests = self.tests.iter().filter(|test| played.contains(&test.scenario)).cloned().collect();
        record.schema_suite = Some(SuiteRun { folder: self.folder.clone(), tests });
    }
}

/// The files of a draft, by name; none where the checkout has no such draft.
fn files_of(folder: &Path, draft: SuiteDraft) -> Result<Vec<SuiteFile>, SchemaSuiteError> {
    let folder = folder.join("tests").join(draft.as_str());
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unreadable = |error| SchemaSuiteError::Read { path: folder.clone(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    paths.into_iter().map(|path| file(path, draft)).collect()
}

fn file(path: PathBuf, draft: SuiteDraft) -> Result<SuiteFile, SchemaSuiteError> {
    let unreadable = |error| SchemaSuiteError::Read { path: path.clone(), error };
    let bytes = fs::metadata(&path).map_err(unreadable)?.len();
    if bytes > FILE_LENGTH {
        return Err(SchemaSuiteError::TooLong { path, bytes });
    }
    let text = fs::read_to_string(&path).map_err(unreadable)?;
    let keyword = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(SuiteFile { draft, keyword, text })
}

/// The case with what our own validator has to say of it.
fn held_against(schemas: &Schemas, mut case: SuiteCase) -> SuiteCase {
    case.test.remote = schemas.outside(&case.schema);
    if case.test.remote.is_none() {
        case.test.dissent = match (schemas.check(&case.schema, &case.value), case.test.valid) {
            (Conformance::Conforms, true) | (Conformance::Violates { .. }, false) => None,
            (Conformance::Conforms, false) => Some("valid".to_owned()),
            (Conformance::Violates { message, .. }, true) => Some(format!("invalid: {message}")),
            (Conformance::Undecided { reason, .. }, _) => Some(format!("undecided: {reason}")),
        };
    }
    case
}
