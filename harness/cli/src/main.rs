//! The command line of mcp-compat.

fn main() {}
