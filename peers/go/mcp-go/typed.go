// A script offered with the SDK's typed API: handlers that return a value.

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-compat/peers/contract"
)

// arguments are those of any tool: its schema is the tool's, not that of a Go type.
type arguments = map[string]any

// Typed declares tools with [mcp.NewStructuredToolHandler], whose handlers return a value: the SDK writes it out as
// structured content and as text. Where the text is to be another, or there is no value, it is
// [mcp.NewTypedToolHandler].
//
// A Go type has to be there when the adapter is compiled. So the output is of type any, and its schema is given; the
// values are what an author would return: maps, slices, strings, numbers.
func (s Server) Typed(script *contract.Script, process contract.Process) (contract.Offer, error) {
	return s.offered(script, process, typed)
}

func typed(scripted contract.ScriptedTool) (mcp.Tool, func(evolve func()) server.ToolHandlerFunc, error) {
	tool, err := toolOf(scripted.Definition)
	if err != nil {
		return tool, nil, err
	}
	if value, ok := valueAlone(scripted.Reply.Result); ok {
		handler := mcp.NewStructuredToolHandler(
			func(context.Context, mcp.CallToolRequest, arguments) (any, error) { return value, nil })
		return tool, func(func()) server.ToolHandlerFunc { return handler }, nil
	}
	answer, err := answerOf(scripted.Reply, nativeResultOf)
	if err != nil {
		return tool, nil, err
	}
	return tool, func(evolve func()) server.ToolHandlerFunc {
		handler := answer(evolve)
		return mcp.NewTypedToolHandler(
			func(ctx context.Context, request mcp.CallToolRequest, _ arguments) (*mcp.CallToolResult, error) {
				return handler(ctx, request)
			})
	}, nil
}

// valueAlone is the value of a result that says nothing else: its content is nothing but the value as text.
func valueAlone(said json.RawMessage) (any, bool) {
	var members map[string]json.RawMessage
	var content []map[string]string
	if json.Unmarshal(said, &members) != nil || json.Unmarshal(members["content"], &content) != nil {
		return nil, false
	}
	structured := members["structuredContent"]
	if len(members) != 2 || len(content) != 1 || len(content[0]) != 2 || content[0]["type"] != "text" ||
		!contract.Alike([]byte(content[0]["text"]), structured) {
		return nil, false
	}
	value, err := contract.Native(structured)
	return value, err == nil && value != nil
}

// nativeResultOf is a result whose structured content is a Go value.
func nativeResultOf(said json.RawMessage) (*mcp.CallToolResult, error) {
	read, err := resultOf(said)
	if err != nil {
		return nil, err
	}
	result := &mcp.CallToolResult{Result: read.Result, Content: read.Content, IsError: read.IsError}
	text, ok := read.StructuredContent.(json.RawMessage)
	if !ok {
		return result, nil
	}
	if result.StructuredContent, err = contract.Native(text); err != nil {
		return nil, err
	}
	if result.StructuredContent == nil {
		return nil, errors.New("the SDK does not send nil as structured content")
	}
	return result, nil
}
