//! What other programs and pages take from a site: stable JSON, badges, a feed, a picture of the matrix. Additions keep the
//! version in the path. Nothing is given without how many it was of, the corpus and the day.

mod badge;
mod feed;
mod picture;
mod words;

use mcp_compat_model::unseen::neutralised_json;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::text::clipped;
use mcp_compat_reports::view::Tally;
use serde_json::{Value, json};

use crate::context::{Files, Site};
use crate::names::peer_page;
use crate::ranking::{CAUSE_PAGES, Ranked};
use crate::releases::Release;

/// The version of these formats, which is in their paths too.
const FORMAT: u32 = 1;

/// How many cells of a cause are named.
const CELLS: usize = 100;

/// Writes all of it.
pub(crate) fn write(site: &Site<'_>, files: &mut Files) {
    files.insert("api/v1/run/latest.json".to_owned(), bytes(&latest(site)));
    for release in site.releases.values() {
        let name = peer_page(&release.product);
        files.insert(format!("api/v1/peer/{name}.json"), bytes(&peer(site, release)));
        let badge = badge::Badge::of(site, release);
        files.insert(format!("api/v1/badge/{name}.json"), bytes(&badge.endpoint()));
        files.insert(format!("api/v1/badge/{name}.svg"), badge.svg().into_bytes());
    }
    for ranked in site.causes.iter().take(CAUSE_PAGES) {
        files.insert(format!("api/v1/cause/{}.json", ranked.slug), bytes(&cause(site, ranked, CELLS)));
    }
    files.insert("feed.xml".to_owned(), feed::atom(site).into_bytes());
    files.insert("matrix.svg".to_owned(), picture::svg(site).into_bytes());
}

fn bytes(value: &Value) -> Vec<u8> {
    // A peer's text stays a text wherever the JSON is pasted.
    format!("{}\n", neutralised_json(&format!("{value:#}")).replace('<', "\\u003c")).into_bytes()
}

/// Which run it is of.
fn run(site: &Site<'_>) -> Value {
    let record = site.record;
    json!({"id": site.run, "started": record.started, "tool": record.tool_version, "corpus": record.corpus, "complete": record.complete})
}

fn tally(tally: Tally) -> Value {
    json!({"judged": tally.judged(), "works": tally.works, "degraded": tally.degraded, "breaks": tally.breaks,
        "silent": tally.silent, "known": tally.known, "unsupported": tally.skipped})
}

fn latest(site: &Site<'_>) -> Value {
    let pairs = site.pairs;
    let causes: Vec<Value> = site.causes.iter().take(CAUSE_PAGES).map(|ranked| cause(site, ranked, 0)).collect();
    json!({
        "format": FORMAT, "run": run(site), "cells": site.record.cells.len(), "total": tally(site.view.total),
        "pairs": {"played": pairs.all(), "work": pairs.works, "degrade": pairs.degraded, "break": pairs.breaks, "unsupported": pairs.unsupported},
        "clients": site.clients(), "servers": site.servers(), "causes": causes,
    })
}

fn cause(site: &Site<'_>, ranked: &Ranked<'_>, cells: usize) -> Value {
    let cause = &ranked.cause;
    let mut told = json!({
        "slug": ranked.slug, "signature": cause.example.signature, "rating": ranked.rating, "silent": cause.is_silent(),
        "fault": cause.example.fault, "cells": cause.cells.len(), "of": site.record.cells.len(), "newest": ranked.newest,
        "clients": cause.distinct(|cell| cell.client.as_str()).len(), "servers": cause.distinct(|cell| cell.server.as_str()).len(),
        "known": cause.new_breaks() == 0 && ranked.rating == Rating::Breaks, "reason": clipped(&cause.example.reason, 1_200),
    });
    if cells > 0 {
        told["format"] = FORMAT.into();
        told["run"] = run(site);
        told["example"] = cause.example.cell().id().as_str().into();
        told["some"] = cause.cells.iter().take(cells).map(|cell| cell.cell().id().to_string()).collect();
    }
    told
}

fn peer(site: &Site<'_>, release: &Release<'_>) -> Value {
    let to_fix = site.causes.iter().filter(|ranked| ranked.rating == Rating::Breaks).filter_map(|ranked| {
        let cells = ranked.cause.cells.iter().filter(|cell| release.is_of(cell) && release.is_at_fault(cell)).count();
        (cells > 0).then(|| json!({"cause": ranked.slug, "cells": cells}))
    });
    json!({
        "format": FORMAT, "run": run(site), "peer": release.product, "ids": release.ids,
        "as_client": tally(Tally::of(release.as_client.iter().copied())),
        "as_server": tally(Tally::of(release.as_server.iter().copied())), "to_fix": to_fix.collect::<Vec<_>>(),
    })
}
