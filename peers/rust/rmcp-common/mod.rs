//! Source text that compiles against every release of rmcp that is served.
//!
//! It is no crate, for the types of one release are strangers to those of another: each package takes this folder in
//! as a module, and so compiles it against its own release. What a range of releases says in its own way stands in the
//! package's `release`; `since_0_14` is the part of it that is the same since 0.14; `legacy` is for all ranges that open
//! every session with `initialize`.

pub mod errors;
pub mod offer;
pub mod session;
pub mod transports;
