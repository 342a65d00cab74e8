module mcp-compat/peers/sdk-1.8

go 1.25

require (
	mcp-compat/peers/contract v0.0.0
	mcp-compat/peers/sdk v0.0.0
)

replace (
	mcp-compat/peers/contract => ../contract
	mcp-compat/peers/sdk => ../sdk
)
