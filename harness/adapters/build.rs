//! Lists the files of the adapters, for the library to embed.
//!
//! In a checkout they are those of `peers/`. A package cannot contain that folder, because cargo leaves out every folder
//! with a `Cargo.toml` of its own; so it contains a copy, `packaged/`, in which `Cargo.toml` is called `Cargo.toml.file`.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the copy in a package adds to the names of files that cargo would read as its own.
const RENAMED: &str = ".file";

/// What builds and installations leave beside an adapter: no part of it.
const NOT_SOURCES: [&str; 8] = [".gradle", ".venv", "__pycache__", "build", "dist", "node_modules", "target", "venv"];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let checkout = here.join("../../peers");
    let root = if checkout.join("fleet.toml").is_file() { checkout } else { here.join("packaged") };
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, "", &mut files)?;
    }
    files.sort();
    let mut list = String::from("&[\n");
    for (name, path) in files {
        let name = name.strip_suffix(RENAMED).unwrap_or(&name);
        let path = fs::canonicalize(path)?;
        let _ = writeln!(list, "    File {{ path: {name:?}, bytes: include_bytes!({path:?}) }},");
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("files.rs"), list)
}

/// The files below a folder, with their paths from the root.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // Lock files of the checkout are links to one of several.
        let kind = fs::metadata(entry.path())?;
        if kind.is_dir() && !NOT_SOURCES.contains(&name.as_str()) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            files.push((path, entry.path()));
        }
    }
    Ok(())
}
