//! Wire-level mock MCP server and client, honest and sabotaged, with no SDK in them.
