package mcpcompat.langchain4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.langchain4j.exception.ToolArgumentsException;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.mcp.client.McpException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import mcpcompat.contract.PeerError;
import mcpcompat.contract.PeerError.Layer;

/** Classification of LangChain4j's errors by the layer of the client in which they arose. */
final class Errors {

  private Errors() {}

  /** No session came about. */
  static PeerError ofConnecting(Throwable thrown) {
    Throwable root = root(thrown);
    return new PeerError(Layer.CONNECT, code(root), PeerError.of(Layer.CONNECT, root).message());
  }

  /** A request failed. */
  static PeerError ofRequest(Throwable thrown) {
    Optional<Integer> code = code(thrown);
    Layer layer = code.isPresent() ? Layer.PROTOCOL : layer(thrown);
    Throwable told = layer == Layer.TOOL ? thrown : root(thrown);
    return new PeerError(layer, code, PeerError.of(layer, told).message());
  }

  private static Optional<Integer> code(Throwable thrown) {
    if (thrown instanceof McpException error) {
      return Optional.of(error.errorCode());
    }
    if (thrown instanceof ToolArgumentsException error) {
      return Optional.ofNullable(error.errorCode());
    }
    return thrown instanceof ToolExecutionException error
        ? Optional.ofNullable(error.errorCode())
        : Optional.empty();
  }

  private static Layer layer(Throwable thrown) {
    if (isOfTool(thrown)) {
      return Layer.TOOL;
    }
    if (causes(thrown).anyMatch(TimeoutException.class::isInstance)) {
      return Layer.TIMEOUT;
    }
    if (causes(thrown).anyMatch(JsonProcessingException.class::isInstance)) {
      return Layer.DECODE;
    }
    boolean lost =
        thrown instanceof ToolExecutionException
            || causes(thrown)
                .anyMatch(
                    cause -> cause instanceof IOException || cause instanceof IllegalStateException);
    return lost ? Layer.CONNECT : Layer.DECODE;
  }

  /**
   * Tells the error of a tool from a failure on the way. Both are of one class, with a plain {@code
   * RuntimeException} as the cause; only the words of an HTTP status differ.
   */
  private static boolean isOfTool(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof ToolExecutionException
        && cause != null
        && cause.getClass() == RuntimeException.class
        && !String.valueOf(cause.getMessage()).startsWith("Unexpected status code");
  }

  private static Throwable root(Throwable thrown) {
    return causes(thrown).reduce(thrown, (outer, cause) -> cause);
  }

  private static Stream<Throwable> causes(Throwable thrown) {
    return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause);
  }
}
