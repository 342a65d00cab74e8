// Package mcpgo is github.com/mark3labs/mcp-go behind the peer contract.
//
//	contract.Job ── Client ── client.Client ── what its user gets, as contract.Result
//	contract.Script ── Server, TypedServer ── server.MCPServer, one for each session
//
// It is compiled against the release that the peer's go.mod names, and uses what all of them have. What only some have,
// the peer hands in.
package mcpgo

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-compat/peers/contract"
)

// Client opens sessions with the SDK's client.
type Client struct {
	Options contract.Options[[]client.ClientOption]
	// Listen asks a session of the modern era to hand out changes of tools, until life ends.
	Listen func(life context.Context, opened *client.Client, revision string) error
}

type session struct {
	*client.Client
	negotiated string
}

// Supports asks whether the release can negotiate in the job's mode.
func (c Client) Supports(job *contract.Job) error {
	_, err := c.Options.For(job.Mode)
	return err
}

// Connect opens a session in the way that the SDK's documentation shows.
func (c Client) Connect(ctx, life context.Context, job *contract.Job, changed func()) (contract.Session, error) {
	options, err := c.Options.For(job.Mode)
	if err != nil {
		return nil, err
	}
	carrier, err := c.transport(job)
	if err != nil {
		return nil, contract.Failed(contract.Connect, err)
	}
	opened := client.NewClient(carrier, options...)
	if err := opened.Start(life); err != nil {
		return nil, contract.Failed(contract.Connect, err)
	}
	opened.OnNotification(func(notification mcp.JSONRPCNotification) {
		if notification.Method == mcp.MethodNotificationToolsListChanged {
			changed()
		}
	})
	var request mcp.InitializeRequest
	request.Params.ClientInfo = mcp.Implementation{Name: "mcp-compat", Version: "1"}
	if job.Mode != contract.Legacy { // A revision that is asked for here takes the place of the option.
		request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	}
	hello, err := opened.Initialize(ctx, request)
	if err != nil {
		go opened.Close()
		return nil, ofConnecting(err)
	}
	if c.Listen != nil && job.WaitsForChange() {
		if err := c.Listen(life, opened, hello.ProtocolVersion); err != nil {
			go opened.Close()
			return nil, ofConnecting(err)
		}
	}
	return session{opened, hello.ProtocolVersion}, nil
}

// transport opens the stream for notifications, which the SDK leaves closed unless it is told, where a change is waited
// for. It rules out the modern era, and so it is left closed where that is to be tried.
func (c Client) transport(job *contract.Job) (transport.Interface, error) {
	if http := job.Server.HTTP; http != nil {
		var options []transport.StreamableHTTPCOption
		if job.WaitsForChange() && job.Mode != contract.Auto {
			options = append(options, transport.WithContinuousListening())
		}
		return transport.NewStreamableHTTP(http.URL, options...)
	}
	words := job.Server.Stdio.Command
	return transport.NewStdio(words[0], job.Server.Stdio.Environment(), words[1:]...), nil
}

func (s session) Negotiated() string { return s.negotiated }

func (s session) List(ctx context.Context) ([]contract.Tool, error) {
	list, err := s.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return nil, ofRequest(err)
	}
	var tools []contract.Tool
	for _, tool := range list.Tools {
		var members struct{ OutputSchema json.RawMessage }
		if err := through(tool, &members); err != nil {
			return nil, err
		}
		tools = append(tools, contract.Tool{Name: tool.Name, OutputSchema: members.OutputSchema})
	}
	return tools, nil
}

func (s session) Call(ctx context.Context, tool string, arguments map[string]any) (*contract.Result, error) {
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = arguments
	result, err := s.CallTool(ctx, request)
	if err != nil {
		return nil, ofRequest(err)
	}
	var members struct {
		StructuredContent json.RawMessage
		Content           []json.RawMessage
	}
	if err := through(result, &members); err != nil {
		return nil, err
	}
	return &contract.Result{Structured: members.StructuredContent, Content: members.Content, IsError: result.IsError}, nil
}

// through takes the members of a value of the SDK from the JSON that the SDK makes of it. Some are there in two forms,
// as a Go value and as raw JSON, and which of them holds is the SDK's to say.
func through(value, members any) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, members)
	}
	if err != nil {
		return contract.Failed(contract.Decode, err)
	}
	return nil
}

func (s session) Close() {
	// A server that is gone already, or that had to be killed, is no failure of the job.
	_ = s.Client.Close()
}
