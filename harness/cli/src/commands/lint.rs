//! `lint`: check scenario files.

use anstream::println;
use anyhow::bail;

use crate::args::LintArgs;
use crate::corpus::{load_file, load_folder};
use crate::exit::Exit;

pub(crate) fn execute(args: &LintArgs) -> anyhow::Result<Exit> {
    let mut scenarios = 0;
    for path in &args.paths {
        if !path.exists() && path.extension().is_none() {
            bail!("there is no file or folder {}: lint checks files, such as root-type/array.toml", path.display());
        }
        scenarios += if path.is_dir() { load_folder(path)?.len() } else { load_file(path)?.len() };
    }
    let scenarios = if scenarios == 1 { "1 scenario".to_owned() } else { format!("{scenarios} scenarios") };
    println!("{scenarios}, no mistakes");
    Ok(Exit::Success)
}
