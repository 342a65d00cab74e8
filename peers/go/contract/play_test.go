package contract

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// fake is an SDK whose tools are functions.
type fake map[string]func(ctx context.Context, arguments map[string]any) (*Result, error)

func (fake) Supports(*Job) error { return nil }

func (f fake) Connect(context.Context, context.Context, *Job, func()) (Session, error) { return f, nil }

func (fake) Negotiated() string { return "2025-11-25" }

func (fake) List(context.Context) ([]Tool, error) { panic("no list") }

func (f fake) Call(ctx context.Context, tool string, arguments map[string]any) (*Result, error) {
	return f[tool](ctx, arguments)
}

func (fake) Close() {}

// answer plays steps with a deadline of 200 ms each.
func answer(t *testing.T, client Client, steps string) string {
	job := new(Job)
	line := `{"id":1,"scenario":"a/test","server":{"http":{"url":""}},"steps":` + steps +
		`,"deadlines":{"connect_ms":200,"step_ms":200}}`
	if err := read([]byte(line), job); err != nil {
		t.Fatal(err)
	}
	var text []byte
	Play(client, job, func(answer Answer) { text, _ = json.Marshal(answer.Steps) })
	return string(text)
}

func gives(structured string) func(context.Context, map[string]any) (*Result, error) {
	return func(context.Context, map[string]any) (*Result, error) {
		return &Result{Structured: json.RawMessage(structured)}, nil
	}
}

func TestCallsAtOnceAreStartedTogether(t *testing.T) {
	met := make(chan struct{})
	client := fake{
		"one": func(context.Context, map[string]any) (*Result, error) { met <- struct{}{}; return &Result{}, nil },
		"two": func(context.Context, map[string]any) (*Result, error) { <-met; return &Result{}, nil },
	}
	seen := answer(t, client, `[{"call":{"tool":"one","arguments":{}}},{"call":{"tool":"two","arguments":{},"at_once":true}}]`)
	if strings.Contains(seen, `"error"`) {
		t.Error(seen)
	}
}

func TestAnArgumentIsFedFromTheValueOfTheCallBefore(t *testing.T) {
	var fed map[string]any
	client := fake{
		"find": gives(`{"users":[{"a/b":9007199254740993}]}`),
		"get": func(_ context.Context, arguments map[string]any) (*Result, error) {
			fed = arguments
			return &Result{}, nil
		},
	}
	answer(t, client, `[{"call":{"tool":"find","arguments":{}}},{"call":{"tool":"get","arguments":{"deep":{}},
		"feed":{"/deep/user":"/users/0/a~1b","/none":"/users/1"}}}]`)
	if text, _ := json.Marshal(fed); string(text) != `{"deep":{"user":9007199254740993}}` {
		t.Error(string(text))
	}
}

func TestAStepThatFailsIsToldAndTheNextIsTaken(t *testing.T) {
	client := fake{
		"hangs": func(context.Context, map[string]any) (*Result, error) { time.Sleep(time.Second); return nil, nil },
		"fails": func(context.Context, map[string]any) (*Result, error) {
			return nil, FailedWith(Protocol, -32603, "no")
		},
		"other": func(context.Context, map[string]any) (*Result, error) { return nil, errors.New("odd") },
		"value": gives(`null`),
	}
	seen := answer(t, client, `[{"call":{"tool":"hangs","arguments":{}}},{"list":{}},{"call":{"tool":"fails","arguments":{}}},
		{"call":{"tool":"other","arguments":{}}},{"call":{"tool":"value","arguments":{}}}]`)
	want := `[{"error":{"layer":"timeout","message":"no answer within 200 ms"}},` +
		`{"error":{"layer":"decode","message":"the SDK panicked: no list"}},` +
		`{"error":{"layer":"protocol","code":-32603,"message":"no"}},{"error":{"layer":"decode","message":"odd"}},` +
		`{"structured":{"present":true,"value":null},"content":[],"is_error":false}]`
	if seen != want {
		t.Error(seen)
	}
}

func TestAStepThatIsNotKnownIsRefused(t *testing.T) {
	err := read([]byte(`{"id":1,"steps":[{"probe-that-no-adapter-knows":{}}]}`), new(Job))
	if err == nil || !strings.Contains(err.Error(), "probe-that-no-adapter-knows") {
		t.Error(err)
	}
}
