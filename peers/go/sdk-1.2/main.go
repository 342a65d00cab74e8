// The official Go SDK behind the peer contract, before 1.8.0: how a session is negotiated is left to the SDK.
package main

import (
	"mcp-compat/peers/contract"
	"mcp-compat/peers/sdk"
)

var adapter = contract.Adapter{
	Client:      sdk.Client{},
	Server:      sdk.Server,
	TypedServer: sdk.TypedServer,
}

func main() { contract.Main(adapter) }
