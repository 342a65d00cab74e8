// The client's loop: a job a line, each played beside the others, an answer a line.

package contract

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// A Client is an SDK's client.
type Client interface {
	// Supports says why this SDK cannot play the job, if so.
	Supports(job *Job) error
	// Connect opens a session. The context bounds only the opening; life ends when the session has to be gone, and
	// with it whatever it started. The SDK's word that the tools have changed is passed on by calling changed.
	Connect(ctx, life context.Context, job *Job, changed func()) (Session, error)
}

// A Session is what the user of an SDK's public API has. Its errors are [*Error].
type Session interface {
	// Negotiated is the revision that the SDK says it speaks.
	Negotiated() string
	// List lists all tools, following the pages.
	List(ctx context.Context) ([]Tool, error)
	// Call calls a tool.
	Call(ctx context.Context, tool string, arguments map[string]any) (*Result, error)
	// Close ends the session, and its server where that is a subprocess.
	Close()
}

// Serve plays jobs until the input ends and every session is closed: a job a line, an answer a line.
func Serve(client Client, input io.Reader) {
	var jobs sync.WaitGroup
	defer jobs.Wait()
	for line := range lines(input) {
		job := new(Job)
		if err := read(line, job); err != nil {
			if id, ok := idOf(line); ok {
				say(Answer{ID: id, Unsupported: err.Error(), Steps: []StepAnswer{}})
			} else {
				fmt.Fprintln(os.Stderr, "a line that is no job:", err)
			}
			continue
		}
		jobs.Go(func() { Play(client, job, func(answer Answer) { say(answer) }) })
	}
}

// lines yields the lines of the input, however long, until it ends.
func lines(input io.Reader) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		reader := bufio.NewReader(input)
		for {
			line, err := reader.ReadBytes('\n')
			if len(line) > 1 && !yield(line) {
				return
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					fmt.Fprintln(os.Stderr, "the input:", err)
				}
				return
			}
		}
	}
}
