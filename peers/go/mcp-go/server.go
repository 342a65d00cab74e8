// A script offered with the SDK's low-level API: tools with raw schemas, and handlers that return the whole result.

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-compat/peers/contract"
)

// Server declares tools whose handlers return the whole result. What ends up in the list beside the tools is what
// listHints makes of it; a release without such an option has none.
type Server struct {
	ListHints func(members json.RawMessage) (server.ServerOption, error)
}

// A flavour makes a tool and its handler of a script's; evolve is what the evolve tool calls. It says what its API
// cannot.
type flavour func(tool contract.ScriptedTool) (mcp.Tool, func(evolve func()) server.ToolHandlerFunc, error)

// An offer is a script in the SDK's types.
type offer struct {
	script  *contract.Script
	options []server.ServerOption
	stages  [][]declared
}

type declared struct {
	tool    mcp.Tool
	handler func(evolve func()) server.ToolHandlerFunc
}

// Raw declares tools with their schemas as raw JSON.
func (s Server) Raw(script *contract.Script, process contract.Process) (contract.Offer, error) {
	return s.offered(script, process, raw)
}

func (s Server) offered(script *contract.Script, process contract.Process, declare flavour) (contract.Offer, error) {
	o := &offer{script: script}
	if script.PageSize > 0 {
		o.options = append(o.options, server.WithPaginationLimit(script.PageSize))
	}
	if len(script.Stages) > 1 {
		tells, err := script.Tells()
		if err != nil {
			return nil, err
		}
		// A server of the SDK tells of every change, unless it declares that it tells of none.
		o.options = append(o.options, server.WithToolCapabilities(tells))
	}
	if script.List != nil {
		if s.ListHints == nil {
			return nil, errors.New("this release cannot add members to the result of tools/list")
		}
		hints, err := s.ListHints(script.List)
		if err != nil {
			return nil, err
		}
		o.options = append(o.options, hints)
	}
	for _, stage := range script.Stages {
		var tools []declared
		for _, scripted := range stage.Tools {
			if scripted.Reply.Exit != nil && process == contract.OfManySessions {
				return nil, errors.New("the SDK's HTTP server cannot drop one connection")
			}
			tool, handler, err := declare(scripted)
			if err != nil {
				return nil, fmt.Errorf("for the tool %s, %w", scripted.Name, err)
			}
			tools = append(tools, declared{tool, handler})
		}
		o.stages = append(o.stages, tools)
	}
	return o, o.trial()
}

// trial makes a server, for some releases panic at tools that they refuse.
func (o *offer) trial() (err error) {
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("the SDK rejects the tools (%v)", refused)
		}
	}()
	for stage := range o.stages {
		o.serverAt(stage)
	}
	return nil
}

// serverAt is a server of one session, in a stage.
func (o *offer) serverAt(stage int) *server.MCPServer {
	made := server.NewMCPServer("mcp-compat", "1", o.options...)
	var evolve func()
	tools := func() (tools []server.ServerTool) {
		for _, one := range o.stages[stage] {
			tools = append(tools, server.ServerTool{Tool: one.tool, Handler: one.handler(evolve)})
		}
		return tools
	}
	evolve = func() {
		if stage+1 < len(o.stages) {
			stage++
			made.SetTools(tools()...)
		}
	}
	made.AddTools(tools()...)
	return made
}

// ServeStdio serves one session over the standard streams.
func (o *offer) ServeStdio() error {
	return server.ServeStdio(o.serverAt(0))
}

// Handler is the SDK's HTTP server with its defaults, one for each session.
func (o *offer) Handler() http.Handler {
	return &sessions{offer: o, shared: server.NewStreamableHTTPServer(o.serverAt(0))}
}

// raw returns the result as the script says it.
func raw(scripted contract.ScriptedTool) (mcp.Tool, func(evolve func()) server.ToolHandlerFunc, error) {
	tool, err := toolOf(scripted.Definition)
	if err != nil {
		return tool, nil, err
	}
	answer, err := answerOf(scripted.Reply, resultOf)
	return tool, answer, err
}

// toolOf is a definition in the SDK's type, the schemas as raw JSON. The SDK adds empty annotations to every tool that
// has none.
func toolOf(definition json.RawMessage) (mcp.Tool, error) {
	var tool mcp.Tool
	rest, taken, err := contract.Apart(definition, "inputSchema", "outputSchema", "annotations")
	if err != nil {
		return tool, err
	}
	said := definition
	if _, ok := taken["annotations"]; !ok {
		said = contract.With(definition, "annotations", json.RawMessage("{}"))
	}
	if err := json.Unmarshal(rest, &tool); err != nil {
		return tool, fmt.Errorf("the SDK cannot represent the tool (%w)", err)
	}
	if annotations, ok := taken["annotations"]; ok {
		if err := json.Unmarshal(annotations, &tool.Annotations); err != nil {
			return tool, fmt.Errorf("the SDK cannot represent the annotations (%w)", err)
		}
	}
	tool.RawInputSchema, tool.RawOutputSchema = taken["inputSchema"], taken["outputSchema"]
	return tool, contract.Same("the tool", said, tool)
}

// answerOf makes the handler of a reply; made puts a result into the SDK's type, anew for each call: the SDK writes into it.
func answerOf(
	reply contract.Reply, made func(json.RawMessage) (*mcp.CallToolResult, error),
) (func(evolve func()) server.ToolHandlerFunc, error) {
	always := func(handler server.ToolHandlerFunc) func(func()) server.ToolHandlerFunc {
		return func(func()) server.ToolHandlerFunc { return handler }
	}
	switch {
	case reply.Result != nil:
		_, err := made(reply.Result)
		return always(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return made(reply.Result)
		}), err
	case reply.Error != nil:
		refusal, err := refusalOf(reply.Error)
		return always(func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, refusal
		}), err
	case reply.Evolve != nil:
		return func(evolve func()) server.ToolHandlerFunc {
			return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				evolve()
				return mcp.NewToolResultText("the tools have changed"), nil
			}
		}, nil
	default:
		return always(func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, reply.Withhold(ctx)
		}), nil
	}
}

// resultOf is a result in the SDK's type. Its structured content is of any type that marshals: the text stays as it is.
func resultOf(said json.RawMessage) (*mcp.CallToolResult, error) {
	rest, taken, err := contract.Apart(said, "structuredContent")
	if err != nil {
		return nil, err
	}
	result := new(mcp.CallToolResult)
	if err := json.Unmarshal(rest, result); err != nil {
		return nil, fmt.Errorf("the SDK cannot represent the result (%w)", err)
	}
	if text, ok := taken["structuredContent"]; ok {
		result.StructuredContent = text
	}
	return result, contract.Same("the result", said, result)
}

// refusalOf is an error that a handler returns. The SDK gives it the code of an internal error, and no data.
func refusalOf(said json.RawMessage) (error, error) {
	var details struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
	if err := json.Unmarshal(said, &details); err != nil {
		return nil, fmt.Errorf("the SDK cannot represent the error (%w)", err)
	}
	if details.Code != mcp.INTERNAL_ERROR || details.Data != nil {
		return nil, fmt.Errorf("the SDK sends every error of a handler with the code %d and without data", mcp.INTERNAL_ERROR)
	}
	return errors.New(details.Message), nil
}
