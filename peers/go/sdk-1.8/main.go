// The official Go SDK behind the peer contract, from 1.8.0 on: its user can choose the revision that a session opens
// with, and so the era.
package main

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-compat/peers/contract"
	"mcp-compat/peers/sdk"
)

var adapter = contract.Adapter{
	Client:      sdk.Client{Options: options},
	Server:      sdk.Server,
	TypedServer: sdk.TypedServer,
}

func main() { contract.Main(adapter) }

// options ask for the newest revision that has an initialize, or leave the choice to the SDK: it begins with
// server/discover, and goes on with initialize where that fails.
func options(mode contract.Mode) (*mcp.ClientSessionOptions, error) {
	switch mode {
	case contract.Legacy:
		return &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}, nil
	case contract.Auto, "":
		return nil, nil
	default:
		return nil, fmt.Errorf("this SDK always falls back to initialize, so it has no mode %q", mode)
	}
}
