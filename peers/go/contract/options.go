// Options of an SDK's client for a mode of negotiation.

package contract

import "fmt"

// Options make the options of an SDK that have a session negotiate in a mode, or say why there are none. They are nil
// where a release leaves its user no choice.
type Options[T any] func(mode Mode) (T, error)

// For returns the options for a mode: nothing, where no mode is asked for and there is no choice.
func (o Options[T]) For(mode Mode) (options T, err error) {
	switch {
	case o != nil:
		return o(mode)
	case mode != "":
		return options, fmt.Errorf("this release cannot negotiate in the mode %q", mode)
	default:
		return options, nil
	}
}
