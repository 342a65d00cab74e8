// JSON text as the values that an author of Go code would return.

package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
)

// Native is a JSON value as an author of Go code has it: maps, slices, strings, booleans, int64, uint64 and float64.
// The error says what no such value holds.
func Native(said json.RawMessage) (any, error) {
	if !json.Valid(said) {
		return nil, fmt.Errorf("no JSON")
	}
	return native(parse(said))
}

func native(value node) (any, error) {
	switch value.kind {
	case '"':
		return text(value.units)
	case '[':
		items := make([]any, 0, len(value.items))
		for _, item := range value.items {
			one, err := native(item)
			if err != nil {
				return nil, err
			}
			items = append(items, one)
		}
		return items, nil
	case '{':
		members := make(map[string]any, len(value.members))
		for _, one := range value.members {
			key, err := text(one.key)
			if err != nil {
				return nil, err
			}
			if _, twice := members[key]; twice {
				return nil, fmt.Errorf("a Go map keeps only one of two keys %q", key)
			}
			if members[key], err = native(one.value); err != nil {
				return nil, err
			}
		}
		return members, nil
	}
	switch value.text {
	case "null":
		return nil, nil
	case "true", "false":
		return value.text == "true", nil
	}
	return number(value.text)
}

func text(units []uint16) (string, error) {
	decoded := utf16.Decode(units)
	if !slices.Equal(utf16.Encode(decoded), units) {
		return "", fmt.Errorf("a Go string cannot hold half of a surrogate pair")
	}
	return string(decoded), nil
}

func number(lexeme string) (any, error) {
	if whole, err := strconv.ParseInt(lexeme, 10, 64); err == nil {
		return whole, nil
	}
	if whole, err := strconv.ParseUint(lexeme, 10, 64); err == nil {
		return whole, nil
	}
	float, err := strconv.ParseFloat(lexeme, 64)
	if err != nil || !sameNumber(lexeme, strconv.FormatFloat(float, 'e', -1, 64)) {
		return nil, fmt.Errorf("no number type of Go can represent %s", lexeme)
	}
	return float, nil
}
