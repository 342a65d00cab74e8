package mcpcompat.javasdk;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.HttpHeaders;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import mcpcompat.contract.Unsupported;
import reactor.core.publisher.Mono;

/**
 * One script at its path.
 *
 * <p>A server of the SDK has one set of tools for all its sessions. Where the tools change, each
 * session therefore gets a server of its own, and begins with the first stage: the id that a server
 * gives a session leads back to it.
 */
final class Endpoint {

  private final String path;
  private final Offer offer;
  private final Served first;
  private final Queue<Served> all = new ConcurrentLinkedQueue<>();
  private final Map<String, Served> bySession = new ConcurrentHashMap<>();
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

  /** A server, and the servlet that is its transport. */
  private record Served(
      HttpServletStreamableServerTransportProvider servlet, ScriptedServer server) {}

  Endpoint(String path, Offer offer) throws Unsupported {
    this.path = path;
    this.offer = offer;
    this.first = served();
  }

  private Served served() throws Unsupported {
    var servlet = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint(path).build();
    Served served = new Served(servlet, new ScriptedServer(McpServer.async(servlet), offer));
    all.add(served);
    return served;
  }

  void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    Served served = serving(Optional.ofNullable(request.getHeader(HttpHeaders.MCP_SESSION_ID)));
    busy.add(Thread.currentThread());
    try {
      served
          .servlet()
          .service(
              request,
              new HttpServletResponseWrapper(response) {
                @Override
                public void setHeader(String name, String value) {
                  if (name.equalsIgnoreCase(HttpHeaders.MCP_SESSION_ID)) {
                    bySession.put(value, served);
                  }
                  super.setHeader(name, value);
                }
              });
    } finally {
      busy.remove(Thread.currentThread());
    }
  }

  private Served serving(Optional<String> session) throws ServletException {
    if (session.isPresent()) {
      return bySession.getOrDefault(session.get(), first);
    }
    try {
      return offer.changes() ? served() : first;
    } catch (Unsupported error) {
      throw new ServletException(error);
    }
  }

  /**
   * Ends the servers and their sessions, and what still goes on a second later.
   *
   * <p>A schema can keep the SDK's validator busy for hours, on a core that the other paths need.
   * Nothing but the end of its thread stops it; a JVM that no longer ends threads lets it go on.
   */
  @SuppressWarnings("removal")
  void close() {
    all.forEach(served -> served.server().close());
    Mono.delay(Duration.ofSeconds(1)).subscribe(later -> busy.forEach(Thread::stop));
  }
}
