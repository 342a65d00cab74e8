//! Output of `show` for a scenario: title, reason, steps with expectations, and the messages of a server by revision
//! and downgrade.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;

use crate::page::Page;
use crate::style::{Style, Tone};

/// Texts of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub id: String,
    pub title: String,
    /// Reason why it matters.
    pub why: String,
    /// Further facts: names, each with its values line by line.
    pub facts: Vec<(String, Vec<String>)>,
    pub steps: Vec<Step>,
    /// Number of further steps, which are not shown.
    pub more_steps: usize,
    /// Messages that the client gets.
    pub wire_previews: Vec<WirePreview>,
    /// File with the whole of a long message.
    pub file: String,
}

/// Step of the client.
#[derive(Clone, Debug, Default)]
pub struct Step {
    pub what: String,
    /// Details: names and values.
    pub details: Vec<(String, String)>,
}

/// Messages that the clients of some revisions get.
#[derive(Clone, Debug, Default)]
pub struct WirePreview {
    pub revisions: String,
    /// Requests in order, with their answers.
    pub sendings: Vec<Sending>,
}

/// Request with its answers.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    /// Request, in short.
    pub asked: String,
    /// The answers that differ.
    pub variants: Vec<Variant>,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Variant {
    /// Downgrades of the server that send it; empty if all do.
    pub downgrades: String,
    /// Parts of the answer: the kind of each, and its text.
    pub sent: Vec<(String, String)>,
}

/// Number of steps of a scenario that are shown, and how many tools of a list.
pub const MOST_SHOWN: usize = 100;

/// Column at which the values of a fact begin.
const FACTS: usize = 12;

/// Column at which the values of a step begin.
const DETAILS: usize = 17;

/// Width of the kind of a part.
const WHAT: usize = 8;

/// Renders the scenario.
pub fn render(sheet: &Sheet, style: Style) -> String {
    let mut page = Page::new(style);
    page.line(&page.paint(Tone::Strong, &neutralised(&sheet.id)));
    page.blank();
    page.paragraph("", &neutralised(&sheet.title));
    page.toned(Tone::Aside, "", &neutralised(&sheet.why));
    page.blank();
    for (name, values) in &sheet.facts {
        for (number, value) in values.iter().enumerate() {
            let name = if number == 0 { format!("  {name}") } else { String::new() };
            let name = page.paint(Tone::Aside, &format!("{name:<FACTS$}"));
            // Not a paragraph, because a broken address opens nothing.
            page.line(&format!("{name}{}", neutralised(value)));
        }
    }
    page.heading("Steps");
    for (number, step) in sheet.steps.iter().enumerate() {
        let first = page.paint(Tone::Strong, &format!("{:>5}  ", number + 1));
        page.paragraph(&first, &neutralised(&step.what));
        for (name, value) in &step.details {
            let name = format!("       {name}");
            page.field(DETAILS, &name, &neutralised(value));
        }
    }
    if sheet.more_steps > 0 {
        page.toned(Tone::Aside, "       ", &not_shown(&counted(sheet.more_steps, "more step"), &sheet.file));
    }
    for wire_preview in &sheet.wire_previews {
        page.heading(&format!("On the wire in {}", wire_preview.revisions));
        for sending in &wire_preview.sendings {
            page.blank();
            page.paragraph("  ", &neutralised(&sending.asked));
            sending.variants.iter().for_each(|variant| write(&mut page, variant, &sheet.file));
        }
    }
    page.finish()
}

fn write(page: &mut Page, variant: &Variant, file: &str) {
    let indent = if variant.downgrades.is_empty() { "    " } else { "      " };
    if !variant.downgrades.is_empty() {
        page.toned(Tone::Warning, "    ", &variant.downgrades);
    }
    if variant.sent.is_empty() {
        page.toned(Tone::Aside, indent, "the server sends nothing of this scenario");
    }
    for (what, text) in variant.sent.iter().take(MOST_SHOWN) {
        let what = page.paint(Tone::Aside, &format!("{what:<WHAT$}"));
        page.message(&format!("{indent}{what}"), text, file);
    }
    let more = variant.sent.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        page.toned(Tone::Aside, indent, &not_shown(&format!("{} more", thousands(more as u64)), file));
    }
}

/// Note on text that is not shown, and on the file that has it.
fn not_shown(what: &str, file: &str) -> String {
    format!("not shown: {what}; see {}", neutralised(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(downgrades: &str, what: &str, text: &str) -> Variant {
        Variant { downgrades: downgrades.to_owned(), sent: vec![(what.to_owned(), text.to_owned())] }
    }

    fn sheet() -> Sheet {
        let step = |what: &str| Step { what: what.to_owned(), details: Vec::new() };
        let call = Step {
            what: "call list_users {}".to_owned(),
            details: vec![
                ("means".to_owned(), "the value [{\"id\":\"u1\"}]".to_owned()),
                ("at least".to_owned(), "intact in modern, text in legacy".to_owned()),
            ],
        };
        let lists = Sending {
            asked: "tools/list".to_owned(),
            variants: vec![variant("", "tool", r#"{"name":"list_users","outputSchema":{"type":"array","items":{}}}"#)],
        };
        let calls = Sending {
            asked: "tools/call list_users {}".to_owned(),
            variants: vec![
                variant("naive, omit", "result", r#"{"structuredContent":[{"id":"u1"}],"content":[]}"#),
                Variant { downgrades: "text-only".to_owned(), sent: Vec::new() },
            ],
        };
        let revisions = "2025-06-18, 2025-11-25".to_owned();
        Sheet {
            id: "root-type/array".to_owned(),
            title: "An array at the root".to_owned(),
            why: "Clients of the earlier wire format expect an object, and lose the whole list.".to_owned(),
            facts: vec![(
                "sources".to_owned(),
                vec!["https://one.example".to_owned(), "https://two.example".to_owned()],
            )],
            steps: vec![step("list the tools"), call],
            more_steps: 0,
            wire_previews: vec![WirePreview { revisions, sendings: vec![lists, calls] }],
            file: "root-type/array.toml".to_owned(),
        }
    }

    #[test]
    fn a_scenario_has_its_steps_and_the_messages_of_each_revision() {
        insta::assert_snapshot!(render(&sheet(), Style::plain(60)), @r#"
        root-type/array

        An array at the root
        Clients of the earlier wire format expect an object, and
        lose the whole list.

          sources   https://one.example
                    https://two.example

        Steps

            1  list the tools
            2  call list_users {}
               means     the value [{"id":"u1"}]
               at least  intact in modern, text in legacy

        On the wire in 2025-06-18, 2025-11-25

          tools/list
            tool    {
                      "name": "list_users",
                      "outputSchema": {
                        "type": "array",
                        "items": {}
                      }
                    }

          tools/call list_users {}
            naive, omit
              result  {
                        "structuredContent": [{"id": "u1"}],
                        "content": []
                      }
            text-only
              the server sends nothing of this scenario
        "#);
    }

    #[test]
    fn long_lists_are_cut_and_the_rest_is_counted() {
        let mut sheet = sheet();
        let lists = &mut sheet.wire_previews[0].sendings[0].variants[0];
        lists.sent = (0..1_101).map(|at| ("tool".to_owned(), format!("{{\"name\":\"t{at}\"}}"))).collect();
        sheet.more_steps = 4_900;
        let text = render(&sheet, Style::plain(80));
        assert!(text.contains("not shown: 4,900 more steps; see root-type/array.toml"), "{text}");
        assert!(text.contains("not shown: 1,001 more; see root-type/array.toml"), "{text}");
        assert!(text.contains(r#"{"name": "t99"}"#) && !text.contains(r#"{"name": "t100"}"#), "{text}");
    }

    #[test]
    fn hostile_text_neither_controls_nor_fills_a_terminal() {
        let mut sheet = sheet();
        for text in [&mut sheet.id, &mut sheet.title, &mut sheet.why, &mut sheet.steps[0].what] {
            text.push_str("\u{1b}[31m\u{202e}");
        }
        let long = format!("\u{9b}{}", "x".repeat(50_000));
        sheet.wire_previews[0].sendings[0].variants[0].sent[0].1 = long;
        let text = render(&sheet, Style::plain(60));
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{text}");
        assert!(text.len() < 10_000 && text.contains("more characters, which"), "{text}");
    }
}
