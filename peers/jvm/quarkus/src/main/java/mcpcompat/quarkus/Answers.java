package mcpcompat.quarkus;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkiverse.mcp.server.AudioContent;
import io.quarkiverse.mcp.server.Content;
import io.quarkiverse.mcp.server.ImageContent;
import io.quarkiverse.mcp.server.McpException;
import io.quarkiverse.mcp.server.MetaKey;
import io.quarkiverse.mcp.server.ResourceLink;
import io.quarkiverse.mcp.server.TextContent;
import io.quarkiverse.mcp.server.ToolManager.ToolArguments;
import io.quarkiverse.mcp.server.ToolResponse;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import mcpcompat.contract.Exact;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;

/** The answers of a script in the types of the SDK, proven to give back exactly what it says. */
@Singleton
class Answers {

  private final ObjectMapper mapper;

  Answers(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** Returns a handler that answers so. */
  Function<ToolArguments, Uni<ToolResponse>> of(Script.Reply reply, ScriptedServer server)
      throws Unsupported {
    if (reply instanceof Script.Reply.Result result) {
      ToolResponse response = response(result.members());
      return call -> Uni.createFrom().item(response);
    }
    if (reply instanceof Script.Reply.Error error) {
      McpException thrown = error(error.members());
      return call -> Uni.createFrom().failure(thrown);
    }
    if (reply instanceof Script.Reply.Exit exit) {
      return call ->
          Uni.createFrom().item(() -> {
                Runtime.getRuntime().halt(exit.status());
                return ToolResponse.success("");
              });
    }
    if (reply instanceof Script.Reply.Evolve) {
      return call ->
          Uni.createFrom().item(() -> {
                try {
                  server.evolve();
                } catch (Unsupported reason) {
                  System.err.println(reason.getMessage());
                }
                return ToolResponse.success("the tools have changed");
              });
    }
    return call -> Uni.createFrom().nothing();
  }

  /** As its author would have it, a result without {@code isError} has the false that the type writes. */
  private ToolResponse response(Map<String, Object> members) throws Unsupported {
    if (!(members.get("content") instanceof List<?> blocks)) {
      throw new Unsupported("the SDK cannot represent the result (it has no list of content)");
    }
    List<Content> content = new ArrayList<>();
    for (Object block : blocks) {
      content.add(block(block));
    }
    Object structured = members.get("structuredContent");
    ToolResponse response =
        new ToolResponse(Boolean.TRUE.equals(members.get("isError")), content, structured, meta(members));
    Map<String, Object> expected = new LinkedHashMap<>(members);
    expected.putIfAbsent("isError", false);
    try {
      Exact.same("the result", expected, mapper.writeValueAsString(response));
    } catch (JsonProcessingException error) {
      throw new Unsupported("the SDK cannot represent the result (" + error.getOriginalMessage() + ")");
    }
    return response;
  }

  private static Content block(Object block) throws Unsupported {
    Map<?, ?> members = block instanceof Map<?, ?> map ? map : Map.of();
    try {
      return switch (String.valueOf(members.get("type"))) {
        case "text" -> new TextContent((String) members.get("text"));
        case "image" ->
            new ImageContent((String) members.get("data"), (String) members.get("mimeType"));
        case "audio" ->
            new AudioContent((String) members.get("data"), (String) members.get("mimeType"));
        case "resource_link" ->
            new ResourceLink(
                (String) members.get("uri"),
                (String) members.get("mimeType"),
                (String) members.get("name"),
                (String) members.get("title"),
                (String) members.get("description"),
                null,
                null,
                null);
        default -> throw new Unsupported("the adapter makes no block of the type " + members.get("type"));
      };
    } catch (ClassCastException | IllegalArgumentException error) {
      throw new Unsupported("the SDK cannot represent the result (" + error.getMessage() + ")");
    }
  }

  private static Map<MetaKey, Object> meta(Map<String, Object> members) throws Unsupported {
    if (!(members.get("_meta") instanceof Map<?, ?> given)) {
      return null;
    }
    Map<MetaKey, Object> meta = new LinkedHashMap<>();
    try {
      given.forEach((key, value) -> meta.put(MetaKey.from(key.toString()), value));
    } catch (IllegalArgumentException error) {
      throw new Unsupported("the SDK cannot represent the result (" + error.getMessage() + ")");
    }
    return meta;
  }

  private static McpException error(Map<String, Object> members) throws Unsupported {
    if (members.containsKey("data")) {
      throw new Unsupported("an error of the SDK has no data");
    }
    if (members.get("code") instanceof Number code && members.get("message") instanceof String message) {
      return new McpException(message, code.intValue());
    }
    throw new Unsupported("the SDK cannot represent the error");
  }
}
