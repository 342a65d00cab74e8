// Package contract has the shared parts of the adapters of Go SDKs: the peer contract, and nothing of any SDK.
//
//	Main ─┬─ client                  Serve: jobs in, answers out
//	      ├─ server [--typed]        one session, its script in the file that MCP_COMPAT_SCENARIO names
//	      └─ server [--typed] --http Host: scripts in, each served at its own path
//
// An adapter gives a [Client] and [Server] values that use its SDK's public API. The loops, the deadlines and the JSON
// lines are here, so that every release of an SDK is asked in exactly the same way.
package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"sync"
)

// unsupportedStatus is the exit status that says: this role, or this script, is not supported.
const unsupportedStatus = 127

// EvolveTool is the tool whose call makes a server go to its next stage.
const EvolveTool = "mcp_compat_evolve"

// An Adapter is what one release of an SDK can be.
type Adapter struct {
	Client Client
	// Server uses the SDK's low-level API, TypedServer the one that Go types are handed to.
	Server, TypedServer Server
}

// A Server puts a script into its SDK's types. An error is the reason why the SDK cannot play it.
type Server func(script *Script, process Process) (Offer, error)

// An Offer is a script that an SDK can play.
type Offer interface {
	// ServeStdio plays one session over the standard streams.
	ServeStdio() error
	// Handler plays any number of sessions, each from the first stage on.
	Handler() http.Handler
}

// Process is the process of a server.
type Process int

const (
	OfOneSession   Process = iota // a process of its own for each session
	OfManySessions                // one process for many sessions of many scripts
)

// maxStack bounds the stack of an endless recursion. At the default, 1 GB, it would hold up for seconds whatever
// else the process and the machine are at.
const maxStack = 64 << 20

// Main plays the role that the arguments name, until the input ends.
func Main(adapter Adapter) {
	debug.SetMaxStack(maxStack)
	role, options := "", []string(nil)
	if len(os.Args) > 1 {
		role, options = os.Args[1], os.Args[2:]
	}
	server := adapter.Server
	if slices.Contains(options, "--typed") {
		server = adapter.TypedServer
	}
	switch {
	case role == "client" && adapter.Client != nil:
		Serve(adapter.Client, os.Stdin)
	case role == "server" && server != nil && slices.Contains(options, "--http"):
		exitOn(Host(server, os.Stdin))
	case role == "server" && server != nil:
		offer, err := offered(server)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(unsupportedStatus)
		}
		exitOn(offer.ServeStdio())
	default:
		fmt.Fprintln(os.Stderr, "expected client or server [--typed] [--http]")
		os.Exit(unsupportedStatus)
	}
}

func offered(server Server) (Offer, error) {
	script, err := scriptOfEnvironment()
	if err != nil {
		return nil, err
	}
	return server(script, OfOneSession)
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var speaking sync.Mutex

// say writes one JSON line to stdout, and ends the process when nobody reads it any more.
func say(message any) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		panic(fmt.Sprintf("answers are JSON: %v", err))
	}
	// Raw JSON may hold any bytes. Where they are no UTF-8, encoding/json reads U+FFFD, and so would the SDK's user.
	text := bytes.ToValidUTF8(line.Bytes(), []byte("\uFFFD"))
	speaking.Lock()
	defer speaking.Unlock()
	if _, err := os.Stdout.Write(text); err != nil {
		os.Exit(1)
	}
}

// read reads a message of the contract, and refuses members that it does not know.
func read(text []byte, message any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	return decoder.Decode(message)
}

// idOf is the id of a message of the contract, whatever else is wrong with it.
func idOf(text []byte) (id uint64, ok bool) {
	var addressed struct{ ID *uint64 }
	if json.Unmarshal(text, &addressed) != nil || addressed.ID == nil {
		return 0, false
	}
	return *addressed.ID, true
}
