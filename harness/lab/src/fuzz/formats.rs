//! Formats that are read from files or written for readers: scenarios, records, transcripts, schema locks and
//! redaction.

use std::io::Cursor;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mcp_compat_audit::schema_lock::{Lock, compare};
use mcp_compat_author::recording::{Uncalled, read};
use mcp_compat_json::Json;
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::comparison::Effect;
use mcp_compat_model::record::{Evidence, Record};
use mcp_compat_reports::view::View;
use mcp_compat_reports::{Style, junit, markdown, terminal};
use mcp_compat_run::redact::{
    MASK, find_secrets, is_secret_key, looks_like_secret, redact_command_line, redact_command_words, redact_text,
    redact_text_with,
};
use mcp_compat_run::store::transcripts::{TranscriptWriter, Transcripts};
use mcp_compat_scenario::{load, load_placed};

use crate::fuzz::mutate::values;

/// A secret that the recording is told about.
const KNOWN: &str = "open sesame, please";

/// Number of cells of a file that are checked.
const CELLS: usize = 4;

/// Time limit for a comparison, with instrumentation and checks.
const COMPARISON_TIME: Duration = Duration::from_secs(9);

/// Checks that every text is either scenarios or mistakes with their places.
pub(crate) fn scenario(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let beside = |path: &str| path.ends_with(".bin").then(|| b"{\"jsonrpc\"".to_vec());
    match load_placed("class/name.toml", text, &beside) {
        Ok(placed) => {
            assert!(!placed.is_empty(), "a file has scenarios");
            for placed in &placed {
                let scenario = &placed.scenario;
                assert!(scenario.id.as_str().starts_with("class/name"), "{}", scenario.id.as_str());
                let tools = scenario.stages.iter().flat_map(|stage| &stage.tools);
                tools.for_each(|tool| assert!(Json::parse(&tool.definition).is_ok(), "{}", tool.definition));
            }
            assert_eq!(load("class/name.toml", text, &beside).map(|all| all.len()), Ok(placed.len()));
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a file is refused for a mistake");
            assert!(!mistakes.to_string().is_empty());
        }
    }
}

/// Checks that reports of any record are clean text.
pub(crate) fn record(bytes: &[u8]) {
    let Ok(record) = serde_json::from_slice::<Record>(bytes) else { return };
    let written = serde_json::to_vec(&record).expect("a record can be written");
    let again: Record = serde_json::from_slice(&written).expect("what is written is a record");
    assert!(again == record, "a record is read as it was written");
    let printed = terminal::render(&View::of(&record), terminal::Shown::EVERYTHING, Style { colour: false, width: 80 });
    assert_clean(&printed);
    assert_clean(&markdown::render(&View::of(&record)));
    let _ = junit::render(&record);
}

/// Checks that a text cannot move the cursor of a terminal or change the direction of its words.
fn assert_clean(text: &str) {
    let foul = text
        .chars()
        .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    assert!(foul.is_none(), "{foul:?} in {text:?}");
}

/// Checks that transcripts read back as written, and that the scenario that `record` makes of one loads without
/// secrets.
pub(crate) fn transcript(bytes: &[u8]) {
    let mut transcripts = Transcripts::of_file(PathBuf::new(), Cursor::new(bytes));
    for _ in 0..CELLS {
        let Ok(Some(mut evidence)) = transcripts.next_cell() else { return };
        let again = transcripts.of_cell(&evidence.cell.id()).expect("a cell that was read is found");
        assert_eq!(again.cell, evidence.cell, "the first cell of that id");
        // An old file has the place of each entry, which may be wrong in an untrusted file.
        (0..).zip(&mut evidence.transcript.entries).for_each(|(place, entry)| entry.seq = place);
        cell(&evidence);
    }
}

fn cell(evidence: &Evidence) {
    let mut writer = TranscriptWriter::new(Vec::new());
    writer.write(evidence).expect("evidence can be written");
    let written = Cursor::new(writer.finish().expect("the footer can be written"));
    let mut transcripts = Transcripts::of_file(PathBuf::new(), written);
    let again = transcripts.next_cell().expect("what is written is evidence");
    assert_eq!(again.as_ref(), Some(evidence), "what is written reads back");
    assert!(matches!(transcripts.next_cell(), Ok(None)), "the footer is the end");
    let messages = messages(&evidence.transcript);
    messages.iter().for_each(|message| {
        let _ = (message.method(), message.id(), message.result(), message.status());
    });
    for uncalled in [Uncalled::Omitted, Uncalled::Placeholder] {
        let recorded = read(&evidence.transcript, uncalled, &[KNOWN.to_owned()]);
        let Some(draft) = recorded.draft else { continue };
        let page = draft.write("recorded");
        let beside = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            page.beside.iter().find(|file| file.name == name).map(|file| file.bytes.clone())
        };
        let loaded = load("class/recorded.toml", &page.text, &beside);
        let mistakes = loaded.err().map(|mistakes| mistakes.to_string());
        assert!(mistakes.is_none(), "what is recorded does not load:\n{}\n{}", mistakes.unwrap_or_default(), page.text);
        assert!(!page.text.contains(KNOWN), "a secret is written down:\n{}", page.text);
    }
}

/// Checks that locks read back as written, equal themselves and are compared in a bounded time.
pub(crate) fn lock(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let locks: Vec<Lock> = values(text).into_iter().filter_map(|text| Lock::parse(text).ok()).take(2).collect();
    for lock in &locks {
        let written = lock.to_text();
        assert_eq!(Lock::parse(&written).as_ref(), Ok(lock), "a lock is read as it was written");
        let same = compare(lock, lock).expect("it is one server");
        assert!(same.tools.is_empty(), "a lock differs from itself: {same:?}");
    }
    let [old, new] = locks.as_slice() else { return };
    let begun = Instant::now();
    let Ok(comparison) = compare(old, new) else { return };
    assert!(begun.elapsed() < COMPARISON_TIME, "comparing took {:?}", begun.elapsed());
    let changes = comparison.tools.iter().flat_map(|tool| &tool.changes);
    changes.for_each(|change| {
        let explained = change.effect == Effect::Safe || change.why.is_some() || !change.what.is_empty();
        assert!(explained, "{change:?}");
    });
}

/// Checks that secrets are found in any text, and that none is left.
pub(crate) fn redact(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let found = find_secrets(&text);
    let mut end = 0;
    for range in &found {
        assert!(end <= range.start && range.start < range.end && range.end <= text.len(), "{range:?} in {text:?}");
        assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end), "{range:?} in {text:?}");
        end = range.end;
    }
    let once = redact_text(&text);
    assert_eq!(once == *text, found.iter().all(|range| text[range.clone()] == *MASK), "{text:?}");
    assert_eq!(redact_text(&once), once, "a second time, of {text:?}");
    assert_eq!(redact_text_with(&text, str::to_owned), *text, "each secret for itself");
    let line = redact_command_line(&text);
    assert_eq!(redact_command_line(&line), line, "a second time, of the command line {text:?}");
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let _ = redact_command_words(&words);
    let _ = (is_secret_key(&text), looks_like_secret(&text));
}
