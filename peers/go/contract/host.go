// The HTTP server's loop: a script a line, each served at its own path of one listener.

package contract

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

// hosting is a script to be served at a path; without one, the path is served no more.
type hosting struct {
	ID     uint64
	Path   string
	Script *Script
}

type hosted struct {
	ID          uint64 `json:"id"`
	Unsupported string `json:"unsupported,omitempty"`
}

// Host serves scripts over one listener until the input ends: a script a line, each at its own path.
func Host(server Server, input io.Reader) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	var paths paths
	go func() {
		err := http.Serve(listener, &paths)
		fmt.Fprintln(os.Stderr, "the listener:", err)
		os.Exit(1)
	}()

	for line := range lines(input) {
		var order hosting
		err := read(line, &order)
		id, ok := order.ID, true
		if err != nil {
			if id, ok = idOf(line); !ok {
				fmt.Fprintln(os.Stderr, "a line that is no hosting:", err)
				continue
			}
		}
		var handler http.Handler
		if err == nil && order.Script != nil {
			var offer Offer
			if offer, err = server(order.Script, OfManySessions); err == nil {
				handler = offer.Handler()
			}
		}
		paths.replace(order.Path, handler)
		if err != nil {
			say(hosted{ID: id, Unsupported: err.Error()})
		} else {
			say(hosted{ID: id})
		}
	}
	return nil
}

// paths are the endpoints by their paths.
type paths struct {
	endpoints sync.Map // string -> *endpoint
}

// An endpoint is one script at its path; stop ends the requests that are being served there.
type endpoint struct {
	handler http.Handler
	life    context.Context
	stop    context.CancelFunc
}

func (p *paths) replace(path string, handler http.Handler) {
	var former any
	if handler == nil {
		former, _ = p.endpoints.LoadAndDelete(path)
	} else {
		life, stop := context.WithCancel(context.Background())
		former, _ = p.endpoints.Swap(path, &endpoint{handler, life, stop})
	}
	if former, ok := former.(*endpoint); ok {
		former.stop()
	}
}

func (p *paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found, ok := p.endpoints.Load(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	endpoint := found.(*endpoint)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(endpoint.life, cancel)()
	endpoint.handler.ServeHTTP(w, r.WithContext(ctx))
}
