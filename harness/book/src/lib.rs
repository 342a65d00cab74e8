//! The book, embedded, and set for a terminal.
//!
//! ```text
//! docs/src/*.md ── build.rs ──> compressed pages ── text ──> Markdown ─┬─ render ──> lines for a terminal
//!                                                                      └─ glossary ──> words with their meanings
//! ```

mod blocks;
pub mod glossary;
mod lines;
mod render;
mod tables;

use std::io::Read as _;
use std::ops::Range;

use flate2::read::DeflateDecoder;

pub use render::render;

/// The name of each page, and where its compressed bytes are.
static PAGES: &[(&str, Range<usize>)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The compressed bytes of all pages.
static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packed"));

/// The page with the table of contents.
const CONTENTS: &str = "SUMMARY";

/// The least likeness of a name to one that may be meant.
const LIKENESS: f64 = 0.7;

/// A page of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// What to ask for it.
    pub name: String,
    /// Its title.
    pub title: String,
}

/// The Markdown of a page.
#[must_use]
pub fn text(name: &str) -> Option<String> {
    let (_, place) = PAGES.iter().find(|(page, _)| *page == name)?;
    let mut text = String::new();
    // The build has compressed it: it is whole.
    DeflateDecoder::new(PACKED.get(place.clone())?).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The pages, in the order of the table of contents.
#[must_use]
pub fn topics() -> Vec<Topic> {
    let contents = text(CONTENTS).unwrap_or_default();
    let topic = |line: &str| {
        let (title, rest) = line.split_once('[')?.1.split_once("](")?;
        Some(Topic { name: rest.split_once(".md")?.0.to_owned(), title: title.to_owned() })
    };
    contents.lines().filter_map(topic).collect()
}

/// The page that may be meant by a name that no page has.
#[must_use]
pub fn nearest(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let topics = topics();
    let within = topics.iter().find(|topic| topic.name.contains(&name) || topic.title.to_lowercase().contains(&name));
    let alike = || {
        let likeness = |topic: &&Topic| strsim::jaro_winkler(&topic.name, &name);
        topics.iter().filter(|topic| likeness(topic) > LIKENESS).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
    };
    within.filter(|_| name.len() > 1).or_else(alike).map(|topic| topic.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_a_page_and_every_page_is_a_topic() {
        let topics = topics();
        assert_eq!(topics.len() + 1, PAGES.len());
        for topic in &topics {
            assert!(text(&topic.name).is_some_and(|text| text.starts_with("# ")), "{}", topic.name);
        }
        assert_eq!(topics[0], Topic { name: "introduction".to_owned(), title: "Introduction".to_owned() });
    }

    #[test]
    fn a_name_that_no_page_has_is_near_to_one() {
        assert_eq!(nearest("adit").as_deref(), Some("audit"));
        assert_eq!(nearest("fleet").as_deref(), Some("peers"));
        assert_eq!(nearest("Matrix").as_deref(), Some("first-matrix"));
        assert_eq!(nearest("zzz"), None);
    }
}
