package mcpcompat.contract;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An error that an SDK's API raised.
 *
 * @param layer where in the client it arose
 * @param code its code, for a JSON-RPC error
 * @param message its words
 */
public record PeerError(Layer layer, Optional<Integer> code, String message) {

  /** Layer of a client in which an error arose. */
  public enum Layer {
    /** No session came about, or it was lost. */
    CONNECT,
    /** A message could not be read as what it should be. */
    DECODE,
    /** A value did not conform to its schema. */
    VALIDATE,
    /** The server answered with a JSON-RPC error, or the client did not ask. */
    PROTOCOL,
    /** The API turned a tool error into an error of its own. */
    TOOL,
    /** The client waited no longer. */
    TIMEOUT
  }

  /** An error without a code, in the words of what was thrown: with its class where that is one word, or none. */
  public static PeerError of(Layer layer, Throwable thrown) {
    String message = thrown.getMessage();
    boolean says = message != null && message.trim().contains(" ");
    return new PeerError(layer, Optional.empty(), says ? message : thrown.toString());
  }

  Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("layer", layer.name().toLowerCase(Locale.ROOT));
    code.ifPresent(number -> members.put("code", number));
    members.put("message", message);
    return members;
  }
}
