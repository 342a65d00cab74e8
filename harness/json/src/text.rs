//! Operations on JSON text that keep its spelling: finding the text of a value, and replacing strings and numbers while
//! every other byte stays.

use super::pointer::unescape;
use super::reader::{Event, Quoted, Reader};
use super::{Json, JsonError, JsonString, pointer_token};
use std::ops::Range;

/// Returns the text of the first of several values in a row, and the rest.
///
/// # Errors
/// As for [`Json::parse`], if the text does not begin with a value.
pub fn first_value(text: &str) -> Result<(&str, &str), JsonError> {
    let mut reader = Reader::new(text);
    while !reader.has_ended() {
        reader.next()?;
    }
    let (value, rest) = text.split_at(reader.at());
    Ok((value.trim_start_matches(WHITE_SPACE), rest))
}

/// Returns the text of the value at a JSON Pointer, as it is spelt within `text`. Of duplicate keys the last is
/// followed, as with [`Json::pointer`]. Returns `None` if there is no such value, or the text is not JSON.
pub fn text_at<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
    let mut found = text;
    for token in pointer.split('/').skip(1) {
        found = child(found, &unescape(token)?)?;
    }
    if pointer.contains('/') { Some(found) } else { Some(first_value(text).ok()?.0) }
}

fn child<'t>(text: &'t str, token: &str) -> Option<&'t str> {
    let position = token.parse().ok().filter(|position: &usize| position.to_string() == token);
    let mut found = None;
    children(text, |name, span| {
        let here = match name {
            Name::Key(key) => JsonString::from_quoted(key) == *token,
            Name::Index(index) => Some(index) == position,
        };
        if here {
            found = Some(span);
        }
    })?;
    text.get(found?)
}

/// Returns the texts of the elements of an array, as they are spelt. `None` if the text is not an array.
pub fn elements(text: &str) -> Option<Vec<&str>> {
    let mut elements = Vec::new();
    let (container, rest) = children(text, |_, span| elements.push(&text[span]))?;
    let is_whole = rest.trim_matches(WHITE_SPACE).is_empty();
    (container == Container::Array && is_whole).then_some(elements)
}

/// Returns the members of an object in their order: each key, and the text of its value as it is spelt. `None` if the
/// text is not an object.
pub fn members(text: &str) -> Option<Vec<(JsonString, &str)>> {
    let mut members = Vec::new();
    let (container, rest) = children(text, |name, span| {
        if let Name::Key(key) = name {
            members.push((JsonString::from_quoted(key), &text[span]));
        }
    })?;
    let is_whole = rest.trim_matches(WHITE_SPACE).is_empty();
    (container == Container::Object && is_whole).then_some(members)
}

const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Key or index of a value within its container.
enum Name<'n, 't> {
    Key(&'n Quoted<'t>),
    Index(usize),
}

/// Kind of value that a text begins with.
#[derive(PartialEq, Eq)]
enum Container {
    Array,
    Object,
    /// A value that is no container.
    Neither,
}

/// Visits the direct parts of an array or object, each with its name and its place in the text. Returns the kind of
/// value that the text begins with, and the rest of the text. `None` if it does not begin with a value.
fn children<'t>(text: &'t str, mut visit: impl FnMut(Name<'_, 't>, Range<usize>)) -> Option<(Container, &'t str)> {
    let mut reader = Reader::new(text);
    let (mut container, mut depth, mut index) = (Container::Neither, 0_usize, 0);
    // The key of the next or current value, and the offset where that value begins.
    let (mut key, mut begun) = (None, 0);
    while !reader.has_ended() {
        let event = reader.next().ok()??;
        let end = reader.at();
        match event {
            Event::Key(quoted) => {
                if depth == 1 {
                    key = Some(quoted);
                }
                continue;
            }
            Event::ArrayStart | Event::ObjectStart => {
                match depth {
                    0 if matches!(event, Event::ArrayStart) => container = Container::Array,
                    0 => container = Container::Object,
                    1 => begun = end - 1,
                    _ => {}
                }
                depth += 1;
                continue;
            }
            Event::ArrayEnd | Event::ObjectEnd => depth -= 1,
            Event::Null | Event::Bool(_) | Event::Number(_) | Event::String(_) => {
                if depth == 1 {
                    begun = end - length(&event);
                }
            }
        }
        if depth == 1 {
            visit(key.as_ref().map_or(Name::Index(index), Name::Key), begun..end);
            index += 1;
        }
    }
    Some((container, &text[reader.at()..]))
}

/// Returns the length of an event's text, which ends where the event does.
fn length(event: &Event<'_>) -> usize {
    match event {
        Event::Key(quoted) | Event::String(quoted) => quoted.text.len() + 2,
        Event::Number(lexeme) => lexeme.len(),
        Event::Null | Event::Bool(true) => 4,
        Event::Bool(false) => 5,
        Event::ArrayStart | Event::ArrayEnd | Event::ObjectStart | Event::ObjectEnd => 1,
    }
}

/// Place of a value.
#[derive(Debug)]
pub struct Place<'p> {
    path: &'p [Step],
}

#[derive(Debug)]
enum Step {
    Key(JsonString),
    Index(usize),
}

impl Place<'_> {
    /// Returns the keys on the path, outermost first; elements of arrays have none.
    pub fn keys(&self) -> impl Iterator<Item = &JsonString> {
        self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        })
    }

    /// Returns whether it is this member of the value at the root.
    pub fn is_member(&self, name: &str) -> bool {
        matches!(self.path, [Step::Key(key)] if key.as_str() == Some(name))
    }

    /// Returns the path as a JSON Pointer; a lone surrogate in a key becomes U+FFFD.
    pub fn pointer(&self) -> String {
        let token = |step: &Step| match step {
            Step::Key(key) => pointer_token(&key.to_string_lossy()),
            Step::Index(index) => index.to_string(),
        };
        self.path.iter().map(|step| format!("/{}", token(step))).collect()
    }
}

/// Replaces the string values for which `change` returns another text. Keys, and every other token, stay as they are
/// spelt.
///
/// # Errors
/// As for [`Json::parse`], if the text is not JSON.
pub fn map_strings(
    text: &str,
    mut change: impl FnMut(&Place<'_>, &JsonString) -> Option<JsonString>,
) -> Result<String, JsonError> {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    walk(text, |path, event, span| {
        let Event::String(quoted) = event else { return };
        if let Some(other) = change(&Place { path }, &JsonString::from_quoted(quoted)) {
            changed.push_str(&text[copied..span.start]);
            changed.push_str(&Json::String(other).to_compact());
            copied = span.end;
        }
    })?;
    changed.push_str(&text[copied..]);
    Ok(changed)
}

/// Replaces the numbers for which `change` returns another spelling.
///
/// # Errors
/// As for [`Json::parse`], if the text is not JSON.
pub fn map_numbers(
    text: &str,
    mut change: impl FnMut(&Place<'_>, &str) -> Option<String>,
) -> Result<String, JsonError> {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    walk(text, |path, event, span| {
        let Event::Number(_) = event else { return };
        if let Some(other) = change(&Place { path }, &text[span.clone()]) {
            changed.push_str(&text[copied..span.start]);
            changed.push_str(&other);
            copied = span.end;
        }
    })?;
    changed.push_str(&text[copied..]);
    Ok(changed)
}

/// Visits every value with its path and its place in the text. An array or object is visited at its opening bracket and
/// at its closing one, with the place of the bracket.
fn walk<'t>(text: &'t str, mut visit: impl FnMut(&[Step], &Event<'t>, Range<usize>)) -> Result<(), JsonError> {
    let mut reader = Reader::new(text);
    let mut path: Vec<Step> = Vec::new();
    // True for each open container that is an array.
    let mut arrays: Vec<bool> = Vec::new();
    while let Some(event) = reader.next()? {
        let end = reader.at();
        if let Event::Key(quoted) = &event {
            path.push(Step::Key(JsonString::from_quoted(quoted)));
            continue;
        }
        let span = end - length(&event)..end;
        match event {
            Event::ArrayStart | Event::ObjectStart => {
                visit(&path, &event, span);
                let is_array = matches!(event, Event::ArrayStart);
                arrays.push(is_array);
                if is_array {
                    path.push(Step::Index(0));
                }
                continue;
            }
            Event::ArrayEnd => {
                path.pop();
                arrays.pop();
            }
            Event::ObjectEnd => {
                arrays.pop();
            }
            Event::Null | Event::Bool(_) | Event::Number(_) | Event::String(_) | Event::Key(_) => {}
        }
        visit(&path, &event, span);
        match (arrays.last(), path.last_mut()) {
            (Some(true), Some(Step::Index(index))) => *index += 1,
            (Some(false), Some(_)) => {
                path.pop();
            }
            (Some(true), Some(Step::Key(_)) | None) | (Some(false) | None, _) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" { "a" : [ 1.0, {"b~/": "\u0041"}, "x" ], "a\n": {}, "c": [[], [true, null]] , "c": [ ] } "#;

    #[test]
    fn a_value_is_found_as_it_is_spelt() {
        let found = |pointer| text_at(TEXT, pointer);
        assert_eq!(found(""), Some(TEXT[1..TEXT.len() - 1].trim_end()));
        assert_eq!(found("/a"), Some(r#"[ 1.0, {"b~/": "\u0041"}, "x" ]"#));
        assert_eq!(found("/a/0"), Some("1.0"));
        assert_eq!(found("/a/1"), Some(r#"{"b~/": "\u0041"}"#));
        assert_eq!(found("/a/1/b~0~1"), Some(r#""\u0041""#));
        assert_eq!(found("/a/2"), Some(r#""x""#));
        assert_eq!(found("/a\n"), Some("{}"));
        assert_eq!(found("/c"), Some("[ ]"), "the last of two");
        for nowhere in ["/b", "/a/3", "/a/-", "/c/0", "/a/0/0"] {
            assert_eq!(found(nowhere), None, "{nowhere}");
        }
        assert_eq!(text_at("{", "/a"), None);
    }

    #[test]
    fn every_pointer_finds_the_text_of_the_value_that_it_leads_to() {
        let value = Json::parse(TEXT).unwrap();
        for pointer in ["", "/a", "/a/1", "/a/1/b~0~1", "/a\n", "/c"] {
            assert_eq!(Json::parse(text_at(TEXT, pointer).unwrap()).unwrap(), *value.pointer(pointer).unwrap());
        }
    }

    #[test]
    fn elements_are_the_texts_that_pointers_find() {
        let array = text_at(TEXT, "/a").unwrap();
        let found = elements(array).unwrap();
        assert_eq!(found, ["1.0", r#"{"b~/": "\u0041"}"#, r#""x""#]);
        assert_eq!(elements("[[], [[1]], {}]").unwrap(), ["[]", "[[1]]", "{}"]);
        assert_eq!(elements(" [ ] ").unwrap(), Vec::<&str>::new());
        for other in ["{}", "1", r#"{"a": [1]}"#, "[1", ""] {
            assert_eq!(elements(other), None, "{other}");
        }
    }

    #[test]
    fn members_are_the_texts_that_pointers_find() {
        let found: Vec<(String, &str)> =
            members(TEXT).unwrap().into_iter().map(|(key, text)| (key.to_string_lossy().into_owned(), text)).collect();
        let of = |key: &str, text: &'static str| (key.to_owned(), text);
        let first = r#"[ 1.0, {"b~/": "\u0041"}, "x" ]"#;
        assert_eq!(found, [of("a", first), of("a\n", "{}"), of("c", "[[], [true, null]]"), of("c", "[ ]")]);
        assert_eq!(members(" { } ").unwrap(), Vec::new());
        for other in ["[]", "1", r#"{"a": 1"#, "{} {}", ""] {
            assert_eq!(members(other), None, "{other}");
        }
    }

    #[test]
    fn values_in_a_row_are_taken_one_by_one() {
        assert_eq!(first_value(" {\"a\": 1}\n[2] x"), Ok(("{\"a\": 1}", "\n[2] x")));
        assert_eq!(first_value("\n[2] x"), Ok(("[2]", " x")));
        assert_eq!(first_value("12"), Ok(("12", "")));
        assert!(first_value(" x").is_err());
        assert!(first_value("[1").is_err());
    }

    #[test]
    fn strings_are_exchanged_and_nothing_else() {
        let mut seen = Vec::new();
        let changed = map_strings(TEXT, |place, string| {
            let keys: Vec<_> = place.keys().map(|key| key.to_string_lossy().into_owned()).collect();
            seen.push((place.pointer(), keys.join(" "), string.to_string_lossy().into_owned()));
            (*string == "A").then(|| "\"***".into())
        });
        assert_eq!(changed.unwrap(), TEXT.replace(r"\u0041", "\\\"***"));
        let own = |texts: [&str; 3]| texts.map(str::to_owned).into();
        assert_eq!(seen, [own(["/a/1/b~0~1", "a b~/", "A"]), own(["/a/2", "a", "x"])]);
        assert_eq!(map_strings("\"a\"", |place, _| Some(place.pointer().into())).unwrap(), "\"\"");
    }
}
