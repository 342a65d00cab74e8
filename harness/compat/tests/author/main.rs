//! From evidence to a scenario file: what is pasted, and what passes between client and server.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod masking;
mod properties;
mod recording;
mod report;
mod wire;
