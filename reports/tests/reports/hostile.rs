//! Hostile text of peers stays text: it controls no terminal, adds no markup, and breaks no file.

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::cell::CellId;
use mcp_compat_model::observation::{CallResult, End, Layer, PeerError, Seen};
use mcp_compat_model::record::{Evidence, Known, NotPlayedCells, Record};
use mcp_compat_model::transcript::{Entry, Event, Raw};
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::view::View;
use mcp_compat_reports::{Style, cell, junit, list, markdown, terminal};
use proptest::prelude::*;
use pulldown_cmark::{Event as Markdown, Options};
use quick_xml::events::Event as Xml;

use crate::fixture::{self, Run};

/// Any text, and such as means something to somebody.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\u{1b}[31m",
        "\u{1b}]8;;https://example.org\u{7}",
        "\u{9b}2J",
        "\r",
        "\n",
        "\t",
        "\u{7}",
        "\u{8}",
        "\0",
        "\u{202e}",
        "\u{2066}",
        "\u{feff}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{1fffe}",
        "\u{e0041}",
        "<script>",
        "</failure>",
        "]]>",
        "<![CDATA[",
        "&amp;",
        "&#0;",
        "--",
        "|",
        "`",
        "``",
        "```",
        "\n```\n",
        "\n\n# x\n",
        "*",
        "_",
        "[a](b)",
        "![a](b)",
        "<!-- ",
        "-->",
        "https://example.org",
        "@name",
        "#1",
        "'",
        "\"",
        "\\",
        "$(x)",
        " ",
        "  ",
        "word",
        "1. ",
        "- ",
        "{\"a\":[1,",
        "}",
        "字",
        "e\u{301}",
    ]);
    let pieces = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    prop_oneof![pieces, any::<String>()]
}

/// The small record, with that text wherever text comes from outside. Causes stay what they are.
fn record(text: &str) -> Record {
    let mut record = fixture::with_baseline(Run::small().record());
    for cell in &mut record.cells {
        // A stored id may be anything; the other parts of a cell may not.
        cell.id = serde_json::from_value::<CellId>(serde_json::Value::from(text)).unwrap();
        cell.reason = text.to_owned();
        for finding in &mut cell.findings {
            finding.rule = text.to_owned();
            finding.detail = format!("{text}!");
            finding.source = format!("javascript:{text}");
        }
        if let Some(Known { reason, covers, issue, flaky: _ }) = &mut cell.known {
            *reason = text.to_owned();
            *covers = Some(text.to_owned());
            *issue = Some(format!("javascript:{text}"));
        }
    }
    record.tool_version = text.to_owned();
    record.started = text.to_owned();
    record.corpus = text.to_owned();
    record.stale = vec![text.to_owned()];
    record.left_out = vec![NotPlayedCells { reason: text.to_owned(), cells: u64::MAX }];
    record
}

/// Evidence of a cell with that text in every place that a peer fills.
fn evidence(text: &str) -> Evidence {
    let mut evidence = fixture::evidence("root-type/array::ardent@2.0.1+auto::mock/dual::http");
    let quoted = serde_json::to_string(text).unwrap();
    let message = |text: &str| Event::Message { raw: Raw::Text(text.to_owned()), http: None };
    let events = [
        message(text),
        message(&format!("{{\"method\":{quoted},\"id\":{quoted},\"params\":{{{quoted}:{quoted}}}}}")),
        message(&format!("{{\"error\":{{\"code\":{quoted}}}}}")),
        Event::Overflow { limit: 1, start: Raw::Text(text.to_owned()) },
        Event::Fetched { path: text.to_owned() },
        Event::Exited { how: text.to_owned() },
    ];
    let entry = |(seq, event)| Entry { seq, at_us: u64::MAX, from: Role::Server, event };
    evidence.transcript.entries = (0..).zip(events).map(entry).collect();
    let value = Json::parse(&quoted).unwrap();
    let called = CallResult { structured: Some(value.clone()), content: vec![value], is_error: false };
    let failed = PeerError { layer: Layer::Tool, code: Some(i64::MIN), message: text.to_owned() };
    evidence.observation.steps = vec![Seen::Called(called), Seen::Failed(failed)];
    evidence.observation.end = End::Crashed { who: Role::Server, how: text.to_owned() };
    evidence
}

/// Nothing steers the terminal but our own colours; every line ends where its text does, and the last one ends.
fn is_harmless(text: &str, style: Style) -> Result<(), TestCaseError> {
    let mut plain = text.to_owned();
    if style.colour {
        for code in ["0", "1", "2", "31", "32", "33"] {
            plain = plain.replace(&format!("\u{1b}[{code}m"), "");
        }
    }
    let steering = plain.chars().find(|c| *c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(c)));
    prop_assert_eq!(steering, None, "{:?}", text);
    prop_assert!(!plain.contains(" \n"), "{plain:?}");
    prop_assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    Ok(())
}

/// The structure of a Markdown text without its words.
fn structure(markdown: &str) -> Vec<String> {
    let is_words = |event: &Markdown<'_>| matches!(event, Markdown::Text(_) | Markdown::Code(_));
    let parts = pulldown_cmark::Parser::new_ext(markdown, Options::all()).filter(|event| !is_words(event));
    parts.map(|event| format!("{event:?}")).collect()
}

/// The elements of an XML text with the names of their attributes, each of which can be read.
fn elements(xml: &str) -> Result<Vec<String>, quick_xml::Error> {
    let mut elements = vec![];
    let mut reader = quick_xml::Reader::from_str(xml);
    loop {
        let event = reader.read_event()?;
        if let Xml::Start(start) | Xml::Empty(start) = &event {
            let mut element = format!("{:?}", start.name());
            for attribute in start.attributes() {
                let attribute = attribute?;
                quick_xml::escape::unescape(&String::from_utf8_lossy(&attribute.value))?;
                element.push_str(&format!(" {:?}", attribute.key));
            }
            elements.push(element);
        } else if let Xml::Text(text) = &event {
            quick_xml::escape::unescape(&text.decode()?)?;
        } else if matches!(event, Xml::Comment(_) | Xml::PI(_) | Xml::DocType(_)) {
            elements.push(format!("{event:?}"));
        } else if matches!(event, Xml::Eof) {
            return Ok(elements);
        }
    }
}

/// Returns whether XML 1.0 allows a character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn a_stored_id_puts_nothing_into_a_command() {
    let mut record = Run::small().record();
    for cell in &mut record.cells {
        cell.id = serde_json::from_str::<CellId>("\"a'; echo owned; '\"").unwrap();
    }
    let style = Style::plain(80);
    let broken = record.cells.iter().find(|cell| cell.rating == Rating::Breaks).unwrap();
    let shown = cell::render(broken, None, &evidence(""), style);
    for text in [
        terminal::render(&View::of(&record), terminal::Shown::EVERYTHING, style),
        markdown::render(&View::of(&record)),
        junit::render(&record).unwrap(),
        shown,
    ] {
        assert!(!text.contains("owned"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_steers_the_terminal(text in hostile(), width in 0usize..140, colour in any::<bool>()) {
        let style = Style { colour, width };
        let record = record(&text);
        is_harmless(&terminal::render(&View::of(&record), terminal::Shown::EVERYTHING, style), style)?;
        is_harmless(&cell::render(&record.cells[0], None, &evidence(&text), style), style)?;
        is_harmless(&list::table(&[(text.clone(), text.clone()), (text, String::new())], style), style)?;
    }

    #[test]
    fn no_text_adds_to_the_markdown(text in hostile()) {
        prop_assert_eq!(structure(&markdown::render(&View::of(&record(&text)))), structure(&markdown::render(&View::of(&record("x")))));
    }

    #[test]
    fn no_text_breaks_the_xml(text in hostile()) {
        let xml = junit::render(&record(&text)).unwrap();
        prop_assert_eq!(xml.chars().find(|c| !is_xml(*c)), None);
        prop_assert_eq!(elements(&xml).unwrap(), elements(&junit::render(&record("x")).unwrap()).unwrap());
    }
}
