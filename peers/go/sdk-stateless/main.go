// The official Go SDK's server without sessions behind the peer contract, from 1.7.0 on: over HTTP, only so it speaks
// the modern era.
package main

import (
	"mcp-compat/peers/contract"
	"mcp-compat/peers/sdk"
)

func main() {
	contract.Main(contract.Adapter{
		Server:      sdk.Stateless(sdk.Server),
		TypedServer: sdk.Stateless(sdk.TypedServer),
	})
}
