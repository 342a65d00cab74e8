//! Packs the pages of the book, for the library to embed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::DeflateEncoder;

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let pages = here.join("pages");
    println!("cargo::rerun-if-changed={}", fs::canonicalize(&pages)?.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&pages)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".md").map(str::to_owned));
    }
    names.sort();
    let (mut list, mut packed) = (String::from("&[\n"), Vec::new());
    for name in names {
        let start = packed.len();
        let mut encoder = DeflateEncoder::new(&mut packed, Compression::best());
        encoder.write_all(&fs::read(pages.join(format!("{name}.md")))?)?;
        encoder.finish()?;
        let end = packed.len();
        let _ = writeln!(list, "    ({name:?}, {start}..{end}),");
    }
    list.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("packed"), packed)?;
    fs::write(out.join("pages.rs"), list)
}
