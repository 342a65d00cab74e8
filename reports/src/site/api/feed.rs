//! Feeds: an entry for each cause that changed. One feed is about everything, and one about each release.

use std::fmt::Write as _;

use mcp_compat_model::diff::{Change, Diff, Fate};

use super::{corpus, day, is_stale, number, xml};
use crate::headline;
use crate::site::context::{Release, Site};
use crate::site::names::{digest, peer_page};
use crate::text::clipped;

/// Number of entries that a run adds.
const ENTRIES: usize = 50;

/// Feed of all changes.
pub(super) fn of_all(site: &Site<'_>) -> String {
    atom(site, site.input.title, "feed.xml", "", |_| true)
}

/// Feed of the changes of one release.
pub(super) fn of_release(site: &Site<'_>, release: &Release<'_>) -> String {
    let name = peer_page(&release.product);
    let (title, own) = (format!("{}: {}", site.input.title, release.product), format!("feed/{name}.xml"));
    let is_it = |fate: &Option<Fate>| {
        fate.as_ref().is_some_and(|fate| release.ids.contains(&fate.client) || release.ids.contains(&fate.server))
    };
    atom(site, &title, &own, &format!("peer/{name}.html"), |change| is_it(&change.before) || is_it(&change.after))
}

/// Feed at `own` about the changes that concern `page`.
fn atom(site: &Site<'_>, title: &str, own: &str, page: &str, concerns: impl Fn(&Change) -> bool) -> String {
    let base = xml(site.input.base.unwrap_or("https://example.org/"));
    let (own, page) = (xml(own), xml(page));
    let updated = updated(&site.record.started);
    let mut feed = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>{}</title>\n\
         <id>{base}{page}</id>\n<link rel=\"self\" href=\"{base}{own}\"/>\n<link href=\"{base}{page}\"/>\n<updated>{updated}</updated>\n\
         <author><name>mcp-compat</name></author>\n",
        xml(title),
    );
    if let Some(diff) = site.input.earlier.changes() {
        entries(&mut feed, site, diff, &format!("{base}{page}"), &updated, concerns);
    }
    if let Some(today) = site.input.today.filter(|today| is_stale(&site.record.started, Some(today))) {
        let _ = write!(
            feed,
            "<entry>\n<title>No results since {day}</title>\n<id>{base}{page}#stale-{day}</id>\n<link href=\"{base}\"/>\n\
             <updated>{today}T00:00:00Z</updated>\n<summary>The newest run began on {day}.</summary>\n</entry>\n",
            day = day(&site.record.started),
            today = xml(today),
        );
    }
    feed.push_str("</feed>\n");
    feed
}

fn entries(
    feed: &mut String,
    site: &Site<'_>,
    diff: &Diff,
    about: &str,
    updated: &str,
    concerns: impl Fn(&Change) -> bool,
) {
    let at = |place: &u32| usize::try_from(*place).ok().and_then(|place| diff.changes.get(place));
    let mut entries = 0;
    for group in diff.groups.iter().filter(|group| group.class.is_change()) {
        let own: Vec<&Change> = group.changes.iter().filter_map(at).filter(|change| concerns(change)).collect();
        let example = at(&group.example).filter(|change| concerns(change)).or(own.first().copied());
        let Some(fate) = example.and_then(Change::telling) else { continue };
        let cause = group.cause.as_ref().map(ToString::to_string).unwrap_or_default();
        let text = group.cause.as_ref().map(headline::title_of).unwrap_or_else(|| fate.reason.clone());
        let _ = write!(
            feed,
            "<entry>\n<title>{}: {}</title>\n<id>{about}#{}</id>\n<link href=\"{about}\"/>\n<updated>{updated}</updated>\n\
             <summary>{} of {} compared checks · {} · {} · {}</summary>\n</entry>\n",
            group.class,
            xml(&clipped(&text.replace('`', ""), 300)),
            digest(&format!("{} {cause} {:?} {}", site.run, group.class, group.example)),
            number(own.len()),
            number(usize::try_from(diff.compared()).unwrap_or(usize::MAX)),
            xml(&clipped(&fate.reason, 300)),
            day(&site.record.started),
            corpus(site),
        );
        entries += 1;
        if entries == ENTRIES {
            break;
        }
    }
}

/// Time at which the run began; a feed needs a valid one.
fn updated(started: &str) -> String {
    let bytes = started.as_bytes();
    let is_time = bytes.len() >= 20
        && bytes.len() <= 40
        && started.ends_with('Z')
        && bytes.iter().all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(byte));
    if is_time { started.to_owned() } else { "1970-01-01T00:00:00Z".to_owned() }
}
