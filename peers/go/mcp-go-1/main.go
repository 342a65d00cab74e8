// mcp-go 1.x behind the peer contract: both eras, and its user can keep to the legacy one.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-compat/peers/contract"
	mcpgo "mcp-compat/peers/mcp-go"
)

var (
	offered = mcpgo.Server{ListHints: hints}
	adapter = contract.Adapter{
		Client:      mcpgo.Client{Options: options, Listen: listen},
		Server:      offered.Raw,
		TypedServer: offered.Typed,
	}
)

func main() { contract.Main(adapter) }

// options ask for the newest revision that has an initialize, or leave the choice to the SDK: it begins with
// server/discover, and goes on with initialize where that fails.
func options(mode contract.Mode) ([]client.ClientOption, error) {
	switch mode {
	case contract.Legacy:
		return []client.ClientOption{client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION)}, nil
	case contract.Auto, "":
		return nil, nil
	default:
		return nil, fmt.Errorf("this SDK always falls back to initialize, so it has no mode %q", mode)
	}
}

// listen opens the subscription without which nobody is told of a change in the modern era.
func listen(life context.Context, opened *client.Client, revision string) error {
	if !mcp.IsModernProtocol(revision) {
		return nil
	}
	_, err := opened.ListenAsync(life, mcp.SubscriptionFilter{ToolsListChanged: true}, func(err error) {
		fmt.Fprintln(os.Stderr, "the subscription:", err)
	})
	return err
}

// hints set how long, and by whom, a list may be cached: all that the SDK lets its user add beside the tools.
func hints(members json.RawMessage) (server.ServerOption, error) {
	var said struct {
		TTLMs      int64          `json:"ttlMs"`
		CacheScope mcp.CacheScope `json:"cacheScope"`
	}
	if err := json.Unmarshal(members, &said); err != nil {
		return nil, fmt.Errorf("the SDK cannot represent the list (%w)", err)
	}
	if err := contract.Same("the list", members, said); err != nil {
		return nil, err
	}
	return server.WithMethodCacheHints(mcp.MethodToolsList, said.TTLMs, said.CacheScope), nil
}
