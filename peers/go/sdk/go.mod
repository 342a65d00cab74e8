module mcp-compat/peers/sdk

go 1.25

require (
	github.com/modelcontextprotocol/go-sdk v1.2.0
	mcp-compat/peers/contract v0.0.0
)

replace mcp-compat/peers/contract => ../contract
