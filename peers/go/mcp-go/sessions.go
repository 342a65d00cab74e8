// Sessions over HTTP that do not see each other.

package mcpgo

import (
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// sessions gives each session an HTTP server of the SDK for itself: one server of the SDK has the same tools for all,
// and each session is to begin with the first stage. Requests that belong to no session share one.
type sessions struct {
	offer  *offer
	shared http.Handler
	byID   sync.Map // string -> http.Handler
}

const firstWithoutSessions = "2026-07-28"

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	switch own, ok := s.byID.Load(id); {
	case ok:
		own.(http.Handler).ServeHTTP(w, r)
		if r.Method == http.MethodDelete {
			s.byID.Delete(id)
		}
	case id != "" || r.Header.Get(server.HeaderKeyProtocolVersion) >= firstWithoutSessions:
		s.shared.ServeHTTP(w, r)
	default:
		ids := &noted{sessions: s}
		ids.handler = server.NewStreamableHTTPServer(s.offer.serverAt(0), server.WithSessionIdManager(ids))
		ids.handler.ServeHTTP(w, r)
	}
}

// noted makes the ids that the SDK makes by default, and notes which server they are of.
type noted struct {
	server.StatelessGeneratingSessionIdManager
	sessions *sessions
	handler  http.Handler
}

func (n *noted) Generate() string {
	id := n.StatelessGeneratingSessionIdManager.Generate()
	n.sessions.byID.Store(id, n.handler)
	return id
}
