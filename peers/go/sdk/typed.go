// A script offered with the SDK's typed API: handlers that return a value.

package sdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-compat/peers/contract"
)

// arguments are those of any tool: its schema is the tool's, not that of a Go type.
type arguments = map[string]any

// TypedServer declares tools with the generic [mcp.AddTool], which validates what their handlers return, and writes it
// out as structured content and as text.
//
// A Go type has to be there when the adapter is compiled. So the output is of type any, and the schema is given, as for
// a type whose schema cannot be inferred; the values are what an author would return: maps, slices, strings, numbers.
func TypedServer(script *contract.Script, process contract.Process) (contract.Offer, error) {
	return offered(script, process, typed)
}

// A meaning has the return values of a typed handler.
type meaning struct {
	result *mcp.CallToolResult // only where the value does not say it all
	value  any
	err    error
}

func typed(tool *mcp.Tool, reply contract.Reply) (registration, error) {
	answer := func(ctx context.Context) meaning { return meaning{err: reply.Withhold(ctx)} }
	switch {
	case reply.Result != nil:
		if _, err := meant(reply.Result); err != nil {
			return nil, err
		}
		answer = func(context.Context) meaning {
			meaning, _ := meant(reply.Result) // Anew for each call: the SDK writes into it.
			return meaning
		}
	case reply.Error != nil:
		refusal, err := contract.Typed[*jsonrpc.Error]("the error", reply.Error)
		if err != nil {
			return nil, err
		}
		answer = func(context.Context) meaning { return meaning{err: refusal} }
	case reply.Evolve != nil:
		answer = func(context.Context) meaning {
			return meaning{result: &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: changed}}}}
		}
	}
	return func(server *mcp.Server, evolve func()) {
		mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, _ arguments) (*mcp.CallToolResult, any, error) {
			if reply.Evolve != nil {
				evolve()
			}
			answered := answer(ctx)
			return answered.result, answered.value, answered.err
		})
	}, nil
}

// meant returns an author's return values for a result, without the parts that the SDK makes by itself.
func meant(said json.RawMessage) (meaning, error) {
	result, err := resultOf(said)
	if err != nil {
		return meaning{}, err
	}
	if result.StructuredContent == nil {
		if words, ok := onlyText(result); ok && result.IsError {
			return meaning{err: errors.New(words)}, nil
		}
		return meaning{result: result}, nil
	}
	text := result.StructuredContent.(json.RawMessage)
	value, err := contract.Native(text)
	if err != nil {
		return meaning{}, err
	}
	if value == nil {
		return meaning{}, errors.New("mcp.AddTool does not send nil as an output")
	}
	result.StructuredContent = nil
	if words, ok := onlyText(result); ok && !result.IsError && contract.Alike([]byte(words), text) {
		return meaning{value: value}, nil
	}
	return meaning{result: result, value: value}, nil
}

// onlyText is the text of a result that has nothing else but structured content.
func onlyText(result *mcp.CallToolResult) (string, bool) {
	if len(result.Content) != 1 || len(result.Meta) > 0 {
		return "", false
	}
	block, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(block.Meta) > 0 || block.Annotations != nil {
		return "", false
	}
	return block.Text, true
}
