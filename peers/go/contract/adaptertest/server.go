// A server that answers calls with bytes as they are given, past every SDK.

package adaptertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-compat/peers/contract"
)

// call opens a session with a server of the legacy era whose one tool answers with the result, and tells what the user
// of the client's API sees of a call.
func call(t *testing.T, client contract.Client, result string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&request) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		switch {
		case request.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		case request.Method == "initialize":
			answer = `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
				`"serverInfo":{"name":"raw","version":"1"}}`
		case request.Method == "tools/call":
			answer = `"result":` + result
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, answer)
	}))
	defer server.Close()

	var seen contract.Answer
	job := &contract.Job{
		Server:    contract.Address{HTTP: &contract.Endpoint{URL: server.URL}},
		Steps:     []contract.Step{{Call: &contract.Call{Tool: "tool", Arguments: map[string]any{}}}},
		Deadlines: contract.Deadlines{ConnectMS: 5000, StepMS: 5000},
	}
	contract.Play(client, job, func(answer contract.Answer) { seen = answer })
	if seen.Error != nil || len(seen.Steps) != 1 {
		t.Fatalf("no session: %+v", seen)
	}
	text, err := json.Marshal(seen.Steps[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
