// Package sdk is github.com/modelcontextprotocol/go-sdk, from 1.2.0 on, behind the peer contract.
//
//	contract.Job ── Client ── mcp.ClientSession ── what its user gets, as contract.Result
//	contract.Script ── Server, TypedServer ── mcp.Server, one for each session
//
// It is compiled against the release that the peer's go.mod names, and uses what all of them have. What only some have,
// the peer hands in.
package sdk

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-compat/peers/contract"
)

// Client opens sessions with the SDK's client.
type Client struct {
	Options contract.Options[*mcp.ClientSessionOptions]
}

type session struct{ *mcp.ClientSession }

// Supports asks whether the release can negotiate in the job's mode.
func (c Client) Supports(job *contract.Job) error {
	_, err := c.Options.For(job.Mode)
	return err
}

// Connect opens a session. The handler for changes is set only where it is waited for: in the modern era, the SDK opens
// a subscription for it.
func (c Client) Connect(ctx, life context.Context, job *contract.Job, changed func()) (contract.Session, error) {
	options, err := c.Options.For(job.Mode)
	if err != nil {
		return nil, err
	}
	var handlers mcp.ClientOptions
	if job.WaitsForChange() {
		handlers.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "mcp-compat", Version: "1"}, &handlers)
	opened, err := client.Connect(ctx, transport(life, job.Server), options)
	if err != nil {
		return nil, ofConnecting(err)
	}
	return session{opened}, nil
}

func transport(life context.Context, server contract.Address) mcp.Transport {
	if server.HTTP != nil {
		return &mcp.StreamableClientTransport{Endpoint: server.HTTP.URL}
	}
	words := server.Stdio.Command
	command := exec.CommandContext(life, words[0], words[1:]...)
	command.Env = append(os.Environ(), server.Stdio.Environment()...)
	command.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: command}
}

func (s session) Negotiated() string {
	if opened := s.InitializeResult(); opened != nil {
		return opened.ProtocolVersion
	}
	return ""
}

func (s session) List(ctx context.Context) ([]contract.Tool, error) {
	var tools []contract.Tool
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, ofRequest(err)
		}
		seen := contract.Tool{Name: tool.Name}
		if tool.OutputSchema != nil {
			if seen.OutputSchema, err = json.Marshal(tool.OutputSchema); err != nil {
				return nil, contract.Failed(contract.Decode, err)
			}
		}
		tools = append(tools, seen)
	}
	return tools, nil
}

func (s session) Call(ctx context.Context, tool string, arguments map[string]any) (*contract.Result, error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return nil, ofRequest(err)
	}
	seen := &contract.Result{IsError: result.IsError}
	// A nil is all that the SDK has for a null as well.
	if result.StructuredContent != nil {
		if seen.Structured, err = json.Marshal(result.StructuredContent); err != nil {
			return nil, contract.Failed(contract.Decode, err)
		}
	}
	for _, block := range result.Content {
		text, err := json.Marshal(block)
		if err != nil {
			return nil, contract.Failed(contract.Decode, err)
		}
		seen.Content = append(seen.Content, text)
	}
	return seen, nil
}

func (s session) Close() {
	// A server that is gone already, or that had to be killed, is no failure of the job.
	_ = s.ClientSession.Close()
}
