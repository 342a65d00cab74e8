//! Clients and servers: their roles, modes and ids.
//!
//! ```text
//! "rmcp@3.9.0/typed+auto" ── PeerId::new ──> PeerKind::Release { family, version, flavour } and a Mode
//! PeerId::mock, sabotaged, profile, release ──> the same, made of its parts
//! ```

mod id;
mod kind;

pub use id::{InvalidPeerId, PeerId};
pub use kind::{BuiltIn, MockRevisions, Mode, PeerKind, ReleaseText, Role};
