// mcp-go 0.x behind the peer contract: it knows the legacy era only.
package main

import (
	"mcp-compat/peers/contract"
	mcpgo "mcp-compat/peers/mcp-go"
)

func main() {
	contract.Main(contract.Adapter{
		Client:      mcpgo.Client{},
		Server:      mcpgo.Server{}.Raw,
		TypedServer: mcpgo.Server{}.Typed,
	})
}
