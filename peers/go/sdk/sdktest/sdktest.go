// Package sdktest is what the tests of this SDK's adapters share: what holds of all its releases.
package sdktest

import (
	"testing"

	"mcp-compat/peers/contract"
	"mcp-compat/peers/contract/adaptertest"
)

// Tells shows that what is told is what the SDK's user gets, with all that the SDK has changed.
func Tells(t *testing.T, client contract.Client) {
	t.Helper()
	adaptertest.Tells(t, client, map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740992}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":false}`,
		`{"structuredContent":[{"result":1}],"content":[]}`:          `"structured":{"present":true,"value":[{"result":1}]}`,
		`{"structuredContent":{},"isError":true}`:                    `"content":[],"is_error":true`,
		`{"content":[{"type":"json","json":1}]}`:                     `"layer":"decode"`,
	})
}

// Plays shows that the servers play only what the SDK's types give back exactly.
func Plays(t *testing.T, adapter contract.Adapter) {
	t.Helper()
	adaptertest.Plays(t, adapter, map[string]adaptertest.Reasons{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`:       {},
		`{"structuredContent":{"id":18446744073709551616},"content":[]}`:   {Typed: "represent 18446744073709551616"},
		`{"structuredContent":null,"content":[]}`:                          {Typed: "does not send nil"},
		`{"structuredContent":{"a":1,"a":2},"content":[]}`:                 {Typed: `one of two keys "a"`},
		`{"structuredContent":{},"content":[],"isError":false}`:            {Low: "changes /isError in", Typed: "changes /isError in"},
		`{"structuredContent":{},"content":[],"_meta":{"x":1e1},"more":1}`: {Low: "changes /more in", Typed: "changes /more in"},
	})
}
