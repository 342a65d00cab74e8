package mcpcompat.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpToolMetadataKeys;
import dev.langchain4j.service.tool.ToolExecutionResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import mcpcompat.contract.Client;
import mcpcompat.contract.JsonWriter;
import mcpcompat.contract.StepAnswer;

/** A session of LangChain4j's client. */
final class LangChainSession implements Client.Session {

  private final DefaultMcpClient client;
  private final Client.Changes changes;

  LangChainSession(DefaultMcpClient client, Client.Changes changes) {
    this.client = client;
    this.changes = changes;
  }

  /** The API has no revision. */
  @Override
  public Optional<String> negotiated() {
    return Optional.empty();
  }

  @Override
  public List<StepAnswer.Tool> list() {
    return client.listTools().stream().map(LangChainSession::toolOf).toList();
  }

  private static StepAnswer.Tool toolOf(ToolSpecification tool) {
    Object schema = tool.metadata().get(McpToolMetadataKeys.OUTPUT_SCHEMA);
    return new StepAnswer.Tool(tool.name(), Optional.ofNullable(schema));
  }

  @Override
  public StepAnswer.Called call(String tool, Map<String, Object> arguments) {
    ToolExecutionResult result =
        client.executeTool(
            ToolExecutionRequest.builder()
                .name(tool)
                .arguments(JsonWriter.write(arguments))
                .build());
    // With a value, its text is that of the value; without one, it is the text of all blocks.
    if (result.result() != null) {
      return new StepAnswer.Called(
          StepAnswer.Structured.of(result.result()), List.of(), result.isError());
    }
    String text = result.resultText();
    List<Object> content =
        text == null ? List.of() : List.of(Map.of("type", "text", "text", text));
    return new StepAnswer.Called(StepAnswer.Structured.absent(), content, result.isError());
  }

  @Override
  public Client.Changes changes() {
    return changes;
  }

  @Override
  public void close() {
    client.close();
  }
}
