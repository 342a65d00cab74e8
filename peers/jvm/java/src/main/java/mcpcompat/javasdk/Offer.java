package mcpcompat.javasdk;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse.JSONRPCError;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import mcpcompat.contract.Exact;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;
import reactor.core.publisher.Mono;

/** A script in the SDK's own types, proven to give back exactly what the script says. */
final class Offer {

  /** True if a process serves one session or many. */
  enum Process {
    OF_ONE_SESSION,
    OF_MANY_SESSIONS
  }

  /** A tool as it is scripted, as the SDK has it, and what a server answers to its call. */
  record Offered(
      Script.Tool scripted, Tool tool, Function<ScriptedServer, Mono<CallToolResult>> answer) {}

  private final Script script;
  private final boolean tells;
  private final List<List<Offered>> stages = new ArrayList<>();

  /** Puts a script into the SDK's types, if they hold it. */
  Offer(Script script, Process process) throws Unsupported {
    this.script = script;
    this.tells = script.tells();
    for (Script.Stage stage : script.stages()) {
      List<Offered> offered = new ArrayList<>();
      for (Script.Tool tool : stage.tools()) {
        Tool typed = typed("the tool", tool.definition(), Tool.class);
        offered.add(new Offered(tool, typed, answer(tool.reply(), process)));
      }
      stages.add(offered);
    }
  }

  /** Returns whether the tools ever change. */
  boolean changes() {
    return script.changes();
  }

  /** Returns whether its changes are told. */
  boolean tells() {
    return tells;
  }

  /** The tools of a stage; past the last one, that stays. */
  List<Offered> stage(int stage) {
    return stages.get(Math.min(stage, stages.size() - 1));
  }

  private static Function<ScriptedServer, Mono<CallToolResult>> answer(
      Script.Reply reply, Process process) throws Unsupported {
    if (reply instanceof Script.Reply.Result result) {
      CallToolResult typed = typed("the result", result.members(), CallToolResult.class);
      return server -> Mono.just(typed);
    }
    if (reply instanceof Script.Reply.Error error) {
      JSONRPCError typed = typed("the error", error.members(), JSONRPCError.class);
      return server -> Mono.error(new McpError(typed));
    }
    if (reply instanceof Script.Reply.Exit exit) {
      if (process == Process.OF_MANY_SESSIONS) {
        throw new Unsupported("the SDK's HTTP server cannot drop one connection");
      }
      return server -> Mono.fromRunnable(() -> Runtime.getRuntime().halt(exit.status()));
    }
    return reply instanceof Script.Reply.Evolve ? ScriptedServer::evolve : ScriptedServer::silence;
  }

  /** {@link McpJsonMapper#convertValue} keeps the numbers that it is given, of any size. */
  private static <T> T typed(String what, Object value, Class<T> type) throws Unsupported {
    T typed;
    String written;
    try {
      typed = Sdk.MAPPER.convertValue(value, type);
      written = Sdk.written(typed);
    } catch (RuntimeException error) {
      throw new Unsupported("the SDK cannot represent " + what + " (" + error.getMessage() + ")");
    }
    Exact.same(what, value, written);
    return typed;
  }
}
