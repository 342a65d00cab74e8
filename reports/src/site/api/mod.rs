//! Files for other programs: stable JSON, badges, feeds. Additions keep the version in the path. Each number comes with
//! its total, the corpus and the day.

mod badge;
mod feed;
pub(crate) mod types;

use mcp_compat_model::Role;
use mcp_compat_model::count::thousands;
use mcp_compat_model::diff::Class;
use mcp_compat_model::invisible_chars::{neutralised, neutralised_json};
use mcp_compat_model::verdict::Rating;
use serde::Serialize;

use crate::site::context::{CAUSE_PAGES, Files, Ranked, Release, Site};
use crate::site::earlier::Sum;
use crate::site::names::peer_page;
use crate::text::clipped;
use crate::view::Tally;
use crate::{baseline, headline};
use types::{Cause, CauseInShort, Latest, Pairs, Peer, RunName, RunOfSite, Runs, ToFix};

/// Version of these formats, which is also in their paths.
const FORMAT: u32 = 1;

/// Number of cells of a cause that are named.
const CELLS: usize = 100;

/// Number of changes in the file of changes; all are counted.
const CHANGES: usize = 2_000;

/// Writes all files for other programs.
pub(crate) fn write(site: &Site<'_>, files: &mut Files) {
    files.insert("api/v1/run/latest.json".to_owned(), bytes(&latest(site)));
    for release in site.releases.values() {
        let name = peer_page(&release.product);
        files.insert(format!("api/v1/peer/{name}.json"), bytes(&peer(site, release)));
        let badge = badge::Badge::of(site, release);
        files.insert(format!("api/v1/badge/{name}.json"), bytes(&badge.endpoint()));
        files.insert(format!("api/v1/badge/{name}.svg"), badge.svg().into_bytes());
        if !release.is_built_in() {
            files.insert(format!("feed/{name}.xml"), feed::of_release(site, release).into_bytes());
            // Every `<` is in a string, where TOML reads the escape as the same character.
            let known = baseline::of_cells(release.cells()).replace('<', "\\u003c");
            files.insert(format!("known/{name}.toml"), known.into_bytes());
        }
    }
    for ranked in site.causes.iter().take(CAUSE_PAGES) {
        files.insert(format!("api/v1/cause/{}.json", ranked.slug), bytes(&cause(site, ranked)));
    }
    if let Some(diff) = site.input.earlier.changes() {
        let is_listed = |class: Class| class.is_change() || matches!(class, Class::Flaky | Class::Spurious);
        let text = serde_json::to_string(&diff.shortened(CHANGES, is_listed)).unwrap_or_default();
        files.insert(format!("data/{}/diff.json", site.run), shown(&text));
    }
    files.insert("feed.xml".to_owned(), feed::of_all(site).into_bytes());
}

/// Serialises a value as a file.
pub(crate) fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    shown(&text)
}

/// Makes JSON a file in which text of peers is harmless wherever it is pasted.
fn shown(text: &str) -> Vec<u8> {
    format!("{}\n", neutralised_json(text).replace('<', "\\u003c")).into_bytes()
}

/// The runs of the site, the oldest first, and the digest of each file of data.
pub(crate) fn runs(site: &Site<'_>, files: &Files, digest: impl Fn(&[u8]) -> String) -> Vec<u8> {
    let newest = site.input.earlier.newest();
    let run = |sum: &Sum| {
        let own = files.iter().filter(|(path, _)| path.starts_with(&format!("data/{}/", sum.id)));
        RunOfSite {
            run: name(sum),
            cells: sum.cells,
            counts: sum.tally.into(),
            sha256: own.map(|(path, bytes)| (path.clone(), digest(bytes))).collect(),
        }
    };
    let runs = site.input.earlier.sums().iter().rev().chain([&newest]).map(run).collect();
    bytes(&Runs { generator: "mcp-compat site".to_owned(), format: FORMAT, runs })
}

fn name(sum: &Sum) -> RunName {
    let Sum { id, started, tool, corpus, complete, .. } = sum.clone();
    RunName { id, started, tool, corpus, complete }
}

/// Name of the newest run.
fn run(site: &Site<'_>) -> RunName {
    let record = site.record;
    RunName {
        id: site.run.clone(),
        started: record.started.clone(),
        tool: record.tool_version.clone(),
        corpus: record.corpus.clone(),
        complete: record.complete,
    }
}

fn latest(site: &Site<'_>) -> Latest {
    let pairs = site.pairs;
    let owned = |peers: &[&mcp_compat_model::PeerId]| peers.iter().map(|peer| (*peer).clone()).collect();
    Latest {
        format: FORMAT,
        run: run(site),
        cells: site.record.cells.len(),
        total: site.view.total.into(),
        pairs: Pairs {
            played: pairs.all(),
            work: pairs.works,
            degrade: pairs.degraded,
            breaks: pairs.breaks,
            unsupported: pairs.unsupported,
        },
        clients: owned(site.clients()),
        servers: owned(site.servers()),
        causes: site.causes.iter().take(CAUSE_PAGES).map(|ranked| in_short(site, ranked)).collect(),
    }
}

fn in_short(site: &Site<'_>, ranked: &Ranked<'_>) -> CauseInShort {
    let cause = &ranked.cause;
    CauseInShort {
        slug: ranked.slug.clone(),
        signature: cause.example.signature.clone(),
        title: headline::title(cause).replace('`', ""),
        rating: ranked.rating,
        silent: cause.is_silent(),
        fault: cause.example.fault,
        cells: cause.cells.len(),
        of: site.record.cells.len(),
        newest: ranked.newest,
        clients: cause.distinct(|cell| cell.client.as_str()).len(),
        servers: cause.distinct(|cell| cell.server.as_str()).len(),
        known: cause.new_breaks() == 0 && ranked.rating == Rating::Breaks,
        runs: site.input.earlier.in_a_row(&cause.name),
        issues: site.issues(&cause.name).iter().map(|issue| issue.url.clone()).collect(),
        reason: clipped(&cause.example.reason, 1_200),
    }
}

fn cause(site: &Site<'_>, ranked: &Ranked<'_>) -> Cause {
    let cells = &ranked.cause.cells;
    Cause {
        format: FORMAT,
        run: run(site),
        cause: in_short(site, ranked),
        example: ranked.cause.example.cell().id(),
        some: cells.iter().take(CELLS).map(|cell| cell.cell().id()).collect(),
    }
}

fn peer(site: &Site<'_>, release: &Release<'_>) -> Peer {
    let to_fix = site.causes.iter().filter(|ranked| ranked.rating == Rating::Breaks).filter_map(|ranked| {
        let cells = ranked.cause.cells.iter().filter(|cell| release.is_of(cell) && release.is_at_fault(cell)).count();
        (cells > 0).then(|| ToFix { cause: ranked.slug.clone(), cells })
    });
    Peer {
        format: FORMAT,
        run: run(site),
        peer: release.product.clone(),
        ids: release.ids.iter().map(|id| (*id).clone()).collect(),
        recorded: [Role::Client, Role::Server]
            .into_iter()
            .find_map(|role| release.recorded(site.record, role))
            .cloned(),
        as_client: Tally::of(release.as_client.iter().copied()).into(),
        as_server: Tally::of(release.as_server.iter().copied()).into(),
        to_fix: to_fix.collect(),
    }
}

/// Day on which a run began, if its time is valid.
pub(crate) fn day(started: &str) -> String {
    let day: String = started.chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-').collect();
    if day.len() == 10 { day } else { "no date".to_owned() }
}

/// Corpus, by the first characters of its digest.
pub(crate) fn corpus(site: &Site<'_>) -> String {
    let short: String = site.record.corpus.chars().filter(char::is_ascii_alphanumeric).take(4).collect();
    format!("scenarios {short}")
}

/// Escapes a text for XML.
pub(crate) fn xml(text: &str) -> String {
    let text = neutralised(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Number with separators between thousands.
pub(crate) fn number(number: usize) -> String {
    thousands(number as u64)
}

/// Number of days after which a result is stale.
const STALE_DAYS: i64 = 14;

/// Returns whether a run began more than two weeks before the day on which the site is made.
pub(crate) fn is_stale(started: &str, today: Option<&str>) -> bool {
    let age = |today: &str| Some(number_of_day(today)? - number_of_day(&day(started))?);
    today.and_then(age).is_some_and(|days| days > STALE_DAYS)
}

/// Number of a day such as `2026-11-23`, counted from a fixed day.
fn number_of_day(day: &str) -> Option<i64> {
    let mut parts = day.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // A year that begins in March has the leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_stale_after_two_weeks() {
        let run = "2026-02-20T03:00:00Z";
        assert!(!is_stale(run, None) && !is_stale(run, Some("2026-02-20")) && !is_stale(run, Some("2026-03-06")));
        assert!(is_stale(run, Some("2026-03-07")) && is_stale("2023-12-31T00:00:00Z", Some("2024-03-01")));
        assert!(!is_stale("no time", Some("2026-03-07")) && !is_stale(run, Some("today")));
    }
}
