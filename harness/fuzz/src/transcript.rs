//! Transcripts: what was on the wire is read, and what `record` writes of it is a scenario without secrets.

use mcp_compat_author::recording::{Uncalled, read};
use mcp_compat_judge::wire;
use mcp_compat_model::record::TranscriptLine;
use mcp_compat_scenario::load;

/// A secret that the recording is told about.
const KNOWN: &str = "open sesame, please";

pub(crate) fn run(bytes: &[u8]) {
    let Ok(TranscriptLine::Cell(evidence)) = serde_json::from_slice::<TranscriptLine<'_>>(bytes) else { return };
    let written = serde_json::to_vec(&TranscriptLine::Cell(evidence.clone())).expect("evidence can be written");
    assert!(serde_json::from_slice::<TranscriptLine<'_>>(&written).is_ok(), "what is written is evidence");
    let messages = wire::read(&evidence.transcript);
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
