// Job of a client, as it stands on the line.

package contract

import (
	"encoding/json"
	"fmt"
	"time"
)

// A Job is one session that a client is asked to play.
type Job struct {
	ID        uint64
	Scenario  string // for logs
	Server    Address
	Mode      Mode // how to negotiate, for a client that has a choice
	Steps     []Step
	Deadlines Deadlines
}

// An Address is where a client finds the server: one of the two.
type Address struct {
	Stdio *Command
	HTTP  *Endpoint
}

// A Command starts a server that speaks over its standard streams.
type Command struct {
	Command []string
	Env     map[string]string // beside the inherited variables
}

// Environment has the variables to set beside the inherited ones, in the form of [os.Environ].
func (c *Command) Environment() []string {
	var pairs []string
	for name, value := range c.Env {
		pairs = append(pairs, name+"="+value)
	}
	return pairs
}

// An Endpoint is an address of streamable HTTP.
type Endpoint struct{ URL string }

// Mode says how a client that knows both eras chooses between them.
type Mode string

const (
	Legacy Mode = "legacy" // initialize, whatever the server could do
	Auto   Mode = "auto"   // the modern era first, then initialize
	Modern Mode = "modern" // the modern era only
)

// A Step is one thing to do: one of the three.
type Step struct {
	List   *struct{}
	Call   *Call
	Evolve *Evolution
}

// A Call of a tool.
type Call struct {
	Tool      string
	Arguments map[string]any // numbers are [json.Number]
	// AtOnce: sent together with the call before, without waiting for that one's answer.
	AtOnce bool `json:"at_once"`
	// Feed are arguments from the value of the call before: JSON Pointer to JSON Pointer.
	Feed map[string]string
}

// An Evolution is a call of [EvolveTool]; Told: the server will tell of the change.
type Evolution struct{ Told bool }

// Deadlines bound a session, in milliseconds.
type Deadlines struct {
	ConnectMS int64 `json:"connect_ms"` // until a session stands
	StepMS    int64 `json:"step_ms"`    // for each step
}

func (d Deadlines) connect() time.Duration { return time.Duration(d.ConnectMS) * time.Millisecond }
func (d Deadlines) step() time.Duration    { return time.Duration(d.StepMS) * time.Millisecond }

// WaitsForChange reports whether a step waits for the server to tell of a change.
func (j *Job) WaitsForChange() bool {
	for _, step := range j.Steps {
		if step.Evolve != nil && step.Evolve.Told {
			return true
		}
	}
	return false
}

// UnmarshalJSON refuses a step that this package does not know, by its name.
func (s *Step) UnmarshalJSON(text []byte) error {
	var forms map[string]json.RawMessage
	if err := json.Unmarshal(text, &forms); err != nil {
		return err
	}
	if len(forms) != 1 {
		return fmt.Errorf("a step with %d forms", len(forms))
	}
	for form, members := range forms {
		switch form {
		case "list":
			s.List = new(struct{})
			return read(members, s.List)
		case "call":
			s.Call = new(Call)
			return read(members, s.Call)
		case "evolve":
			s.Evolve = new(Evolution)
			return read(members, s.Evolve)
		default:
			return fmt.Errorf("this adapter does not support the step %q", form)
		}
	}
	return nil
}
