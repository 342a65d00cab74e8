//! Which MCP client/server pairings break on structured tool output: plan, run, baseline and the cargo-test API.
