//! Releases of real MCP SDKs: where they are listed, how they are installed and checked, and which of them changed an outcome.
//!
//! ```text
//! peers/fleet.toml, peers/*/*/peer.toml ── folder ──> PeersFolder ── release ──> Installation: name@version
//!                                                          │                        │ install: tools, lock, copy, steps
//!                              registry ── releases ──> Releases                    └──> ready; its stamp says so
//! ```
//!
//! A manifest describes a range of releases, so any release in it can be named. `fleet.toml` lists the releases of the
//! default fleet. An installation uses the tools that users of the SDK have. This crate downloads nothing itself.

pub mod adapters;
pub mod bisect;
mod cache;
mod doctor;
mod family;
mod folder;
mod install;
mod install_error;
mod installation;
mod log;
pub mod manifest;
mod peers;
mod places;
mod prune;
mod release;
mod releases;
mod sources;
mod steps;
mod toml_file;
mod tools;
mod unreachable;

pub use cache::Cache;
pub use doctor::{Health, Problem};
pub use family::Family;
pub use folder::{Member, PeersFolder};
pub use install::{Installer, Outcomes, Watch};
pub use install_error::InstallError;
pub use installation::{Installation, State};
pub use peers::{InstalledPeerError, from_manifest, from_release};
pub use prune::Leftover;
pub use release::NoRelease;
pub use releases::{NewRelease, Releases, ReleasesError, newer};
pub use sources::FileError;
pub use steps::{Options, Outcome, Progress};
pub use tools::MissingTool;
