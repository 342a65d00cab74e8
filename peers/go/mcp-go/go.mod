module mcp-compat/peers/mcp-go

go 1.25

require (
	github.com/mark3labs/mcp-go v0.43.1
	mcp-compat/peers/contract v0.0.0
)

replace mcp-compat/peers/contract => ../contract
