//! axe-core finds nothing serious on any kind of page, light or dark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::chromium::with_browser;
use crate::made::PLAIN;
use crate::shown::opened;
use crate::skip::skipped;
use crate::tab::{Colours, Tab};

/// What says which release is wanted.
const WANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/npm");

/// Where it is installed: kept from one run to the next.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/browser-npm");

/// The rules that depend on colours. In the dark only these are asked again: nothing else is different there.
const OF_COLOURS: [&str; 3] = ["color-contrast", "link-in-text-block", "focus-order-semantics"];

/// The script of axe-core, installed once for each content of the lock. Gives why it cannot be had.
fn axe() -> Result<String, String> {
    let folder = Path::new(FOLDER);
    let lock = fs::read_to_string(Path::new(WANTED).join("package-lock.json")).unwrap();
    let (stamp, script) = (folder.join("installed"), folder.join("node_modules/axe-core/axe.min.js"));
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&lock) {
        install(folder)?;
        fs::write(&stamp, lock).unwrap();
    }
    Ok(fs::read_to_string(script).unwrap())
}

fn install(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).unwrap();
    for file in ["package.json", "package-lock.json"] {
        fs::copy(PathBuf::from(WANTED).join(file), folder.join(file)).unwrap();
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-timeout=60000"]);
    let done = npm.current_dir(folder).output().map_err(|error| format!("npm: {error}"))?;
    if done.status.success() { Ok(()) } else { Err(format!("npm ci: {}", String::from_utf8_lossy(&done.stderr))) }
}

#[test]
fn axe_finds_nothing_serious() {
    with_browser(|browser| {
        let axe = match axe() {
            Ok(axe) => axe,
            Err(why) => return skipped(format!("axe-core cannot be installed: {why}")),
        };
        let mut tab = Tab::new(browser, &PLAIN.on_disk());
        let mut violations = Vec::new();
        for page in PLAIN.kinds() {
            opened(&mut tab, &page);
            tab.colours(Colours::Light);
            tab.look(&format!("(() => {{ {axe}; }})(), 0"));
            let options = [
                (Colours::Light, json!({"preload": false})),
                (Colours::Dark, json!({"preload": false, "runOnly": OF_COLOURS})),
            ];
            for (colours, options) in options {
                tab.colours(colours);
                let found = tab.look(&format!("axe.run(document, {options}).then(r => r.violations.map(v => [v.impact, v.id, v.nodes.length, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + (n.failureSummary ?? '').slice(0, 240))]))"));
                let bad = found.as_array().unwrap().iter().filter(|violation| is_serious(violation));
                violations.extend(bad.map(|violation| format!("{page}, {colours:?}: {violation}")));
            }
        }
        tab.leave();
        assert!(violations.is_empty(), "{violations:#?}");
    });
}

fn is_serious(violation: &Value) -> bool {
    matches!(violation[0].as_str(), Some("serious" | "critical"))
}
