//! A file from a stranger: whatever is in it, the terminal is not obeyed to, and nothing panics.

use mcp_compat_scenario::load;
use proptest::prelude::*;

use crate::given::{PATH, plain};

fn rendered(path: &str, text: &str) -> Option<String> {
    load(path, text, &|_| None).err().map(|mistakes| mistakes.render(false))
}

#[test]
fn control_characters_become_visible() {
    let text = format!("# \u{1b}[2J\u{202e}\r\n\"ti\\u001b[31mtle\" = \"\u{7f}\u{feff}\"\n{}", plain());
    let shown = rendered(PATH, &text).unwrap();
    assert!(shown.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}' && c != '\u{feff}'), "{shown:?}");
    assert!(shown.contains("␛[2J"), "{shown}");
}

#[test]
fn keys_and_words_are_escaped_in_messages() {
    let shown = rendered(PATH, &format!("\"\\u001b[31m\\nx\" = 1\nsince = \"\\u0007\"\n{}", plain())).unwrap();
    assert!(shown.contains(r"unknown key `\u{1b}[31m\nx`") && shown.contains(r"`\u{7}` is not a revision"), "{shown}");
}

#[test]
fn a_path_is_escaped_too() {
    let shown = rendered("a\u{1b}[2J.toml", &plain()).unwrap();
    assert!(shown.contains(r"a\u{1b}[2J.toml:1:1"), "{shown}");
}

#[test]
fn stand_ins_keep_columns_true() {
    let text = format!("since = '2025' # \u{1b}\n\"\" = '\u{e000}' \u{7}x\n{}", plain());
    assert!(rendered(PATH, &text).unwrap().contains(":2:10"), "{}", rendered(PATH, &text).unwrap());
}

#[test]
fn colour_is_given_only_on_demand() {
    let mistakes = load(PATH, "", &|_| None).unwrap_err();
    assert!(mistakes.render(true).contains('\u{1b}') && !mistakes.render(false).contains('\u{1b}'));
}

#[test]
fn deep_and_wide_files_are_refused_in_time() {
    let deep = format!("title = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let long_key = format!("{} = 1\n", "k".repeat(1_000_000));
    let json = format!("[[tool]]\ndefinition = '{}'\n", "[".repeat(1_000_000));
    for text in [deep, long_key, json] {
        let shown = rendered(PATH, &text).unwrap();
        assert!(shown.len() < 10_000, "{} bytes", shown.len());
    }
}

/// Pieces that make files which are nearly right.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("title = \"a\"\n".to_owned()),
        Just("sources = [\"https://example.org\"]\n".to_owned()),
        Just("[[tool]]\n".to_owned()),
        Just("[tool.means]\n".to_owned()),
        Just("[[step]]\n".to_owned()),
        Just("[[step.tool]]\n".to_owned()),
        Just("[[case]]\n".to_owned()),
        Just("[[case.tool]]\n".to_owned()),
        Just("case = \"a\"\n".to_owned()),
        Just("call = \"a\"\n".to_owned()),
        Just("evolve = \"notify\"\ntool = []\n".to_owned()),
        Just("definition = '{\"name\": \"a\", \"outputSchema\": {}}'\n".to_owned()),
        Just("returns = '''\n{\"structuredContent\": 1}'''\n".to_owned()),
        Just("control = '{}'\n".to_owned()),
        Just("means.text = \"a\"\n".to_owned()),
        Just("expect.legacy = \"text\"\n".to_owned()),
        "[a-z.=\"'\\[\\]{}\n\\\\ é\u{1b}\u{202e}-]{0,12}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_loaded_or_refused_with_places_within_it(text in pieces()) {
        if let Err(mistakes) = load(PATH, &text, &|_| None) {
            prop_assert!(!mistakes.is_empty());
            for mistake in mistakes.iter() {
                prop_assert!(mistake.span.end <= text.len().max(mistake.span.start + 1), "{mistake:?}");
            }
            let shown = mistakes.render(false);
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", shown);
        }
    }
}
