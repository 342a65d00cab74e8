//! The adapters of `peers/`, embedded, so that an installed program can install real SDKs without a checkout.
//!
//! ```text
//! peers/ ── build.rs ──> FILES, compressed ── unpack ──> <cache>/adapters-<digest>/peers
//! ```
//!
//! The crate knows nothing of what is in the files. Who unpacks them reads the folder like any other folder of peers.

mod unpack;

use std::io::Read as _;
use std::ops::Range;

use flate2::read::DeflateDecoder;

pub use unpack::{PREFIX, UNFINISHED, Unpacked, Unpacking, folder, state, unpack};

/// A file of the adapters.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path in the folder of peers, with `/` between the parts.
    pub path: &'static str,
    pub size: usize,
    /// Range of its compressed bytes.
    place: Range<usize>,
}

/// Every file, sorted by path.
pub static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/packed"));

/// A digest of all paths and contents.
pub const DIGEST: &str = env!("ADAPTERS_DIGEST");

impl File {
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size);
        let packed = PACKED.get(self.place.clone()).unwrap_or_default();
        // The build has compressed them: they are whole.
        let _ = DeflateDecoder::new(packed).read_to_end(&mut bytes);
        bytes
    }
}

/// The text of a file, by its path.
pub fn text(path: &str) -> Option<String> {
    let file = FILES.iter().find(|file| file.path == path)?;
    String::from_utf8(file.bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_builds_leave_behind_is_no_part_of_them() {
        assert!(FILES.len() > 200, "{}", FILES.len());
        for file in FILES {
            let built = ["/target/", "/node_modules/", "/__pycache__/"].iter().find(|part| file.path.contains(*part));
            assert!(built.is_none() && !file.path.ends_with(".file"), "{}", file.path);
        }
    }

    #[test]
    fn they_take_a_third_of_their_size() {
        let size: usize = FILES.iter().map(|file| file.size).sum();
        assert!(PACKED.len() * 5 / 2 < size, "{} of {size}", PACKED.len());
        assert!(FILES.iter().all(|file| file.bytes().len() == file.size));
    }
}
