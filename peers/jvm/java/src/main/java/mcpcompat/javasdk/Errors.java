package mcpcompat.javasdk;

import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpTransportException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import mcpcompat.contract.PeerError;
import mcpcompat.contract.PeerError.Layer;

/** Classification of the SDK's errors by the layer of the client in which they arose. */
final class Errors {

  private Errors() {}

  /** No session came about. */
  static PeerError ofConnecting(Throwable thrown) {
    Throwable root = root(thrown);
    return new PeerError(Layer.CONNECT, code(root), PeerError.of(Layer.CONNECT, root).message());
  }

  /** A request failed. */
  static PeerError ofRequest(Throwable thrown) {
    Throwable root = root(thrown);
    Optional<Integer> code = code(root);
    Layer layer = code.isPresent() ? Layer.PROTOCOL : layer(thrown);
    return new PeerError(layer, code, PeerError.of(layer, root).message());
  }

  private static Optional<Integer> code(Throwable thrown) {
    return thrown instanceof McpError error && error.getJsonRpcError() != null
        ? Optional.ofNullable(error.getJsonRpcError().code())
        : Optional.empty();
  }

  private static Layer layer(Throwable thrown) {
    if (causes(thrown).anyMatch(TimeoutException.class::isInstance)) {
      return Layer.TIMEOUT;
    }
    if (causes(thrown).anyMatch(Errors::isOfJackson) || thrown instanceof NullPointerException) {
      return Layer.DECODE;
    }
    if (causes(thrown)
        .anyMatch(
            cause -> cause instanceof McpTransportException || cause instanceof IOException)) {
      return Layer.CONNECT;
    }
    if (thrown instanceof IllegalArgumentException) {
      return Layer.VALIDATE;
    }
    return Layer.PROTOCOL;
  }

  /** Jackson 2 or 3, whichever the release brings. */
  private static boolean isOfJackson(Throwable thrown) {
    String name = thrown.getClass().getName();
    return name.startsWith("tools.jackson.") || name.startsWith("com.fasterxml.jackson.");
  }

  private static Throwable root(Throwable thrown) {
    return causes(thrown).reduce(thrown, (outer, cause) -> cause);
  }

  private static Stream<Throwable> causes(Throwable thrown) {
    return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause);
  }
}
