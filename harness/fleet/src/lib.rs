//! The fleet: the mocks and the real peers that there are, and how those are had.
//!
//! ```text
//! peers/fleet.toml, peers/*/*/peer.toml ── folder ──> PeersFolder ── release ──> Installation: name@version
//!                                                          │                        │ setup: tools, lock, copy, steps
//!                              registry ── releases ──> Releases                    └──> ready, and known by its stamp
//! ```
//!
//! A manifest serves a range of releases, so any release can be asked for; the list says which make the default fleet.
//! Whatever an installation needs comes from the tools that the SDK's users have: nothing is downloaded here.

pub mod bisect;
mod cache;
mod doctor;
mod fleet_list;
mod folder;
mod install;
mod install_all;
mod installation;
mod lock;
mod log;
pub mod manifest;
mod peers;
mod places;
mod release;
mod releases;
mod sources;
mod steps;
mod toml_file;
mod tools;
mod unreachable;

pub use doctor::{Health, Problem};
pub use folder::{Family, Member, PeersFolder};
pub use install::{InstallError, Installer, Options, Outcome, Progress};
pub use install_all::{Outcomes, Watch};
pub use installation::{Installation, State};
pub use peers::{InstalledPeerError, from_manifest, from_release};
pub use release::NoRelease;
pub use releases::{Releases, ReleasesError};
pub use sources::FileError;
pub use tools::MissingTool;
