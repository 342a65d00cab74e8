package main

import (
	"strings"
	"testing"

	"mcp-compat/peers/contract"
	"mcp-compat/peers/contract/rawserver"
	"mcp-compat/peers/sdk"
)

// What is told is what the SDK's user gets, with all that the SDK has changed.
func TestTheUsersValueIsTold(t *testing.T) {
	for result, want := range map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740992}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":false}`,
		`{"structuredContent":[{"result":1}],"content":[]}`:          `"structured":{"present":true,"value":[{"result":1}]}`,
		`{"structuredContent":{},"isError":true}`:                    `"content":[],"is_error":true`,
		`{"content":[{"type":"json","json":1}]}`:                     `"layer":"decode"`,
	} {
		if seen := rawserver.Call(t, sdk.Client{Options: options}, result); !strings.Contains(seen, want) {
			t.Errorf("%s is seen as %s, not %s", result, seen, want)
		}
	}
}

// A server plays only what the SDK's types give back exactly.
func TestAResultThatTheSDKChangesIsUnsupported(t *testing.T) {
	for result, reasons := range map[string][2]string{ // of the low-level and of the typed API
		`{"structuredContent":{"id":9007199254740993},"content":[]}`:       {"", ""},
		`{"structuredContent":{"id":18446744073709551616},"content":[]}`:   {"", "holds 18446744073709551616"},
		`{"structuredContent":null,"content":[]}`:                          {"", "nil is no output"},
		`{"structuredContent":{"a":1,"a":2},"content":[]}`:                 {"", `the key "a" once`},
		`{"structuredContent":{},"content":[],"isError":false}`:            {"changes /isError", "changes /isError"},
		`{"structuredContent":{},"content":[],"_meta":{"x":1e1},"more":1}`: {"changes /more", "changes /more"},
	} {
		for flavour, server := range []contract.Server{sdk.Server, sdk.TypedServer} {
			_, err := server(rawserver.Script(t, result), contract.OfOneSession)
			if reason := reasons[flavour]; (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v, not %q", result, err, reason)
			}
		}
	}
}
