package main

import (
	"strings"
	"testing"

	"mcp-compat/peers/contract"
	"mcp-compat/peers/contract/rawserver"
	mcpgo "mcp-compat/peers/mcp-go"
)

// What is told is what the SDK's user gets, with all that the SDK has changed.
func TestTheUsersValueIsTold(t *testing.T) {
	for result, want := range map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740993}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":true,"value":null}`,
		`{"structuredContent":{"a":1}}`:                              `"message":"content is missing"`,
		`{"content":[{"type":"json","json":1}]}`:                     `"layer":"decode"`,
	} {
		if seen := rawserver.Call(t, mcpgo.Client{Options: options, Listen: listen}, result); !strings.Contains(seen, want) {
			t.Errorf("%s is seen as %s, not %s", result, seen, want)
		}
	}
}

// A server plays only what the SDK's types give back exactly.
func TestAResultThatTheSDKChangesIsUnsupported(t *testing.T) {
	server := mcpgo.Server{ListHints: hints}
	for result, reasons := range map[string][2]string{ // of the low-level and of the typed API
		`{"structuredContent":{"id":9007199254740993},"content":[]}`:     {"", ""},
		`{"structuredContent":{"id":18446744073709551616},"content":[]}`: {"", "holds 18446744073709551616"},
		`{"structuredContent":null,"content":[]}`:                        {"", "nil is no structured content"},
		`{"structuredContent":{}}`:                                       {"changes /content", "changes /content"},
		`{"structuredContent":{},"content":[],"isError":false}`:          {"changes /isError", "changes /isError"},
	} {
		for flavour, server := range []contract.Server{server.Raw, server.Typed} {
			_, err := server(rawserver.Script(t, result), contract.OfOneSession)
			if reason := reasons[flavour]; (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v, not %q", result, err, reason)
			}
		}
	}
}
