//! The sites under test, made by the program as its users make them: a run of mocks, and a run of what is hostile.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::server::{read, served};

/// Where the sites and their records are.
pub(crate) const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/browser");

/// A plain run: breaks of both sides, silent ones, what is not supported and what is not played.
pub(crate) static PLAIN: LazyLock<Made> = LazyLock::new(|| {
    let scenarios = ["root-type/array", "root-type/object", "invalid-result/extra-property", "drift/array-to-object"];
    let peers = ["mock/dual*", "mock/2024-11-05", "profile/typescript@*"];
    let made = Made::new("plain");
    let chosen = scenarios.iter().map(|scenario| format!("--scenario={scenario}"));
    let chosen = chosen.chain(peers.iter().flat_map(|peer| [format!("--client={peer}"), format!("--server={peer}")]));
    made.play(chosen.chain(["--no-peers", "--coverage=full", "--transport=memory"].map(str::to_owned)));
    made.precede();
    made.build("Compatibility");
    made
});

/// How many cells of the plain run got worse since the earlier one.
pub(crate) const WORSE: usize = 3;

/// Texts that would be something else if a page took them for markup, for script or for a direction.
pub(crate) const HOSTILE: &str = "<img src=x onerror=\"document.title='taken'\"></script><script>document.title='taken'</script>\
    \u{202e}detrever\u{2066}\u{0}\u{1b}[31m'\"`&lt;${1}{{1}} https://evil.example/";

/// A run in which all that a peer or an author chooses is hostile, on the wire and in the record.
pub(crate) static STRANGE: LazyLock<Made> = LazyLock::new(|| {
    let made = Made::new("strange");
    let scenario = made.folder.join("strange.toml");
    fs::write(&scenario, hostile_scenario()).unwrap();
    let scenario = format!("--scenarios={}", scenario.display());
    let peers = ["--client=mock/dual*", "--client=mock/2025-11-25", "--server=mock/dual", "--server=mock/2025-11-25"];
    let rest = ["--no-corpus", "--no-peers", "--coverage=full", "--transport=memory", "--transport=http"];
    made.play([scenario.as_str()].into_iter().chain(peers).chain(rest));
    made.spoil();
    made.build(HOSTILE.trim_end_matches(char::is_control).replace('\0', "").as_str());
    made
});

/// A record and the site of it.
pub(crate) struct Made {
    folder: PathBuf,
}

impl Made {
    fn new(name: &str) -> Self {
        let folder = Path::new(FOLDER).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    fn play(&self, chosen: impl Iterator<Item = impl AsRef<OsStr>>) {
        let out = self.folder.join("record");
        let mut command = Command::new(PROGRAM);
        command.arg("run").args(chosen).arg("--out").arg(&out);
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{command:?}: {}\n{said}", done.status);
    }

    fn build(&self, title: &str) {
        let mut command = Command::new(PROGRAM);
        // The earlier run first, if there is one.
        let runs = ["earlier", "record"].map(|name| self.folder.join(name));
        command
            .args(["report", "--format=site"])
            .args(runs.iter().filter(|run| run.exists()))
            .arg("--out")
            .arg(self.site());
        let done = command.args(["--title", title]).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    fn site(&self) -> PathBuf {
        self.folder.join("site")
    }

    /// The record as any program reads it.
    pub(crate) fn record(&self) -> Value {
        serde_json::from_slice(&fs::read(self.record_path()).unwrap()).unwrap()
    }

    pub(crate) fn record_path(&self) -> String {
        self.folder.join("record/run.json").display().to_string()
    }

    /// The run as a history keeps it.
    pub(crate) fn kept(&self) -> String {
        let history = self.folder.join("history");
        let mut command = Command::new(PROGRAM);
        command.args(["history", "add"]).arg(self.folder.join("record")).arg("--into").arg(&history);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let mut runs = fs::read_dir(history.join("runs")).unwrap();
        runs.next().unwrap().unwrap().path().display().to_string()
    }

    /// The address of the site on the disk.
    pub(crate) fn on_disk(&self) -> String {
        format!("file://{}/", self.site().display())
    }

    /// The address of the site on a server.
    pub(crate) fn on_server(&self) -> String {
        served(&self.site())
    }

    /// The pages, by their paths in the site.
    pub(crate) fn pages(&self) -> Vec<String> {
        self.files().into_iter().filter(|path| path.ends_with(".html")).collect()
    }

    /// Every file of the site, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = BTreeMap::new();
        read(&self.site(), "", &mut files);
        files.into_keys().collect()
    }

    /// One page of each kind: the one in the place, the first of a folder, and the views of pair and cell.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let mut folders = Vec::new();
        let mut pages = self.pages();
        pages.retain(|page| match page.split_once('/') {
            Some((folder, _)) if folders.contains(&folder.to_owned()) => false,
            Some((folder, _)) => {
                folders.push(folder.to_owned());
                true
            }
            None => true,
        });
        let cell = self.cell("breaks");
        pages.push(format!(
            "pair.html#client={}&server={}",
            cell["client"].as_str().unwrap(),
            cell["server"].as_str().unwrap()
        ));
        pages.push(format!("pair.html#cell={}", cell["id"].as_str().unwrap()));
        pages
    }

    /// The first cell with that rating.
    pub(crate) fn cell(&self, rating: &str) -> Value {
        let record = self.record();
        let mut cells = record["cells"].as_array().unwrap().iter();
        cells.find(|cell| cell["rating"] == rating).unwrap_or_else(|| panic!("no cell is rated {rating}")).clone()
    }

    /// Makes an earlier record, since which [`WORSE`] cells got worse and one got better.
    fn precede(&self) {
        let mut record = self.record();
        record["started"] = "2026-01-01T00:00:00Z".into();
        let [good, bad] = ["works", "breaks"].map(|rating| self.cell(rating));
        let cells = record["cells"].as_array_mut().unwrap();
        let broken = cells.iter().position(|cell| cell["rating"] == "works").unwrap();
        let mut mended = WORSE;
        for (place, cell) in cells.iter_mut().enumerate() {
            let other = if place == broken { &bad } else { &good };
            if place == broken || (cell["rating"] == "breaks" && mended > 0) {
                mended -= usize::from(place != broken);
                for member in
                    ["outcome", "rating", "silent", "blast_radius", "findings", "fault", "signature", "reason"]
                {
                    cell[member] = other[member].clone();
                }
            }
        }
        fs::create_dir(self.folder.join("earlier")).unwrap();
        fs::write(self.folder.join("earlier/run.json"), record.to_string()).unwrap();
    }

    /// The cells that the program finds to be of a class, compared with the earlier record.
    pub(crate) fn changed(&self, class: &str) -> Vec<String> {
        let mut command = Command::new(PROGRAM);
        command.args(["show", "--json", "--where", &format!("changed:{class}"), "--since"]);
        command.arg(self.folder.join("earlier")).arg("--out").arg(self.folder.join("record"));
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let shown: Value = serde_json::from_slice(&done.stdout).unwrap();
        let cells = shown["cells"].as_array().unwrap();
        let mut ids: Vec<String> = cells.iter().map(|cell| cell["id"].as_str().unwrap().to_owned()).collect();
        ids.sort_unstable();
        ids
    }

    /// Puts hostile texts into the places of the record that a stranger may fill, one of a megabyte among them.
    fn spoil(&self) {
        let mut record = self.record();
        record["tool_version"] = HOSTILE.into();
        record["corpus"] = HOSTILE.into();
        record["left_out"] = json!([{"reason": HOSTILE, "cells": 3}]);
        record["stale"] = json!([HOSTILE]);
        for cell in record["cells"].as_array_mut().unwrap() {
            cell["reason"] = format!("{HOSTILE}. To fix: {HOSTILE}").into();
            for finding in cell["findings"].as_array_mut().into_iter().flatten() {
                finding["detail"] = HOSTILE.into();
                finding["tool"] = HOSTILE.into();
                finding["source"] = "javascript:document.title='taken'".into();
            }
        }
        record["cells"][0]["reason"] = "a\u{202e}<b> ".repeat(150_000).into();
        fs::write(self.record_path(), record.to_string()).unwrap();
    }
}

fn hostile_scenario() -> String {
    let text = HOSTILE.replace('\0', "");
    let definition = json!({
        "name": "list_users", "title": text, "description": text, "inputSchema": {"type": "object"},
        "outputSchema": {"type": "array", "title": text, "items": {"type": "string"}},
    });
    let value = json!([text]);
    let returns = json!({"structuredContent": value, "content": [{"type": "text", "text": value.to_string()}]});
    format!(
        "title = {text}\nwhy = {text}\nsources = [\"https://example.org/\"]\n\n[[tool]]\ndefinition = {}\nreturns = {}\n",
        json!(definition.to_string()),
        json!(returns.to_string()),
        text = json!(text).to_string().replace('\u{202e}', "\\u202e").replace('\u{2066}', "\\u2066"),
    )
}

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-compat");
