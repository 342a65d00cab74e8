module mcp-compat/peers/mcp-go-1

go 1.25

require (
	mcp-compat/peers/contract v0.0.0
	mcp-compat/peers/mcp-go v0.0.0
)

replace (
	mcp-compat/peers/contract => ../contract
	mcp-compat/peers/mcp-go => ../mcp-go
)
