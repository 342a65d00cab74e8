// JSON objects taken apart and put together without touching the texts of their members.

package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Apart takes members out of a JSON object: what is left, and their texts as they stand. A server can hand them to its
// SDK as raw JSON, without a detour through a type that holds less.
func Apart(object json.RawMessage, names ...string) (rest json.RawMessage, taken map[string]json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return nil, nil, err
	}
	taken = map[string]json.RawMessage{}
	for _, name := range names {
		if member, ok := members[name]; ok {
			taken[name] = member
			delete(members, name)
		}
	}
	rest, err = json.Marshal(members)
	return rest, taken, err
}

// With is a JSON object with one member more, and otherwise the same text.
func With(object json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	members := bytes.TrimSpace(bytes.TrimSpace(object)[1:])
	if members[0] == '}' {
		return fmt.Appendf(nil, "{%q:%s}", name, value)
	}
	return fmt.Appendf(nil, "{%q:%s,%s", name, value, members)
}
