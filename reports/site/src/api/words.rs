//! Words that the formats share: the day and the corpus of a run, numbers, and texts as XML has them.

use mcp_compat_model::count::thousands;
use mcp_compat_model::unseen::neutralised;

use crate::context::Site;

/// The day on which a run began, if it says so as RFC 3339 does.
pub(super) fn day(started: &str) -> String {
    let day: String = started.chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-').collect();
    if day.len() == 10 { day } else { "no date".to_owned() }
}

/// The corpus, in as few signs as tell it from others.
pub(super) fn corpus(site: &Site<'_>) -> String {
    let short: String = site.record.corpus.chars().filter(char::is_ascii_alphanumeric).take(4).collect();
    format!("corpus {short}")
}

/// A text in XML.
pub(super) fn xml(text: &str) -> String {
    let text = neutralised(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A number with its thousands apart.
pub(super) fn number(number: usize) -> String {
    thousands(number as u64)
}
