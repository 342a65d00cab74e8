package mcpcompat.javasdk;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.McpJsonMapperSupplier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ServiceLoader;

/**
 * The JSON mapper that the SDK brings.
 *
 * <p>It is found as a service: the static method that gives it has changed its class between
 * releases, and names the same one.
 */
final class Sdk {

  /** The default mapper. */
  static final McpJsonMapper MAPPER =
      ServiceLoader.load(McpJsonMapperSupplier.class).findFirst().orElseThrow().get();

  private Sdk() {}

  /** Returns the JSON that the SDK writes for one of its values. */
  static String written(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }
}
