package main

import (
	"testing"

	"mcp-compat/peers/contract/adaptertest"
)

// The client tells the values that the SDK's user gets, with all changes of the SDK.
func TestTheUsersValueIsTold(t *testing.T) {
	adaptertest.Tells(t, adapter.Client, map[string]string{
		`{"structuredContent":{"id":9007199254740993},"content":[]}`: `"structured":{"present":true,"value":{"id":9007199254740992}}`,
		`{"structuredContent":null,"content":[]}`:                    `"structured":{"present":false}`,
		`{"structuredContent":{"a":1}}`:                              `"message":"content is missing"`,
	})
}
