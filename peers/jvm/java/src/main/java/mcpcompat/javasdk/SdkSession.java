package mcpcompat.javasdk;

import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import mcpcompat.contract.Client;
import mcpcompat.contract.JsonReader;
import mcpcompat.contract.StepAnswer;

/** A session of the SDK's blocking client. */
final class SdkSession implements Client.Session {

  private final McpSyncClient client;
  private final McpSchema.InitializeResult opening;
  private final Client.Changes changes;

  SdkSession(McpSyncClient client, McpSchema.InitializeResult opening, Client.Changes changes) {
    this.client = client;
    this.opening = opening;
    this.changes = changes;
  }

  @Override
  public Optional<String> negotiated() {
    return Optional.ofNullable(opening.protocolVersion());
  }

  @Override
  public List<StepAnswer.Tool> list() {
    return client.listTools().tools().stream().map(SdkSession::toolOf).toList();
  }

  /** Before 2.0.0, a tool without a name has null for it, and a result without content for that. */
  private static StepAnswer.Tool toolOf(McpSchema.Tool tool) {
    String name = Objects.requireNonNullElse(tool.name(), "");
    return new StepAnswer.Tool(name, Optional.ofNullable(tool.outputSchema()));
  }

  @Override
  public StepAnswer.Called call(String tool, Map<String, Object> arguments) {
    McpSchema.CallToolResult result =
        client.callTool(new McpSchema.CallToolRequest(tool, arguments));
    // The record has null for a null and for nothing: its user cannot tell them apart.
    StepAnswer.Structured structured =
        result.structuredContent() == null
            ? StepAnswer.Structured.absent()
            : StepAnswer.Structured.of(result.structuredContent());
    List<Object> content =
        Objects.requireNonNullElse(result.content(), List.<McpSchema.Content>of()).stream()
            .map(block -> JsonReader.read(Sdk.written(block)).value())
            .toList();
    return new StepAnswer.Called(structured, content, Boolean.TRUE.equals(result.isError()));
  }

  @Override
  public Client.Changes changes() {
    return changes;
  }

  @Override
  public void close() {
    client.closeGracefully();
  }
}
