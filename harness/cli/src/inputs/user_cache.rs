//! The user's cache, where the adapters of this program are unpacked and their releases installed. All versions of the
//! program share it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use mcp_compat_fleet::Cache;
use mcp_compat_fleet::adapters::Unpacked;

/// The name of our folder in the cache folder of the user.
const NAME: &str = "mcp-compat";

/// What to do if the cache cannot be used.
const ELSEWHERE: &str = "Name a folder that can be written, as in XDG_CACHE_HOME=/path/to/a/folder";

/// Reason why the adapters of the program cannot be used. A run can go on without them.
#[derive(Debug)]
pub struct Unusable(String);

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// The user's cache: below `XDG_CACHE_HOME` if it is set, else below `~/.cache`, on macOS `~/Library/Caches`.
///
/// # Errors
/// When the user has no home.
pub fn user_cache() -> anyhow::Result<Cache> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = match named {
        Some(folder) => folder,
        None => etcetera::base_strategy::choose_native_strategy()
            .with_context(|| format!("cannot find your cache folder. {ELSEWHERE}"))?
            .cache_dir(),
    };
    Ok(Cache::shared(&folder.join(NAME)))
}

/// The folder of the adapters in the user's cache. They are unpacked if a version of the program has installed releases
/// there, because this one may be able to use them. `None` if nobody has used the cache.
///
/// # Errors
/// When they are damaged, or cannot be unpacked.
pub(crate) fn unpacked(cache: &Cache) -> anyhow::Result<Option<PathBuf>> {
    match mcp_compat_fleet::adapters::state(cache.folder()) {
        Unpacked::Whole => Ok(Some(mcp_compat_fleet::adapters::folder(cache.folder()))),
        Unpacked::Absent if cache.has_homes() => unpack(cache).map(|unpacking| Some(unpacking.peers)),
        Unpacked::Absent => Ok(None),
        Unpacked::Damaged(files) => Err(anyhow::Error::new(Unusable(format!(
            "the adapters in {} are damaged: {files} files are missing or have another size. Unpack them again with \
             `mcp-compat peers install`",
            mcp_compat_fleet::adapters::folder(cache.folder()).display()
        )))),
    }
}

/// Unpacks the adapters.
///
/// # Errors
/// When they cannot be written.
pub(crate) fn unpack(cache: &Cache) -> anyhow::Result<mcp_compat_fleet::adapters::Unpacking> {
    mcp_compat_fleet::adapters::unpack(cache.folder()).map_err(|error| {
        let said = format!("cannot unpack the adapters to {}: {error}. {ELSEWHERE}", cache.folder().display());
        anyhow::Error::new(Unusable(said))
    })
}

/// Returns whether a folder of peers is that of the program.
#[must_use]
pub fn is_of_program(peers: &Path, cache: &Cache) -> bool {
    cache.is_shared() && peers == mcp_compat_fleet::adapters::folder(cache.folder())
}
