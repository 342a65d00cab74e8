//! Files: what strangers made is read within bounds, and what is ours is written whole, in one place.
//!
//! ```text
//! a path that somebody names ─ input_file ──> at most so many bytes of a regular file
//! text, bytes ─────────────── atomic_file ─> the whole file under its name, or none
//! a project ────────────────── cache ───────> the folders of its records, its peers and its helpers
//! ```

pub mod atomic_file;
mod cache;
pub mod input_file;

pub use cache::{cache_folder, make_folder, project_cache, records_folder};
