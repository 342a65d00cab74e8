//! One named test a cell: the corpus between the reference mocks, as an implementer would run it against their peer.
//!
//! `cargo test --test cells -- root-type` plays one class, `--list` names them all.

use std::process::ExitCode;

use mcp_compat::Suite;
use mcp_compat_model::Transport;

fn main() -> ExitCode {
    Suite::new().transport(Transport::Memory).baseline(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/known.toml")).main()
}
