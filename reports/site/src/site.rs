//! The files of a site.

use std::collections::BTreeMap;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::unseen::neutralised_json;
use mcp_compat_reports::view::Tally;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::api;
use crate::assets::{css, js};
use crate::columns::{Depth, chunk, columns};
use crate::context::{COMPARED, Files, Site};
use crate::error::SiteError;
use crate::evidence::EvidenceBook;
use crate::families::Newest;
use crate::input::Input;
use crate::names::run_id;
use crate::pack::packed;
use crate::page;
use crate::ranking::ranked;

/// The file by which a folder is known to be a site.
pub const MARK: &str = "data/runs.json";

/// How much of what was said and happened one file has before compression, as a browser takes it apart in a moment.
const CHUNK: usize = 1 << 20;

/// The files of a site.
///
/// # Errors
/// If there is no run, if two began at one time, or if the pages without any evidence are larger than allowed.
pub fn site(input: &Input<'_>) -> Result<Files, SiteError> {
    let mut started: Vec<&str> = input.runs.iter().map(|run| run.record.started.as_str()).collect();
    started.sort_unstable();
    if let Some(twice) = started.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(SiteError::SameTime { started: twice[0].to_owned() });
    }
    let site = Site::of(input)?;
    let mut files = Files::new();
    files.insert("assets/site.css".to_owned(), css().into_bytes());
    files.insert("assets/site.js".to_owned(), js().into_bytes());
    page::write(&site, &mut files);
    api::write(&site, &mut files);
    let last = input.runs.last().ok_or(SiteError::NoRun)?;
    earlier(&site, &mut files);
    let fixed: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    data(&site, last.evidence, input.max_bytes.saturating_sub(fixed), Depth::Everything, &mut files);
    let runs = runs(input, &files);
    files.insert(
        MARK.to_owned(),
        format!("{}\n", neutralised_json(&format!("{runs:#}")).replace('<', "\\u003c")).into_bytes(),
    );
    let needed: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    if needed > input.max_bytes {
        return Err(SiteError::TooLarge { needed, allowed: input.max_bytes });
    }
    Ok(files)
}

/// The columns of earlier runs, to compare with: of the last ones, and without what was said.
fn earlier(site: &Site<'_>, files: &mut Files) {
    for run in site.input.runs.iter().rev().take(COMPARED).skip(1) {
        let id = run_id(&run.record.started);
        let newest = Newest::of(run.record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
        let whole = columns(&id, run.record, &ranked(run.record, &newest), &BTreeMap::new());
        files.insert(format!("data/{id}/columns.js"), packed(&format!("{id}/columns"), &whole));
    }
}

/// The runs of the site, and the digest of each file of data.
fn runs(input: &Input<'_>, files: &Files) -> serde_json::Value {
    let told = input.runs.iter().map(|run| {
        let (record, total) = (run.record, Tally::of(&run.record.cells));
        let id = run_id(&record.started);
        let own = files.iter().filter(|(path, _)| path.starts_with(&format!("data/{id}/")));
        let digests: BTreeMap<&str, String> = own.map(|(path, bytes)| (path.as_str(), sha256(bytes))).collect();
        json!({
            "id": id, "started": record.started, "tool": record.tool_version, "corpus": record.corpus,
            "complete": record.complete, "cells": record.cells.len(),
            "works": total.works, "degraded": total.degraded, "breaks": total.breaks, "silent": total.silent,
            "known": total.known, "unsupported": total.skipped, "sha256": digests,
        })
    });
    json!({"generator": "mcp-compat site", "format": 1, "runs": told.collect::<Vec<_>>()})
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The data of the newest run: columns, and what was said and happened, in as many files as it takes.
pub(crate) fn data(site: &Site<'_>, book: &EvidenceBook, allowed: u64, deepest: Depth, files: &mut Files) {
    let mut groups: Vec<Vec<(usize, &CellRecord)>> = Vec::new();
    let mut size = CHUNK;
    let mut before: Option<&ScenarioId> = None;
    let mut chunks = BTreeMap::<&ScenarioId, usize>::new();
    for (place, cell) in site.record.cells.iter().enumerate() {
        if before != Some(&cell.scenario) && size >= CHUNK {
            groups.push(Vec::new());
            size = 0;
        }
        before = Some(&cell.scenario);
        size += 2_000 + cell.reason.len();
        chunks.insert(&cell.scenario, groups.len() - 1);
        if let Some(group) = groups.last_mut() {
            group.push((place, cell));
        }
    }
    let run = &site.run;
    let name = |number: usize| format!("data/{run}/cells-{number:03}.js");
    let whole = columns(run, site.record, &site.causes, &chunks);
    let columns = packed(&format!("{run}/columns"), &whole);
    let file = |number: usize, depth: Depth| {
        let bytes = groups.get(number).map(|cells| chunk(&site.scenarios, cells, book, depth)).unwrap_or_default();
        packed(&format!("{run}/cells-{number:03}"), &bytes)
    };
    let told_in_runs = (1_000 * site.input.runs.len() + 160 * groups.len()) as u64;
    let allowed = allowed.saturating_sub(columns.len() as u64).saturating_sub(told_in_runs);
    files.insert(format!("data/{run}/columns.js"), columns);
    let mut written: Vec<Vec<u8>> = (0..groups.len()).map(|number| file(number, deepest)).collect();
    for depth in [Depth::NotWorking, Depth::Nothing].into_iter().filter(|depth| *depth > deepest) {
        let mut total: u64 = written.iter().map(|bytes| bytes.len() as u64).sum();
        let mut largest: Vec<usize> = (0..written.len()).collect();
        largest.sort_by_key(|number| std::cmp::Reverse(written[*number].len()));
        for number in largest {
            if total <= allowed {
                break;
            }
            let shorter = file(number, depth);
            total = total.saturating_sub(written[number].len() as u64) + shorter.len() as u64;
            written[number] = shorter;
        }
    }
    files.extend(written.into_iter().enumerate().map(|(number, bytes)| (name(number), bytes)));
}
