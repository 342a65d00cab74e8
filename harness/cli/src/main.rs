//! The program: the command line of the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Replaces the allocator of musl, which has one lock for all threads.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    mcp_compat_cli::run(std::env::args_os())
}
