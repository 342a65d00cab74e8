package mcpcompat.javasdk;

import mcpcompat.contract.ClientLoop;
import mcpcompat.contract.HostingLoop;
import mcpcompat.contract.Rehearsal;
import mcpcompat.contract.Unsupported;

/**
 * The Java SDK behind the peer contract: {@code client}, {@code server} over stdio, {@code server
 * --http}; {@code rehearse} when it is set up.
 */
public final class Main {

  private Main() {}

  /** Plays the role that the arguments name. */
  public static void main(String[] arguments) throws Exception {
    try {
      switch (String.join(" ", arguments)) {
        case "client" -> ClientLoop.run(new SdkClient());
        case "server" -> StdioServer.run();
        case "server --http" -> HostingLoop.run(HttpHost::new);
        case "rehearse" -> Rehearsal.run(StdioServer::start);
        default -> throw new Unsupported("expected `client`, `server` or `server --http`");
      }
    } catch (Unsupported reason) {
      reason.exit();
    }
  }
}
