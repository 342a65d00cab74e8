// One job, from the opening of a session to its end: rounds of steps, each with its deadline.

package contract

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// changeTimeout is the longest time from the answer of the call to the SDK's notification of a change.
	changeTimeout = 500 * time.Millisecond
	// closeGrace is the time for which the answer waits for the session to end. A slower server is waited for after it.
	closeGrace = 100 * time.Millisecond
	// closeTimeout is the longest time for a session to end, before its processes are killed.
	closeTimeout = 8 * time.Second
	// killTimeout is the longest time for killed processes to end.
	killTimeout = time.Second
)

// Play plays one job and hands its answer over; it returns when the session has ended.
func Play(client Client, job *Job, tell func(Answer)) {
	answer := Answer{ID: job.ID, Steps: []StepAnswer{}}
	if err := client.Supports(job); err != nil {
		answer.Unsupported = err.Error()
		tell(answer)
		return
	}
	life, end := context.WithCancel(context.Background())
	defer end()
	changes := make(chan struct{}, 1)
	session, err := connect(client, life, job, func() {
		select {
		case changes <- struct{}{}:
		default: // One change not yet asked for is as good as two.
		}
	})
	if err != nil {
		answer.Error = asError(Connect, err)
		tell(answer)
		return
	}

	answer.Negotiated = session.Negotiated()
	var last *Result // what the call before gave
	for _, round := range rounds(job.Steps) {
		seen := take(session, round, last, changes, job.Deadlines.step())
		if round[0].Call != nil {
			last = seen[len(seen)-1].result
		}
		for _, one := range seen {
			answer.Steps = append(answer.Steps, one.answer)
		}
	}

	gone := make(chan struct{})
	go func() {
		defer close(gone)
		session.Close()
	}()
	select {
	case <-gone:
		tell(answer)
	case <-time.After(closeGrace):
		tell(answer)
		select {
		case <-gone:
		case <-time.After(closeTimeout):
			end()
			select {
			case <-gone:
			case <-time.After(killTimeout):
			}
		}
	}
}

// connect opens a session within its deadline. One that comes later is closed.
func connect(client Client, life context.Context, job *Job, changed func()) (Session, error) {
	ctx, done := context.WithTimeout(life, job.Deadlines.connect())
	defer done()
	return within(ctx, job.Deadlines.connect(), Connect, func() (Session, error) {
		session, err := client.Connect(ctx, life, job, changed)
		if err == nil && ctx.Err() != nil {
			session.Close()
			return nil, ctx.Err()
		}
		return session, err
	})
}

// rounds are the steps, those that are taken together in one round.
func rounds(steps []Step) [][]Step {
	var rounds [][]Step
	for _, step := range steps {
		if step.Call != nil && step.Call.AtOnce && len(rounds) > 0 {
			rounds[len(rounds)-1] = append(rounds[len(rounds)-1], step)
		} else {
			rounds = append(rounds, []Step{step})
		}
	}
	return rounds
}

// sight is the observation of one step; result is that of a call that gave one.
type sight struct {
	answer StepAnswer
	result *Result
}

// take takes the steps of a round together, with one deadline for all.
func take(session Session, round []Step, last *Result, changes <-chan struct{}, limit time.Duration) []sight {
	ctx, done := context.WithTimeout(context.Background(), limit)
	defer done()
	seen := make([]sight, len(round))
	finished := make(chan struct{})
	for i, step := range round {
		if step.Call != nil {
			step.Call.feed(last)
		}
		go func() {
			defer func() { finished <- struct{}{} }()
			one, err := within(ctx, limit, Decode, func() (sight, error) { return takeOne(ctx, session, step, changes) })
			if err != nil {
				one = sight{answer: failed(asError(Decode, err))}
			}
			seen[i] = one
		}()
	}
	for range round {
		<-finished
	}
	return seen
}

func takeOne(ctx context.Context, session Session, step Step, changes <-chan struct{}) (sight, error) {
	switch {
	case step.List != nil:
		tools, err := session.List(ctx)
		if err != nil {
			return sight{}, err
		}
		return sight{answer: listed(tools)}, nil
	case step.Call != nil:
		result, err := session.Call(ctx, step.Call.Tool, step.Call.Arguments)
		if err != nil {
			return sight{}, err
		}
		return sight{answer: called(result), result: result}, nil
	default:
		select {
		case <-changes: // What was told before is not of this change.
		default:
		}
		if _, err := session.Call(ctx, EvolveTool, map[string]any{}); err != nil {
			return sight{}, err
		}
		return sight{answer: evolved(step.Evolve.Told && comes(changes))}, nil
	}
}

func comes(changes <-chan struct{}) bool {
	select {
	case <-changes:
		return true
	case <-time.After(changeTimeout):
		return false
	}
}

// within bounds what an SDK does, in time and in what a panic can break.
func within[T any](ctx context.Context, limit time.Duration, layer Layer, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			if panicked := recover(); panicked != nil {
				out.err = Failed(layer, fmt.Errorf("the SDK panicked: %v", panicked))
			}
			ended <- out
		}()
		out.value, out.err = work()
	}()
	select {
	case out := <-ended:
		if out.err == nil || ctx.Err() == nil {
			return out.value, out.err
		}
	case <-ctx.Done():
	}
	var none T
	return none, Failed(Timeout, fmt.Errorf("no answer within %d ms", limit.Milliseconds()))
}

func asError(layer Layer, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return Failed(layer, err)
}
