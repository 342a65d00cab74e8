package main

import (
	"testing"

	"mcp-compat/peers/contract/adaptertest"
)

// The client tells the values that the SDK's user gets, with all changes of the SDK.
func TestTheUsersValueIsTold(t *testing.T) {
	adaptertest.Tells(t, adapter.Client, map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740993}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":true,"value":null}`,
		`{"structuredContent":{"a":1}}`:                              `"message":"content is missing"`,
		`{"content":[{"type":"json","json":1}]}`:                     `"layer":"decode"`,
	})
}

// A server plays only what the SDK's types give back exactly.
func TestAResultThatTheSDKChangesIsUnsupported(t *testing.T) {
	adaptertest.Plays(t, adapter, map[string]adaptertest.Reasons{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`:     {},
		`{"structuredContent":{"id":18446744073709551616},"content":[]}`: {Typed: "represent 18446744073709551616"},
		`{"structuredContent":null,"content":[]}`:                        {Typed: "does not send nil"},
		`{"structuredContent":{}}`:                                       {Low: "changes /content in", Typed: "changes /content in"},
		`{"structuredContent":{},"content":[],"isError":false}`:          {Low: "changes /isError in", Typed: "changes /isError in"},
	})
}
