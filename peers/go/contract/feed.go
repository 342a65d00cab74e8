// Arguments that come from the value of the call before: JSON Pointer to JSON Pointer.

package contract

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// feed puts what the value of the call before has at a pointer into the arguments. What is not there is left out.
func (c *Call) feed(last *Result) {
	if len(c.Feed) == 0 || last == nil || last.Structured == nil {
		return
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(last.Structured))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return
	}
	for into, from := range c.Feed {
		found, ok := at(value, from)
		if !ok {
			continue
		}
		parent, key, ok := cutLast(into)
		if !ok {
			continue
		}
		if place, ok := at(c.Arguments, parent); ok {
			if object, ok := place.(map[string]any); ok {
				object[unescaped(key)] = found
			}
		}
	}
}

// at is the value that a JSON Pointer leads to.
func at(value any, pointer string) (any, bool) {
	if pointer == "" {
		return value, true
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = unescaped(token)
		switch here := value.(type) {
		case map[string]any:
			next, ok := here[token]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			index, err := strconv.Atoi(token)
			if err != nil || index < 0 || index >= len(here) {
				return nil, false
			}
			value = here[index]
		default:
			return nil, false
		}
	}
	return value, true
}

func cutLast(pointer string) (parent, key string, ok bool) {
	slash := strings.LastIndexByte(pointer, '/')
	if slash < 0 {
		return "", "", false
	}
	return pointer[:slash], pointer[slash+1:], true
}

func unescaped(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
