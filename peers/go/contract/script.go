// Script of a server, as it stands in a file or on a line.

package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// A Script is the tools of a server and their answers.
type Script struct {
	Scenario    string            // for logs
	Stages      []Stage           // the tools, and what they become with each call of the evolve tool
	PageSize    int               `json:"page_size"` // how many tools a page of the list holds; all when 0
	List        json.RawMessage   // members that the result of tools/list has beside the tools
	ListWithout []string          `json:"list_without"` // members that it is sent without
	Answers     []json.RawMessage // answers to requests that are no calls
}

// A Stage is the tools for some time.
type Stage struct {
	Tools []ScriptedTool
	Told  bool // whether the step into this stage is told
}

// A ScriptedTool and its one answer.
type ScriptedTool struct {
	Name         string
	Definition   json.RawMessage // as in tools/list
	Reply        Reply
	Without      []string // members that a result is sent without
	Before       []string // messages that are sent right before the answer
	AnswersAfter *string  `json:"answers_after"` // the tool whose call must have been answered first
}

// A Reply is the answer to a call: one of these.
type Reply struct {
	Result json.RawMessage // a result
	Error  json.RawMessage // a JSON-RPC error object
	Raw    *string         // bytes in place of the whole message
	Hang   *struct{}       // no answer, ever
	Exit   *Exit           // the end of the process
	Evolve *struct{}       // the step to the next stage
}

// Exit is the end of the process.
type Exit struct{ Status int }

// Withhold gives no answer: it ends the process, or waits until nobody waits for the answer any more.
func (r Reply) Withhold(ctx context.Context) error {
	if r.Exit != nil {
		os.Exit(r.Exit.Status)
	}
	<-ctx.Done()
	return ctx.Err()
}

// UnmarshalJSON says which script it is that cannot be read, and refuses what no SDK leaves to the user of its server.
func (s *Script) UnmarshalJSON(text []byte) error {
	type plain Script
	if err := read(text, (*plain)(s)); err != nil {
		return fmt.Errorf("cannot read the script: %w", err)
	}
	if len(s.Answers) > 0 {
		return errors.New("the SDK's server API cannot script answers to requests other than tools/call")
	}
	if len(s.ListWithout) > 0 {
		return errors.New("the SDK's server API adds the members that the revision requires")
	}
	for _, stage := range s.Stages {
		names := map[string]bool{}
		for _, tool := range stage.Tools {
			switch {
			case names[tool.Name]:
				return fmt.Errorf("the SDK keeps only one of two tools named %q", tool.Name)
			case len(tool.Without) > 0:
				return errors.New("the SDK's server API adds the members that the revision requires")
			case len(tool.Before) > 0:
				return errors.New("the SDK's server API cannot send a scripted message before an answer")
			case tool.AnswersAfter != nil:
				return errors.New("the adapter cannot delay one answer until after another")
			case tool.Reply.Raw != nil:
				return errors.New("the SDK's server API cannot send raw bytes")
			}
			names[tool.Name] = true
		}
	}
	return nil
}

// Tells reports whether the server notifies its clients of changes. A server that declares a capability for it tells of every one.
func (s *Script) Tells() (bool, error) {
	told := 0
	for _, stage := range s.Stages[1:] {
		if stage.Told {
			told++
		}
	}
	if told != 0 && told != len(s.Stages)-1 {
		return false, errors.New("the SDK notifies clients of every change of tools or of none")
	}
	return told > 0, nil
}

// Gone are the names of the tools that a stage has and the one after it has not.
func Gone(before, after Stage) []string {
	stay := map[string]bool{}
	for _, tool := range after.Tools {
		stay[tool.Name] = true
	}
	var gone []string
	for _, tool := range before.Tools {
		if !stay[tool.Name] {
			gone = append(gone, tool.Name)
		}
	}
	return gone
}

// scriptOfEnvironment reads the script of a stdio server.
func scriptOfEnvironment() (*Script, error) {
	text, err := os.ReadFile(os.Getenv("MCP_COMPAT_SCENARIO"))
	if err != nil {
		return nil, fmt.Errorf("MCP_COMPAT_SCENARIO: %w", err)
	}
	script := new(Script)
	return script, json.Unmarshal(text, script)
}
