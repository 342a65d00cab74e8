//! `[part.NAME]`: text that is too long to write out. It replaces `{{NAME}}` in JSON and raw text.
//!
//! A schema 200 levels deep takes two parts, one that opens a level and one that closes it. A list of 10,000 properties
//! takes one part with a comma between the repetitions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use toml::Spanned;
use toml::de::{DeString, DeValue};

use super::table::{Completeness, Field, Place, Read};
use super::vocabulary::Count;
use crate::budget::{LONGEST_TEXT, MOST_ENTRIES, Size};
use crate::parts::{Part, Parts, TAKEN};
use crate::sink::{Sink, Span};

/// Longest word in braces that is compared with the placeholders.
const LONGEST_WORD: usize = 32;

/// Text in which placeholders are replaced; it need not be JSON.
#[derive(Clone, Debug)]
pub(crate) struct RawText(pub(crate) String);

/// Such text on one line. It has no line break, which would end the message on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Line(pub(crate) String);

/// Reports the parts of the file that no text uses.
pub(super) fn report_unused(sink: &mut Sink<'_>) {
    let parts = std::mem::take(&mut sink.parts);
    for (name, place) in parts.unused() {
        let mistake = sink
            .mistake(place, format!("the part `{name}` is not used"))
            .label(format!("no JSON and no raw text in this file contains `{{{{{name}}}}}`"));
        sink.report(mistake);
    }
}

/// Replaces the placeholders in a text by the parts of the file, or reports that the text becomes too long.
pub(super) fn put_parts<'t>(place: &Place<'_>, text: &'t str, sink: &mut Sink<'_>) -> Option<Cow<'t, str>> {
    if let Some((written, intended)) = sink.parts.misspelt_in(text) {
        report_misspelt(&place.span, &written, &intended, sink);
        return None;
    }
    let filled = sink.parts.put_into(text);
    match &filled {
        None => report_too_long(&place.span, &format!("`{}`", place.name), sink),
        Some(filled) if !sink.fits_budget(Size::of_bytes(filled.len()), &place.span) => return None,
        Some(_) => {}
    }
    filled
}

fn report_misspelt(span: &Span, written: &str, intended: &str, sink: &mut Sink<'_>) {
    let mistake = sink
        .mistake(span, format!("`{{{{{written}}}}}` is not a placeholder"))
        .label("it would be sent as it is written")
        .help(format!("write `{{{{{intended}}}}}`"));
    sink.report(mistake);
}

fn report_too_long(span: &Span, what: &str, sink: &mut Sink<'_>) {
    let mistake = sink.mistake(span, format!("{what} becomes too long"));
    sink.report(mistake.label(format!("expected at most {} MiB with everything put in", LONGEST_TEXT >> 20)));
}

impl Read for RawText {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let text = String::read(place, sink)?;
        let text = put_parts(place, &text, sink)?;
        if let Some((written, intended)) = misspelt_placeholder(&text) {
            report_misspelt(&place.span, written, intended, sink);
            return None;
        }
        Some(Self(text.into_owned()))
    }
}

/// Returns text in braces that differs from a placeholder only in case, hyphens or spaces, and that placeholder. Other
/// text in braces is left alone.
fn misspelt_placeholder(text: &str) -> Option<(&str, &'static str)> {
    let letters = |word: &str| word.replace(['-', '_', ' '], "").to_ascii_lowercase();
    let inner = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")).map(|(word, _)| word);
    let mut short = inner.filter(|word| word.len() <= LONGEST_WORD && !TAKEN.contains(word));
    short.find_map(|word| Some((word, TAKEN.into_iter().find(|taken| letters(taken) == letters(word))?)))
}

impl Read for Line {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let RawText(text) = RawText::read(place, sink)?;
        if !text.contains('\n') {
            return Some(Self(text));
        }
        let mistake = sink
            .mistake(&place.span, format!("a line break in `{}` makes two lines of one", place.name))
            .label("expected a message, or a line that is not a message, on a single line")
            .help("write each line as an element of its own");
        sink.report(mistake);
        None
    }
}

impl Read for Parts {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let DeValue::Table(parts) = place.value else {
            return place.refuse("a table of parts", Some("a part begins with `[part.NAME]`".to_owned()), sink);
        };
        if !place.has_at_most(MOST_ENTRIES, parts.len(), sink) {
            return None;
        }
        let read = |(name, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
            let place = Place { name: name.get_ref(), key: name.span(), span: value.span(), value: value.get_ref() };
            Some((name.get_ref().to_string(), Part::read(&place, sink)?))
        };
        let parts: Vec<Option<(String, Part)>> = parts.iter().map(read).collect();
        parts.into_iter().collect::<Option<_>>().map(Self)
    }
}

impl Read for Part {
    fn read(place: &Place<'_>, sink: &mut Sink<'_>) -> Option<Self> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if TAKEN.contains(&place.name) || place.name.is_empty() || !place.name.chars().all(fits) {
            let mistake = sink
                .mistake(&place.key, format!("a part cannot have the name `{}`", place.name))
                .label("expected a word of lower-case letters, digits and hyphens that has no other meaning");
            sink.report(mistake);
            return None;
        }
        let Some(mut table) = place.table("a part") else {
            return place.refuse("a table", Some("a part begins with `[part.NAME]`".to_owned()), sink);
        };
        let mut repeat: Field<String> = table.field("repeat", sink);
        let mut times: Field<Count> = table.field("times", sink);
        let between: Field<String> = table.field("between", sink);
        table.need(&mut repeat, "repeat", "'{\"items\":'", sink);
        table.need(&mut times, "times", "200", sink);
        if table.finish(None, sink) == Completeness::Partial || between.is_broken() {
            return None;
        }
        let (repeat, times) = (&repeat.given()?.value, times.given()?.value.0);
        let between = between.given().map_or("", |between| between.value.as_str());
        if sink.is_full {
            return None;
        }
        let Some(text) = repeated(repeat, times, between) else {
            // The text that was built so far counts as if it were as long as allowed.
            sink.fits_budget(Size::of_bytes(LONGEST_TEXT), &place.key);
            report_too_long(&place.key, &format!("the part `{}`", place.name), sink);
            return None;
        };
        if !sink.fits_budget(Size::of_bytes(text.len()), &place.key) {
            return None;
        }
        Some(Self { text, place: place.key.clone(), is_used: false })
    }
}

/// Repeats the text. `{{n}}` becomes the number of the repetition (from 0), `{{next}}` the number after it.
fn repeated(text: &str, times: u32, between: &str) -> Option<String> {
    let is_numbered = text.contains("{{n}}") || text.contains("{{next}}");
    let length = text.len().saturating_add(between.len()).saturating_mul(times as usize);
    let mut whole = String::with_capacity(length.min(LONGEST_TEXT));
    for n in 0..times {
        if n > 0 {
            whole.push_str(between);
        }
        if is_numbered {
            whole.push_str(&text.replace("{{n}}", &n.to_string()).replace("{{next}}", &(u64::from(n) + 1).to_string()));
        } else {
            whole.push_str(text);
        }
        if whole.len() > LONGEST_TEXT || text.is_empty() && between.is_empty() {
            break;
        }
    }
    (whole.len() <= LONGEST_TEXT).then_some(whole)
}

impl JsonSchema for RawText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "RawText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl JsonSchema for Line {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Line".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": r"^[^\n]*$" })
    }
}

impl JsonSchema for Parts {
    fn schema_name() -> Cow<'static, str> {
        "Parts".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let times = generator.subschema_for::<Count>();
        let repeat =
            "What is repeated; `{{n}}` in it is the number of the repetition, from 0, and `{{next}}` the one after it.";
        json_schema!({
            "description": "Text that is too long to be written down, by the name that stands for it as `{{NAME}}` in JSON and raw text.",
            "type": "object",
            "propertyNames": { "pattern": "^[a-z0-9-]+$" },
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "repeat": { "type": "string", "description": repeat },
                    "times": times,
                    "between": { "type": "string", "description": "What stands between two repetitions. Default: nothing." },
                },
                "required": ["repeat", "times"],
                "additionalProperties": false,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_numbered_and_parted() {
        assert_eq!(repeated(r#""p{{n}}":{{next}}"#, 3, ",").unwrap(), r#""p0":1,"p1":2,"p2":3"#);
        assert_eq!(repeated("[", 4, "").unwrap(), "[[[[");
    }

    #[test]
    fn no_repetition_becomes_longer_than_anybody_sends() {
        assert!(repeated("0123456789", 10_000_000, "").is_none());
        assert_eq!(repeated("", u32::MAX, "").unwrap(), "");
    }
}
