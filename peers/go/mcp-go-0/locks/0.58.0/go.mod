module mcp-compat/peers/mcp-go-0

go 1.25.5

require (
	mcp-compat/peers/contract v0.0.0
	mcp-compat/peers/mcp-go v0.0.0
)

require (
	github.com/google/jsonschema-go v0.4.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mark3labs/mcp-go v0.58.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2 // indirect
	github.com/spf13/cast v1.7.1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/text v0.14.0 // indirect
)

replace (
	mcp-compat/peers/contract => ../contract
	mcp-compat/peers/mcp-go => ../mcp-go
)
