//! From records to a folder of pages that opens from disk: a pure function from an [`Input`] to names and bytes.
//!
//! ```text
//! Record, EvidenceBook -> Site (causes, families, totals) -> page/*    HTML, each page readable without script
//!                                                         -> data/*    the cells in columns, and what happened in them
//!                                                         -> api/*     stable JSON, badges, feeds
//!                                                         -> assets/*  one style sheet, one script, written by hand
//! ```
//!
//! The same input gives the same bytes. Text of peers is hostile: templates escape it, and the script shows data as text
//! only. The sentences are those of the crate `mcp_compat_reports`.

mod api;
mod assets;
mod columns;
mod context;
mod earlier;
mod evidence;
mod families;
mod input;
mod names;
mod one_file;
mod page;
mod site;

pub use api::types::SiteFile;
pub use context::Files;
pub use earlier::Earlier;
pub use evidence::EvidenceBook;
pub use input::{Input, Issue, Meant, Run};
pub use one_file::one_file;
pub use site::{MARK, SiteError, site};
