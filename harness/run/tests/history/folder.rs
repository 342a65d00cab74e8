//! The folder of a history: what is added stays as it is, what is wrong is refused, and what goes is what may go.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_compat_model::Role;
use mcp_compat_model::division::Division;
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::record::{Evidence, Record};
use mcp_compat_model::transcript::{Entry, Event, Raw, Transcript};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_run::history::{Added, Adding, History, HistoryError, OpenedRun, Retention, decode, open};
use mcp_compat_run::store::transcripts::TranscriptWriter;
use tempfile::TempDir;

use super::records::{cell, record};

const GOOD: &str = "a/one::mock/dual::rmcp@3.9.0+auto::http";
const BAD: &str = "a/two::mock/dual::rmcp@3.9.0+auto::http";

/// A history of which the form must read for ever.
fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1")
}

/// A run that began then, in which the second cell came out like this.
fn run(started: &str, outcome: Outcome) -> Record {
    record(started, vec![cell(GOOD, Outcome::Intact), cell(BAD, outcome)])
}

/// Evidence of a cell of it.
fn sent(id: &str) -> Evidence {
    let event = Event::Message { raw: Raw::Text(format!("from {id}")), http: None };
    Evidence {
        cell: mcp_compat_model::CellId::parse(id).unwrap(),
        transcript: Transcript { entries: vec![Entry { seq: 0, at_us: 3, from: Role::Client, event }] },
        observation: Observation { negotiated: None, steps: Vec::new(), end: End::Answered {} },
        shortened: false,
    }
}

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn history(&self) -> History {
        History::at(&self.folder.path().join("history"))
    }

    /// Keeps a record as a run does, with its transcripts.
    fn kept(&self, name: &str, record: &Record) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.json"), serde_json::to_string(record).unwrap()).unwrap();
        let mut writer = TranscriptWriter::new(Vec::new());
        record.cells.iter().for_each(|cell| writer.write(&sent(cell.id.as_str())).unwrap());
        fs::write(folder.join("transcripts.jsonl"), writer.finish().unwrap()).unwrap();
        folder
    }

    fn add(&self, record: &Record) -> Result<Added, HistoryError> {
        self.history().add(&self.kept("run", record), Adding::default())
    }

    /// Every file of the history, with its content.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for part in ["runs", "evidence"] {
            for entry in fs::read_dir(self.folder.path().join("history").join(part)).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = format!("{part}/{}", path.file_name().unwrap().to_string_lossy());
                files.insert(name, fs::read(path).unwrap());
            }
        }
        files
    }
}

#[test]
fn a_run_is_added_once_and_opened_with_the_evidence_of_its_breaks() {
    let place = Place::new();
    let run = run("2026-11-22T03:00:00Z", Outcome::Lost);
    let Added::New { path, evidence, .. } = place.add(&run).unwrap() else { panic!("it is new") };
    assert!(path.ends_with("runs/2026-11-22T030000Z.mcpc.gz") && evidence.is_some());
    let before = place.files();
    assert_eq!(before.len(), 2);
    assert_eq!(place.add(&run).unwrap(), Added::Known { path: path.clone() });
    assert_eq!(place.history().add(&path, Adding::default()).unwrap(), Added::Known { path: path.clone() });
    assert_eq!(place.files(), before, "nothing changed");
    let OpenedRun { record, evidence } = open(&path).unwrap();
    assert_eq!(record.cells.len(), 2);
    let mut evidence = evidence.unwrap();
    assert_eq!(evidence.of_cell(&run.cells[1].id).unwrap(), sent(BAD));
    assert!(evidence.of_cell(&run.cells[0].id).is_err(), "the cell works, so its evidence is not kept");
    let elsewhere = place.folder.path().join("copied.mcpc.gz");
    fs::copy(&path, &elsewhere).unwrap();
    assert!(open(&elsewhere).unwrap().evidence.is_none());
}

#[test]
fn what_may_not_be_added_is_refused_and_the_history_stays_as_it_was() {
    let place = Place::new();
    place.add(&run("2026-11-22T03:00:00Z", Outcome::Lost)).unwrap();
    let before = place.files();
    let refused = |record: &Record| place.add(record).unwrap_err().to_string();
    let good = || run("2026-11-23T03:00:00Z", Outcome::Lost);
    let division = Some(Division { of: 2, parts: vec![1], cells: 4, plan: "p".to_owned() });
    for (said, words) in [
        (refused(&run("2026-11-22T03:00:00Z", Outcome::Altered)), "another run that began at the same time"),
        (refused(&run("../../etc/passwd", Outcome::Lost)), "is not a time such as 2026-11-22T03:00:00Z"),
        (refused(&Record { division, ..good() }), "it has not all shards of its run. Join them all"),
        (refused(&Record { cells: Vec::new(), ..good() }), "it has no checks"),
        (
            refused(&Record { corpus: "beef".to_owned(), ..good() }),
            "it has the scenarios beef, and the run 2026-11-22T030000Z",
        ),
        (refused(&Record { schema_version: 99, ..good() }), "is of record format 99"),
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let folder = place.kept("torn", &good());
    let transcripts = fs::read(folder.join("transcripts.jsonl")).unwrap();
    fs::write(folder.join("transcripts.jsonl"), &transcripts[..transcripts.len() / 2]).unwrap();
    let said = place.history().add(&folder, Adding::default()).unwrap_err().to_string();
    assert!(said.contains("transcripts.jsonl, line 2: it is cut off"), "{said}");
    let foreign = place.folder.path().join("foreign.mcpc.gz");
    fs::write(&foreign, "{}").unwrap();
    let said = place.history().add(&foreign, Adding::default()).unwrap_err().to_string();
    assert!(said.contains("foreign.mcpc.gz: it is not a compact run of mcp-compat: it is not a gzip file"), "{said}");
    assert_eq!(place.files(), before);
    let new_corpus = Adding { new_corpus: true, without_evidence: true };
    let folder = place.kept("other", &Record { corpus: "beef".to_owned(), ..good() });
    assert!(matches!(place.history().add(&folder, new_corpus), Ok(Added::New { evidence: None, .. })));
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let place = Place::new();
    let history = place.folder.path().join("history");
    fs::create_dir_all(&history).unwrap();
    // In the way of the folder of runs: the evidence is written before, and has to go again.
    fs::write(history.join("runs"), "").unwrap();
    let folder = place.kept("run", &run("2026-11-22T03:00:00Z", Outcome::Lost));
    let said = place.history().add(&folder, Adding::default()).unwrap_err().to_string();
    assert!(said.contains("cannot write the history") && said.contains("The history is as it was"), "{said}");
    assert_eq!(place.files().len(), 0);
}

#[test]
fn the_runs_are_listed_with_what_changed() {
    let place = Place::new();
    assert!(matches!(place.history().entries(), Err(HistoryError::None { .. })));
    for (started, outcome) in [
        ("2026-11-24T03:00:00Z", Outcome::Lost),
        ("2026-11-22T03:00:00Z", Outcome::Intact),
        ("2026-11-23T03:00:00Z", Outcome::Lost),
    ] {
        place.add(&run(started, outcome)).unwrap();
    }
    let entries = place.history().entries().unwrap();
    let told: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.summary.breaks, entry.changed)).collect();
    assert_eq!(
        told,
        [
            ("2026-11-22T030000Z", 0, None),
            ("2026-11-23T030000Z", 1, Some(true)),
            ("2026-11-24T030000Z", 1, Some(false))
        ]
    );
}

#[test]
fn other_words_for_the_same_verdicts_are_no_change() {
    let place = Place::new();
    let first = run("2026-11-22T03:00:00Z", Outcome::Lost);
    let mut second = run("2026-11-23T03:00:00Z", Outcome::Lost);
    second.cells[1].reason = "the same, said in another way".to_owned();
    second.cells.reverse();
    place.add(&first).unwrap();
    place.add(&second).unwrap();
    assert_eq!(place.history().entries().unwrap()[1].changed, Some(false));
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_an_error() {
    let place = Place::new();
    place.add(&run("2026-11-22T03:00:00Z", Outcome::Lost)).unwrap();
    let runs = place.folder.path().join("history/runs");
    fs::write(runs.join("README.md"), "not looked at").unwrap();
    fs::copy(runs.join("2026-11-22T030000Z.mcpc.gz"), runs.join("2026-11-23T030000Z.mcpc.gz")).unwrap();
    let said = place.history().entries().unwrap_err().to_string();
    assert!(said.contains("2026-11-23T030000Z.mcpc.gz has the run of 2026-11-22T03:00:00Z"), "{said}");
    fs::write(runs.join("2026-11-23T030000Z.mcpc.gz"), "").unwrap();
    assert!(place.history().entries().unwrap_err().to_string().contains("it is not a gzip file"));
}

#[test]
fn pruning_keeps_what_changed_and_the_newest_evidence() {
    let place = Place::new();
    for day in 1..=9 {
        let outcome = if day < 5 { Outcome::Lost } else { Outcome::Altered };
        // Evidence with a time of its own, so that each run has its own file.
        let mut record = run(&format!("2026-11-{day:02}T03:00:00Z"), outcome);
        record.cells[1].reason = day.to_string();
        let folder = place.kept("run", &record);
        let mut writer = TranscriptWriter::new(Vec::new());
        let mut evidence = sent(BAD);
        evidence.transcript.entries[0].at_us = day;
        writer.write(&evidence).unwrap();
        fs::write(folder.join("transcripts.jsonl"), writer.finish().unwrap()).unwrap();
        place.history().add(&folder, Adding::default()).unwrap();
    }
    fs::write(place.folder.path().join("history/evidence/note.txt"), "not ours").unwrap();
    let retention = Retention { days: 2, evidence: 2 };
    let named = place.history().superfluous(retention).unwrap();
    assert_eq!(place.files().len(), 19, "nothing is removed yet");
    assert_eq!(place.history().prune(retention).unwrap(), named);
    let left: Vec<String> =
        place.history().entries().unwrap().into_iter().map(|entry| entry.name[8..10].to_owned()).collect();
    // The first, the first of its week (a Monday), the one that changed, and two days before the newest.
    assert_eq!(left, ["01", "02", "05", "07", "08", "09"]);
    let evidence: Vec<bool> = place.history().entries().unwrap().iter().map(|entry| entry.has_evidence).collect();
    assert_eq!(evidence, [false, false, false, false, true, true]);
    assert!(place.folder.path().join("history/evidence/note.txt").exists());
    assert_eq!(
        place.history().prune(retention).unwrap(),
        mcp_compat_run::history::Pruned::default(),
        "nothing more goes"
    );
}

#[test]
fn a_history_of_format_1_reads() {
    let entries = History::at(&fixture()).entries().unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["2026-11-22T030000Z"]);
    let path = fixture().join("runs/2026-11-22T030000Z.mcpc.gz");
    let (head, _) = decode(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(head.version, 1);
    let OpenedRun { record, evidence } = open(&path).unwrap();
    let broken: Vec<_> = record.cells.iter().filter(|cell| cell.is_new_break()).collect();
    assert!(!broken.is_empty() && broken.len() < record.cells.len());
    let mut evidence = evidence.unwrap();
    for cell in broken {
        assert!(!evidence.of_cell(&cell.id).unwrap().transcript.entries.is_empty(), "{}", cell.id);
    }
}
