// Answer of a client to a job: the observations of the SDK's user, in the form that stands on the line.

package contract

import (
	"encoding/json"
	"fmt"
)

// An Answer is what a client says of one job.
type Answer struct {
	ID          uint64       `json:"id"`
	Negotiated  string       `json:"negotiated,omitempty"`  // the revision, as the SDK says it
	Unsupported string       `json:"unsupported,omitempty"` // why the job cannot be done at all
	Error       *Error       `json:"error,omitempty"`       // why no session came about
	Steps       []StepAnswer `json:"steps"`                 // what the user of the API saw, one entry a step
}

// A StepAnswer has one form: tools; structured, content and is_error; evolved; or error.
type StepAnswer struct {
	Tools      *[]Tool            `json:"tools,omitempty"`
	Structured *Structured        `json:"structured,omitempty"`
	Content    *[]json.RawMessage `json:"content,omitempty"`
	IsError    *bool              `json:"is_error,omitempty"`
	Evolved    *bool              `json:"evolved,omitempty"`
	Error      *Error             `json:"error,omitempty"`
}

// A Tool as the API gives it.
type Tool struct {
	Name         string          `json:"name"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"` // nil if the API gives none
}

// Structured content on the line: Present tells a null from nothing.
type Structured struct {
	Present bool            `json:"present"`
	Value   json.RawMessage `json:"value,omitempty"`
}

// A Result as the API gives it, written as JSON by encoding/json.
type Result struct {
	Structured json.RawMessage // nil if the API has none
	Content    []json.RawMessage
	IsError    bool // whether the API presents it as a tool error
}

// An Error that the API raised.
type Error struct {
	Layer   Layer  `json:"layer"`
	Code    *int64 `json:"code,omitempty"` // for a JSON-RPC error, if the API gives it
	Message string `json:"message"`
}

// Layer is the layer of a client in which an error arose.
type Layer string

const (
	Connect  Layer = "connect"  // no session came about, or it was lost
	Decode   Layer = "decode"   // a message could not be read as what it should be
	Validate Layer = "validate" // a value did not conform to its schema
	Protocol Layer = "protocol" // the server answered with a JSON-RPC error
	Timeout  Layer = "timeout"  // the client waited no longer
)

// Failed is an error without a code.
func Failed(layer Layer, err error) *Error {
	return &Error{Layer: layer, Message: err.Error()}
}

// FailedWith is a JSON-RPC error.
func FailedWith(layer Layer, code int64, message string) *Error {
	return &Error{Layer: layer, Code: &code, Message: message}
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s", e.Layer, e.Message)
}

func listed(tools []Tool) StepAnswer {
	if tools == nil {
		tools = []Tool{}
	}
	return StepAnswer{Tools: &tools}
}

func called(result *Result) StepAnswer {
	content := result.Content
	if content == nil {
		content = []json.RawMessage{}
	}
	structured := &Structured{Present: result.Structured != nil, Value: result.Structured}
	return StepAnswer{Structured: structured, Content: &content, IsError: &result.IsError}
}

func evolved(seen bool) StepAnswer { return StepAnswer{Evolved: &seen} }

func failed(err *Error) StepAnswer { return StepAnswer{Error: err} }
