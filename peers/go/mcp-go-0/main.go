// mcp-go 0.x behind the peer contract: it knows the legacy era only.
package main

import (
	"mcp-compat/peers/contract"
	mcpgo "mcp-compat/peers/mcp-go"
)

var adapter = contract.Adapter{
	Client:      mcpgo.Client{},
	Server:      mcpgo.Server{}.Raw,
	TypedServer: mcpgo.Server{}.Typed,
}

func main() { contract.Main(adapter) }
