//! The feed: an entry for each cause that changed, and none for a quiet run.

use std::fmt::Write as _;

use mcp_compat_model::diff::{Class, Diff};
use mcp_compat_reports::text::clipped;

use super::words::{corpus, day, number, xml};
use crate::context::Site;
use crate::names::digest;

/// How many entries one run adds.
const ENTRIES: usize = 50;

pub(super) fn atom(site: &Site<'_>) -> String {
    let base = site.input.base.unwrap_or("https://example.org/");
    let updated = updated(&site.record.started);
    let title = xml(site.input.title);
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{title}</title>\n\
         <id>{base}</id>\n<link rel=\"self\" href=\"{base}feed.xml\"/>\n<link href=\"{base}\"/>\n<updated>{updated}</updated>\n\
         <author><name>mcp-compat</name></author>\n",
        base = xml(base),
    );
    if let Some(diff) = site.input.changes {
        entries(&mut feed, site, diff, base, &updated);
    }
    feed.push_str("</feed>\n");
    feed
}

fn entries(feed: &mut String, site: &Site<'_>, diff: &Diff, base: &str, updated: &str) {
    let is_told = |class| matches!(class, Class::Worse | Class::Better | Class::Changed);
    for group in diff.groups.iter().filter(|group| is_told(group.class)).take(ENTRIES) {
        let Some(change) = usize::try_from(group.example).ok().and_then(|place| diff.changes.get(place)) else {
            continue;
        };
        let Some(fate) = change.telling() else { continue };
        let cause = group.cause.as_ref().map(ToString::to_string).unwrap_or_default();
        let of = number(usize::try_from(diff.compared()).unwrap_or(usize::MAX));
        let _ = write!(
            feed,
            "<entry>\n<title>{}: {}</title>\n<id>{}#{}</id>\n<link href=\"{}\"/>\n<updated>{updated}</updated>\n\
             <summary>{} of {of} compared cells · {} · {}</summary>\n</entry>\n",
            group.class,
            xml(&clipped(&fate.reason, 300)),
            xml(base),
            digest(&format!("{} {cause} {:?} {}", site.run, group.class, group.example)),
            xml(base),
            number(group.changes.len()),
            day(&site.record.started),
            corpus(site),
        );
    }
}

/// When the run began; a feed needs a time that is one.
fn updated(started: &str) -> String {
    let bytes = started.as_bytes();
    let is_time = bytes.len() >= 20
        && bytes.len() <= 40
        && started.ends_with('Z')
        && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(byte));
    if is_time { started.to_owned() } else { "1970-01-01T00:00:00Z".to_owned() }
}
