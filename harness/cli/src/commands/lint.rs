//! `lint`: check scenario files.

use std::fs;

use anstream::println;
use anyhow::Context as _;

use crate::args::LintArgs;
use crate::corpus::{load_folder, refused};
use crate::exit::Exit;

pub(crate) fn execute(args: &LintArgs) -> anyhow::Result<Exit> {
    let mut scenarios = 0;
    for path in &args.paths {
        if path.is_dir() {
            scenarios += load_folder(path)?.len();
            continue;
        }
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let folder = path.parent().map(ToOwned::to_owned).unwrap_or_default();
        let beside = |name: &str| fs::read(folder.join(name.rsplit('/').next().unwrap_or(name))).ok();
        let name = path.to_string_lossy();
        scenarios += mcp_compat_scenario::load(&name, &text, &beside).map_err(refused)?.len();
    }
    println!("{scenarios} scenarios, no mistakes");
    Ok(Exit::Success)
}
