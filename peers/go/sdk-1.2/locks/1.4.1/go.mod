module mcp-compat/peers/sdk-1.2

go 1.25.0

require (
	mcp-compat/peers/contract v0.0.0
	mcp-compat/peers/sdk v0.0.0
)

require (
	github.com/google/jsonschema-go v0.4.2 // indirect
	github.com/modelcontextprotocol/go-sdk v1.4.1 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.34.0 // indirect
	golang.org/x/sys v0.40.0 // indirect
)

replace (
	mcp-compat/peers/contract => ../contract
	mcp-compat/peers/sdk => ../sdk
)
