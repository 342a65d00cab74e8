package mcpcompat.quarkus;

import io.quarkiverse.mcp.server.InitialCheck;
import io.quarkiverse.mcp.server.InitialRequest;
import io.quarkiverse.mcp.server.ToolManager;
import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import mcpcompat.contract.Exact;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;

/**
 * Registers the tools of a script. The SDK reads its input before an application can, so the answer
 * to {@code initialize} waits for them.
 */
@Singleton
public class ScriptedServer implements InitialCheck {

  private final ToolManager manager;
  private final Answers answers;
  private final AtomicInteger stage = new AtomicInteger();
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private List<Script.Stage> stages;

  ScriptedServer(ToolManager manager, Answers answers) {
    this.manager = manager;
    this.answers = answers;
  }

  void start(@Observes StartupEvent event) {
    try {
      Script script = Script.fromEnvironment();
      boolean tells = script.tells();
      if (script.changes() && !tells) {
        throw new Unsupported("the SDK tells its clients of each change of its tools");
      }
      stages = script.stages();
      for (Script.Stage stage : stages.subList(1, stages.size())) {
        for (Script.Tool tool : stage.tools()) {
          register(tool);
          manager.removeTool(tool.name());
        }
      }
      enter(0);
      ready.complete(null);
    } catch (Unsupported reason) {
      System.err.println(reason.getMessage());
      Runtime.getRuntime().halt(127);
    }
  }

  @Override
  public Uni<CheckResult> perform(InitialRequest request) {
    return Uni.createFrom().completionStage(ready).replaceWith(CheckResult.SUCCESS);
  }

  /** Goes to the next stage; past the last one, that stays. */
  void evolve() throws Unsupported {
    int next = stage.incrementAndGet();
    if (next < stages.size()) {
      stages.get(next - 1).tools().forEach(tool -> manager.removeTool(tool.name()));
      enter(next);
    }
  }

  private void enter(int stage) throws Unsupported {
    for (Script.Tool tool : stages.get(stage).tools()) {
      register(tool);
    }
  }

  private void register(Script.Tool tool) throws Unsupported {
    try {
      ToolManager.ToolDefinition definition = manager.newTool(tool.name());
      if (tool.definition().get("title") instanceof String title) {
        definition.setTitle(title);
      }
      // Each tool has a description, and a list of icons.
      Map<String, Object> expected = new LinkedHashMap<>(tool.definition());
      expected.putIfAbsent("description", "");
      expected.putIfAbsent("icons", List.of());
      if (expected.get("description") instanceof String description) {
        definition.setDescription(description);
      }
      if (tool.definition().containsKey("outputSchema")) {
        definition.setOutputSchema(tool.definition().get("outputSchema"));
      }
      definition.setInputSchema(tool.definition().get("inputSchema"));
      definition.setAsyncHandler(answers.of(tool.reply(), this));
      Exact.same("the tool", expected, definition.register().asJson().encode());
    } catch (RuntimeException error) {
      throw new Unsupported("the SDK cannot represent the tool (" + error.getMessage() + ")");
    }
  }
}
