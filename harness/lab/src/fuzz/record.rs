//! Records: whatever a file holds, the reports of it are clean text.

use mcp_compat_model::record::Record;
use mcp_compat_reports::{Style, junit, markdown, terminal};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(record) = serde_json::from_slice::<Record>(bytes) else { return };
    let written = serde_json::to_vec(&record).expect("a record can be written");
    let again: Record = serde_json::from_slice(&written).expect("what is written is a record");
    assert!(again == record, "a record is read as it was written");
    let printed = terminal::render(&record, Style { colour: false, width: 80 });
    assert_clean(&printed);
    assert_clean(&markdown::render(&record));
    let _ = junit::render(&record);
}

/// Nothing in a text can move the cursor of a terminal or turn its words around.
pub(crate) fn assert_clean(text: &str) {
    let foul = text
        .chars()
        .find(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    assert!(foul.is_none(), "{foul:?} in {text:?}");
}
