//! Packs the files of the adapters, for the library to embed: each is compressed on its own.
//!
//! In a checkout they are those of `peers/`. A package cannot contain that folder, because cargo leaves out every folder
//! with a `Cargo.toml` of its own; so it contains a copy, `packaged/`, in which `Cargo.toml` is called `Cargo.toml.file`.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest as _, Sha256};

/// Suffix that the copy in a package adds to the names of files that cargo would read as its own.
const RENAMED: &str = ".file";

/// Folders that builds and installations leave beside an adapter.
const NOT_SOURCES: [&str; 8] = [".gradle", ".venv", "__pycache__", "build", "dist", "node_modules", "target", "venv"];

/// Number of bytes of the digest in the name of the unpacked folder.
const DIGEST_BYTES: usize = 8;

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
    let (mut packed, mut hasher) = (Vec::new(), Sha256::new());
    for (name, path) in files {
        let name = name.strip_suffix(RENAMED).unwrap_or(&name);
        let bytes = fs::read(path)?;
        for part in [name.as_bytes(), &bytes] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let start = packed.len();
        let mut encoder = DeflateEncoder::new(&mut packed, Compression::best());
        encoder.write_all(&bytes)?;
        encoder.finish()?;
        let (size, end) = (bytes.len(), packed.len());
        let _ = writeln!(list, "    File {{ path: {name:?}, size: {size}, place: {start}..{end} }},");
    }
    list.push(']');
    let digest: String = hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=ADAPTERS_DIGEST={digest}");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("packed"), packed)?;
    fs::write(out.join("files.rs"), list)
}

/// The files below a folder, with their paths from the root.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        // Lock files of the checkout are links to one another.
        let kind = fs::metadata(entry.path())?;
        if kind.is_dir() && !NOT_SOURCES.contains(&name.as_str()) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            files.push((path, entry.path()));
        }
    }
    Ok(())
}
