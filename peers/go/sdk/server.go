// A script offered with the SDK's low-level API: tools with raw schemas, and handlers that return the whole result.

package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-compat/peers/contract"
)

// A registration adds one tool to a server; evolve is what its call does if it is the evolve tool.
type registration func(server *mcp.Server, evolve func())

// A flavour is the API that tools are declared with. It says what that API cannot.
type flavour func(tool *mcp.Tool, reply contract.Reply) (registration, error)

// An offer is a script in the SDK's types.
type offer struct {
	script  *contract.Script
	options mcp.ServerOptions
	stages  [][]registration
	// stateless: over HTTP there are no sessions, and all requests are served by one server.
	stateless bool
}

// Stateless makes the HTTP server of a script a stateless one: only so it speaks the modern era.
func Stateless(server contract.Server) contract.Server {
	return func(script *contract.Script, process contract.Process) (contract.Offer, error) {
		made, err := server(script, process)
		if offer, ok := made.(*offer); ok {
			offer.stateless = true
		}
		return made, err
	}
}

// Server declares tools with [mcp.Server.AddTool], whose handlers return the whole result.
func Server(script *contract.Script, process contract.Process) (contract.Offer, error) {
	return offered(script, process, raw)
}

func offered(script *contract.Script, process contract.Process, add flavour) (contract.Offer, error) {
	o := &offer{script: script, options: mcp.ServerOptions{PageSize: script.PageSize}}
	if len(script.Stages) > 1 {
		tells, err := script.Tells()
		if err != nil {
			return nil, err
		}
		// A server of the SDK tells of every change, unless it declares that it tells of none.
		o.options.Capabilities = &mcp.ServerCapabilities{
			Logging: &mcp.LoggingCapabilities{},
			Tools:   &mcp.ToolCapabilities{ListChanged: tells},
		}
	}
	if script.List != nil {
		if err := fits(script.List); err != nil {
			return nil, err
		}
	}
	for _, stage := range script.Stages {
		var registrations []registration
		for _, tool := range stage.Tools {
			added, err := declared(tool, process, add)
			if err != nil {
				return nil, fmt.Errorf("for the tool %s, %w", tool.Name, err)
			}
			registrations = append(registrations, added)
		}
		o.stages = append(o.stages, registrations)
	}
	return o, nil
}

// declared puts a tool into the SDK's types, and registers it once for a trial: AddTool panics at what it refuses.
func declared(tool contract.ScriptedTool, process contract.Process, add flavour) (added registration, err error) {
	if tool.Reply.Exit != nil && process == contract.OfManySessions {
		return nil, errors.New("the SDK's HTTP server cannot drop one connection")
	}
	// The schemas are of any type that marshals, for a server: their text is left as it stands.
	rest, schemas, err := contract.Apart(tool.Definition, "inputSchema", "outputSchema")
	if err != nil {
		return nil, err
	}
	var definition mcp.Tool
	if err := json.Unmarshal(rest, &definition); err != nil {
		return nil, fmt.Errorf("the SDK cannot represent the tool (%w)", err)
	}
	if schema, ok := schemas["inputSchema"]; ok {
		definition.InputSchema = schema
	}
	if schema, ok := schemas["outputSchema"]; ok {
		definition.OutputSchema = schema
	}
	if err := contract.Same("the tool", tool.Definition, &definition); err != nil {
		return nil, err
	}
	if added, err = add(&definition, tool.Reply); err != nil {
		return nil, err
	}
	defer func() {
		if refused := recover(); refused != nil {
			err = fmt.Errorf("the SDK rejects the definition (%v)", refused)
		}
	}()
	added(mcp.NewServer(implementation, nil), func() {})
	return added, nil
}

var implementation = &mcp.Implementation{Name: "mcp-compat", Version: "1"}

// server is a server of one session, in the first stage.
func (o *offer) server() *mcp.Server {
	options := o.options
	server := mcp.NewServer(implementation, &options)
	stage := 0
	var evolve func()
	evolve = func() {
		if stage+1 == len(o.stages) {
			return
		}
		server.RemoveTools(contract.Gone(o.script.Stages[stage], o.script.Stages[stage+1])...)
		stage++
		for _, added := range o.stages[stage] {
			added(server, evolve)
		}
	}
	for _, added := range o.stages[0] {
		added(server, evolve)
	}
	if o.script.List != nil {
		server.AddReceivingMiddleware(o.withMembers)
	}
	return server
}

// withMembers gives the result of tools/list the members that the script wants beside the tools.
func (o *offer) withMembers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			err = json.Unmarshal(o.script.List, list)
		}
		return result, err
	}
}

// fits reports whether the result of tools/list has a place for the members.
func fits(members json.RawMessage) error {
	_, err := contract.Typed[*mcp.ListToolsResult]("the list", contract.With(members, "tools", json.RawMessage("[]")))
	return err
}

// ServeStdio serves one session over the standard streams.
func (o *offer) ServeStdio() error {
	if err := o.server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "the session:", err)
	}
	return nil
}

// Handler is the SDK's HTTP server with its defaults, and a server of its own for each session.
func (o *offer) Handler() http.Handler {
	standing := o.server()
	return mcp.NewStreamableHTTPHandler(func(request *http.Request) *mcp.Server {
		// Where a session stands, its own server answers, whatever is returned here.
		if o.stateless || request.Header.Get("Mcp-Session-Id") != "" {
			return standing
		}
		return o.server()
	}, &mcp.StreamableHTTPOptions{Stateless: o.stateless})
}

// raw returns the result as the script says it.
func raw(tool *mcp.Tool, reply contract.Reply) (registration, error) {
	var answer mcp.ToolHandler
	switch {
	case reply.Result != nil:
		if _, err := resultOf(reply.Result); err != nil {
			return nil, err
		}
		answer = func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return resultOf(reply.Result) // Anew for each call: the SDK writes into it.
		}
	case reply.Error != nil:
		refusal, err := contract.Typed[*jsonrpc.Error]("the error", reply.Error)
		if err != nil {
			return nil, err
		}
		answer = func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, refusal }
	case reply.Evolve != nil:
		return func(server *mcp.Server, evolve func()) {
			server.AddTool(tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				evolve()
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: changed}}}, nil
			})
		}, nil
	default:
		answer = func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, reply.Withhold(ctx)
		}
	}
	return func(server *mcp.Server, _ func()) { server.AddTool(tool, answer) }, nil
}

// resultOf is a result in the SDK's type. Its structured content is of any type that marshals: the text stays as it is.
func resultOf(said json.RawMessage) (*mcp.CallToolResult, error) {
	rest, taken, err := contract.Apart(said, "structuredContent")
	if err != nil {
		return nil, err
	}
	var kind struct{ ResultType *string }
	if json.Unmarshal(rest, &kind) == nil && kind.ResultType != nil && *kind.ResultType != "complete" {
		return nil, errors.New("the SDK sets resultType itself")
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

const changed = "the tools have changed"
