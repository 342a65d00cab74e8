package mcpcompat.javasdk;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import mcpcompat.contract.Host;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** A servlet container whose one servlet hands each request to the endpoint at its path. */
final class HttpHost implements Host {

  private final Map<String, Endpoint> paths = new ConcurrentHashMap<>();
  private final Server server =
      new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

  HttpHost() throws Exception {
    ServletHolder holder = new ServletHolder(new Paths());
    holder.setAsyncSupported(true);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(holder, "/*");
    server.setHandler(context);
    server.start();
  }

  @Override
  public URI base() {
    return URI.create("http://" + server.getURI().getAuthority());
  }

  @Override
  public void serve(String path, Script script) throws Unsupported {
    stop(path);
    paths.put(path, new Endpoint(path, new Offer(script, Offer.Process.OF_MANY_SESSIONS)));
  }

  @Override
  public void stop(String path) {
    Optional.ofNullable(paths.remove(path)).ifPresent(Endpoint::close);
  }

  private final class Paths extends HttpServlet {

    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
      Endpoint endpoint = paths.get(request.getRequestURI());
      if (endpoint == null) {
        response.sendError(HttpServletResponse.SC_NOT_FOUND);
      } else {
        endpoint.service(request, response);
      }
    }
  }
}
