//! The engine as its users see it: real processes, real sockets, one binary for all of it.

mod bad_peers;
mod baseline;
mod canary;
mod determinism;
mod eras;
mod official_schemas;
mod sep_2106;
mod support;
