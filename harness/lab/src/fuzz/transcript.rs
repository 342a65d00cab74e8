//! Transcripts: what was on the wire is read, and what `record` writes of it is a scenario without secrets.

use std::io::Cursor;
use std::path::PathBuf;

use mcp_compat_author::recording::{Uncalled, read};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::record::Evidence;
use mcp_compat_run::store::transcripts::{TranscriptWriter, Transcripts};
use mcp_compat_scenario::load;

/// A secret that the recording is told about.
const KNOWN: &str = "open sesame, please";

/// Number of cells of a file that are looked at.
const CELLS: usize = 4;

pub(crate) fn run(bytes: &[u8]) {
    let mut transcripts = Transcripts::of_file(PathBuf::new(), Cursor::new(bytes));
    for _ in 0..CELLS {
        let Ok(Some(mut evidence)) = transcripts.next_cell() else { return };
        let again = transcripts.of_cell(&evidence.cell.id()).expect("a cell that was read is found");
        assert_eq!(again.cell, evidence.cell, "the first cell of that id");
        // An old file says the place of each entry. A stranger may say another one.
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
