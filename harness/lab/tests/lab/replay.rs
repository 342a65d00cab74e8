//! Every input of the corpora keeps the properties of its target.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcp_compat_lab::fuzz::{Input, TARGETS, mutate};

/// How long one input may take, in a debug build on a busy machine.
const TIME: Duration = Duration::from_secs(10);

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    files
}

#[test]
fn the_corpora_are_replayed() {
    for target in &TARGETS {
        let files = corpus(target.name);
        assert!(files.len() >= 3, "{} has {} inputs", target.name, files.len());
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            let begun = Instant::now();
            (target.run)(&bytes);
            assert!(begun.elapsed() < TIME, "{} took {:?}", file.display(), begun.elapsed());
        }
    }
}

#[test]
fn the_corpora_are_small_and_every_folder_has_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut sum = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|target| target.name == name), "{name} is no target");
        sum += corpus(&name).iter().map(|file| std::fs::metadata(file).unwrap().len()).sum::<u64>();
    }
    assert!(sum < 500_000, "the corpora have {sum} bytes");
}

#[test]
fn mutations_are_json_and_others() {
    for target in TARGETS.iter().filter(|target| target.input == Input::Json) {
        for file in corpus(target.name) {
            let bytes = std::fs::read(&file).unwrap();
            let mutated: Vec<_> = (0..8).map(|seed| mutate(&bytes, seed)).collect();
            assert!(mutated.iter().any(|mutated| *mutated != bytes), "{}", file.display());
            for line in mutated.iter().flat_map(|mutated| mutated.split(|byte| *byte == b'\n')) {
                assert!(mcp_compat_json::Json::parse_bytes(line).is_ok(), "{}", file.display());
            }
        }
    }
}
