//! The corpus of scenarios that this project ships, embedded in the binary, and the digest of a corpus: a short hash of the
//! scripts, the jobs and the expectations.
//!
//! For a digest each scenario is hashed as a line of JSON. Some lines have ten megabytes, so no line is held in memory as a
//! whole.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use include_dir::{Dir, DirEntry, File, include_dir};
use mcp_compat_model::ScenarioId;
use sha2::{Digest as _, Sha256};

use crate::scenario::{Call, Means, Scenario, Step};
use crate::{Diagnostics, load as load_one, load_all};

static CORPUS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/corpus");

/// Returns every scenario of the corpus, sorted by id.
///
/// # Errors
/// Every mistake in every file.
pub fn load() -> Result<Vec<Scenario>, Diagnostics> {
    load_of(|_| true)
}

/// Returns the scenarios of some of the files, sorted by id. `is_wanted` gets the beginning that the ids of a file
/// share, such as `root-type/primitive`. Reading all files takes a while, since some hold megabytes.
///
/// # Errors
/// Every mistake in these files.
pub fn load_of(is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Scenario>, Diagnostics> {
    let mut files = Vec::new();
    collect(&CORPUS, &mut files);
    files.retain(|(path, _)| is_wanted(path.trim_end_matches(".toml")));
    load_all(&files, &beside)
}

/// Returns the scenario with this id. Only its file is read, since the whole corpus takes a while.
///
/// # Errors
/// Every mistake in its file.
pub fn find(id: &ScenarioId) -> Result<Option<Scenario>, Diagnostics> {
    let path = format!("{}.toml", id.file());
    let Some(text) = CORPUS.get_file(&path).and_then(File::contents_utf8) else { return Ok(None) };
    let scenarios = load_one(&path, text, &beside)?;
    Ok(scenarios.into_iter().find(|scenario| scenario.id == *id))
}

fn beside(path: &str) -> Option<Vec<u8>> {
    CORPUS.get_file(path).map(|file| file.contents().to_vec())
}

fn collect(folder: &'static Dir<'_>, files: &mut Vec<(String, &'static str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(folder) => collect(folder, files),
            DirEntry::File(file) => {
                let path = file.path().to_string_lossy().replace('\\', "/");
                if path.ends_with(".toml") {
                    // A file that is not UTF-8 counts as empty, and so is reported.
                    files.push((path, file.contents_utf8().unwrap_or_default()));
                }
            }
        }
    }
}

/// Number of bytes of the hash in a digest: enough to tell corpora apart, and short enough to compare by eye.
const DIGEST_BYTES: usize = 8;

/// Number of bytes of its line that order a scenario among the others. The id is at the beginning.
const ORDERED_BY: usize = 1024;

/// The digests of some scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// Digest of all scenarios together. It does not depend on their order.
    pub corpus: String,
    /// Digest of each scenario, in the given order. It does not depend on the scenario's id.
    pub scenarios: Vec<String>,
}

/// Returns a short hash of the scripts, the jobs and the expectations. Titles, reasons, sources and the order of the
/// scenarios do not change it.
#[must_use]
pub fn digest<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> String {
    // A generic function is compiled in the caller's crate, possibly without optimisation; this work needs it.
    digests(&scenarios.into_iter().collect::<Vec<_>>()).corpus
}

/// Returns the [`digest`] of the scenarios and the digest of each. Each scenario is written twice: to order it, and to
/// hash it.
#[must_use]
pub fn digests(scenarios: &[&Scenario]) -> Digests {
    let mut lines: Vec<(Start, usize, &Scenario)> =
        scenarios.iter().enumerate().map(|(at, scenario)| (start(scenario), at, *scenario)).collect();
    lines.sort_by(|(a, ..), (b, ..)| a.text.cmp(&b.text));
    let (mut corpus, mut each) = (Sha256::new(), vec![String::new(); scenarios.len()]);
    for (Start { length, .. }, at, scenario) in lines {
        // The length separates one scenario from the next.
        corpus.update(length.to_le_bytes());
        let mut hashes = BufWriter::new(Hashes { corpus, own: Sha256::new(), named: named(scenario) });
        played(scenario, &mut hashes);
        // Hashing takes all bytes, so nothing is left in the buffer.
        let _ = hashes.flush();
        let (Hashes { corpus: so_far, own, .. }, _) = hashes.into_parts();
        each[at] = shown(own);
        corpus = so_far;
    }
    Digests { corpus: shown(corpus), scenarios: each }
}

fn shown(hash: Sha256) -> String {
    hash.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the line of a scenario to something that takes all bytes.
fn played(scenario: &Scenario, to: &mut impl Write) {
    // The script and the jobs go in as text: as JSON values their numbers would be rounded.
    let _ = to.write_all(b"[\"");
    // A scenario is written as JSON without errors.
    let _ = serde_json::to_writer(Escaped(to), &scenario.script());
    let _ = to.write_all(b"\",\"");
    let _ = serde_json::to_writer(Escaped(to), &scenario.job_steps());
    let _ = to.write_all(b"\",");
    let _ = serde_json::to_writer(&mut *to, scenario.since.as_str());
    let _ = to.write_all(b",");
    for (number, step) in scenario.steps.iter().enumerate() {
        let _ = to.write_all(if number == 0 { b"[" } else { b"," });
        let _ = serde_json::to_writer(&mut *to, &asked(step));
    }
    let _ = to.write_all(if scenario.steps.is_empty() { b"[]]" } else { b"]]" });
}

/// Kind and content of a call's meaning, then the expected outcome in each era.
type Asked<'s> = (&'static str, Cow<'s, str>, &'static str, &'static str);

fn asked(step: &Step) -> Option<Asked<'_>> {
    match step {
        Step::List | Step::Evolve { .. } => None,
        Step::Call(Call { means, expect, .. }) => {
            let (kind, words) = match means {
                Means::Value(value) => ("value", value.to_compact().into()),
                Means::Text(text) => ("text", text.into()),
                Means::ToolError(words) => ("tool-error", words.into()),
                Means::Invalid => ("invalid", "".into()),
            };
            Some((kind, words, expect.legacy.as_str(), expect.modern.as_str()))
        }
    }
}

/// Beginning of the line of a scenario, and its length.
#[derive(Default)]
struct Start {
    text: Vec<u8>,
    length: u64,
}

fn start(scenario: &Scenario) -> Start {
    let mut start = Start::default();
    played(scenario, &mut start);
    start
}

impl Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = ORDERED_BY.saturating_sub(self.text.len()).min(bytes.len());
        self.text.extend_from_slice(&bytes[..taken]);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the number of bytes of a scenario's line up to the end of its id.
fn named(scenario: &Scenario) -> usize {
    r#"["{\"scenario\":\""#.len() + scenario.id.as_str().len()
}

/// Hash of all scenarios so far, and hash of the current one.
struct Hashes {
    corpus: Sha256,
    own: Sha256,
    /// Number of bytes at the beginning of a line that go only into the hash of all.
    named: usize,
}

impl Write for Hashes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.corpus.update(bytes);
        let of_name = self.named.min(bytes.len());
        self.own.update(&bytes[of_name..]);
        self.named -= of_name;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writer that escapes bytes for use inside a JSON string.
struct Escaped<'w, W>(&'w mut W);

impl<W: Write> Write for Escaped<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|byte| *byte < b' ' || matches!(byte, b'"' | b'\\')) {
            self.0.write_all(&rest[..at])?;
            match rest[at] {
                b'"' => self.0.write_all(b"\\\"")?,
                b'\\' => self.0.write_all(b"\\\\")?,
                b'\n' => self.0.write_all(b"\\n")?,
                b'\r' => self.0.write_all(b"\\r")?,
                b'\t' => self.0.write_all(b"\\t")?,
                0x08 => self.0.write_all(b"\\b")?,
                0x0c => self.0.write_all(b"\\f")?,
                other => write!(self.0, "\\u{other:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the line as one text, as earlier versions hashed it.
    fn whole(scenario: &Scenario) -> String {
        let script = serde_json::to_string(&scenario.script()).unwrap();
        let job = serde_json::to_string(&scenario.job_steps()).unwrap();
        let asked: Vec<_> = scenario.steps.iter().map(asked).collect();
        json!([script, job, scenario.since.as_str(), asked]).to_string()
    }

    #[test]
    fn every_scenario_goes_in_as_a_line_of_json() {
        for scenario in load().unwrap() {
            let mut line = Vec::new();
            played(&scenario, &mut line);
            assert!(line == whole(&scenario).as_bytes(), "{}", scenario.id);
            assert_eq!(start(&scenario).length, line.len() as u64);
        }
    }

    #[test]
    fn text_is_escaped_as_json_escapes_it() {
        let text: String = (0_u8..=0x7f).map(char::from).chain("é\u{2028}😀".chars()).collect();
        let mut within = Vec::new();
        Escaped(&mut within).write_all(text.as_bytes()).unwrap();
        assert_eq!(format!("\"{}\"", String::from_utf8(within).unwrap()), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn the_digest_is_of_the_lines_in_order_each_with_its_length() {
        let scenarios = load().unwrap();
        let mut lines: Vec<String> = scenarios.iter().map(whole).collect();
        lines.sort_unstable();
        let mut hash = Sha256::new();
        for line in lines {
            hash.update((line.len() as u64).to_le_bytes());
            hash.update(line);
        }
        let expected: String = hash.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest(scenarios.iter().rev()), expected);
        let all: Vec<&Scenario> = scenarios.iter().collect();
        assert_eq!(digests(&all).corpus, expected);
    }

    #[test]
    fn a_scenario_of_another_name_is_the_same() {
        let scenarios = load().unwrap();
        for scenario in &scenarios {
            assert!(whole(scenario)[..named(scenario)].ends_with(scenario.id.as_str()), "{}", scenario.id);
        }
        let one = &scenarios[0];
        let renamed = Scenario { id: scenarios[1].id.clone(), ..one.clone() };
        let [was, is, other] = digests(&[one, &renamed, &scenarios[1]]).scenarios.try_into().unwrap();
        assert_eq!(was, is);
        assert_ne!(was, other);
    }
}
