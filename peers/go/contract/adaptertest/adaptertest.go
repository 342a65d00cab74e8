// Package adaptertest has shared tests of adapters: what a client tells of results that its SDK changes, and what
// a server plays of them.
package adaptertest

import (
	"encoding/json"
	"strings"
	"testing"

	"mcp-compat/peers/contract"
)

// Tells shows that a client tells what its SDK's user gets: for each result on the wire, words of what is told.
func Tells(t *testing.T, client contract.Client, told map[string]string) {
	t.Helper()
	for result, want := range told {
		if seen := call(t, client, result); !strings.Contains(seen, want) {
			t.Errorf("%s is seen as %s, not %s", result, seen, want)
		}
	}
}

// Reasons are words of why a result is not played, with the low-level and with the typed API; empty where it is.
type Reasons struct{ Low, Typed string }

// Plays shows that the servers of an adapter play only what the SDK's types give back exactly.
func Plays(t *testing.T, adapter contract.Adapter, reasons map[string]Reasons) {
	t.Helper()
	for result, reasons := range reasons {
		plays(t, adapter.Server, result, reasons.Low)
		plays(t, adapter.TypedServer, result, reasons.Typed)
	}
}

func plays(t *testing.T, server contract.Server, result, reason string) {
	t.Helper()
	_, err := server(script(t, result), contract.OfOneSession)
	if (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
		t.Errorf("%s: %v, not %q", result, err, reason)
	}
}

// script is a script whose one tool answers with the result.
func script(t *testing.T, result string) *contract.Script {
	t.Helper()
	script := new(contract.Script)
	text := `{"scenario":"a/test","stages":[{"tools":[{"name":"tool",` +
		`"definition":{"name":"tool","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}},` +
		`"reply":{"result":` + result + `}}]}]}`
	if err := json.Unmarshal([]byte(text), script); err != nil {
		t.Fatal(err)
	}
	return script
}
