module mcp-compat/peers/contract

go 1.25
