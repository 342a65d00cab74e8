package main

import (
	"strings"
	"testing"

	"mcp-compat/peers/contract/rawserver"
	mcpgo "mcp-compat/peers/mcp-go"
)

// What is told is what the SDK's user gets, with all that the SDK has changed.
func TestTheUsersValueIsTold(t *testing.T) {
	for result, want := range map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740992}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":false}`,
		`{"structuredContent":{"a":1}}`:                              `"message":"content is missing"`,
	} {
		if seen := rawserver.Call(t, mcpgo.Client{}, result); !strings.Contains(seen, want) {
			t.Errorf("%s is seen as %s, not %s", result, seen, want)
		}
	}
}
