package mcpcompat.contract;

import java.net.URI;

/** An SDK's HTTP server on loopback, as the loop asks it. */
public interface Host {

  /** Returns the address on which it listens. */
  URI base();

  /** Serves a script at a path, in place of what was there. */
  void serve(String path, Script script) throws Unsupported;

  /** Stops serving a path, and ends its sessions. */
  void stop(String path);
}
