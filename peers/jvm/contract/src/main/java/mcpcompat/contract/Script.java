package mcpcompat.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Script of a server, as far as an SDK leaves it to its user.
 *
 * <p>Reading refuses the rest: answers to other requests than calls, members left out, messages
 * before an answer, answers that wait for one another.
 *
 * @param stages the tools, and what they become with each evolution; the last one stays
 * @param pageSize how many tools a page of the list holds; 0: all
 */
public record Script(List<Stage> stages, int pageSize) {

  /** Names the file with a stdio server's script. */
  private static final String VARIABLE = "MCP_COMPAT_SCENARIO";

  /** The tools for some time; {@code told}: whether the step into this stage is told. */
  public record Stage(List<Tool> tools, boolean told) {}

  /** A tool, its definition as in {@code tools/list}, and its one answer. */
  public record Tool(String name, Map<String, Object> definition, Reply reply) {}

  /** Answer to a call. */
  public sealed interface Reply {

    /** A result. */
    record Result(Map<String, Object> members) implements Reply {}

    /** A JSON-RPC error object. */
    record Error(Map<String, Object> members) implements Reply {}

    /** No answer, ever. */
    record Hang() implements Reply {}

    /** The end of the process. */
    record Exit(int status) implements Reply {}

    /** The step to the next stage. */
    record Evolve() implements Reply {}
  }

  /** Returns whether the tools ever change. */
  public boolean changes() {
    return stages.size() > 1;
  }

  /**
   * Returns whether the changes of the tools are told. Refuses what both SDKs leave to nobody:
   * several pages of tools, and a choice between the changes that are told.
   */
  public boolean tells() throws Unsupported {
    if (pageSize > 0 && stages.stream().anyMatch(stage -> stage.tools().size() > pageSize)) {
      throw new Unsupported("the SDK answers tools/list itself, on one page");
    }
    List<Boolean> told = stages.stream().skip(1).map(Stage::told).distinct().toList();
    if (told.size() > 1) {
      throw new Unsupported("the SDK notifies clients of every change of tools or of none");
    }
    return told.contains(true);
  }

  /** Reads the script of a stdio server. */
  public static Script fromEnvironment() throws Unsupported {
    String path = System.getenv(VARIABLE);
    if (path == null) {
      throw new Unsupported(VARIABLE + " is not set");
    }
    try {
      return of(JsonReader.read(Files.readString(Path.of(path))).kept());
    } catch (IOException | IllegalArgumentException error) {
      throw new Unsupported(path + ": " + error.getMessage());
    }
  }

  /** Reads a script. */
  static Script of(Object value) throws Unsupported {
    Members script = new Members("script", value);
    script.string("scenario");
    if (!script.list("answers").isEmpty()) {
      throw new Unsupported(
          "the SDK's server API cannot script answers to requests other than tools/call");
    }
    if (script.has("list") && !script.object("list").isEmpty()) {
      throw new Unsupported("the SDK cannot add members to the result of tools/list");
    }
    allThatTheRevisionAsks(script.list("list_without"));
    List<Stage> stages = new ArrayList<>();
    for (Object stage : script.list("stages")) {
      stages.add(stage(new Members("stage", stage)));
    }
    int pageSize = script.has("page_size") ? (int) script.whole("page_size") : 0;
    script.end();
    return new Script(stages, pageSize);
  }

  private static Stage stage(Members stage) throws Unsupported {
    List<Tool> tools = new ArrayList<>();
    for (Object tool : stage.list("tools")) {
      tools.add(tool(new Members("tool", tool)));
    }
    boolean told = stage.flag("told", false);
    stage.end();
    return new Stage(tools, told);
  }

  private static Tool tool(Members tool) throws Unsupported {
    allThatTheRevisionAsks(tool.list("without"));
    if (!tool.list("before").isEmpty()) {
      throw new Unsupported("the SDK's server API cannot send a scripted message before an answer");
    }
    if (tool.has("answers_after")) {
      throw new Unsupported("the adapter cannot delay one answer until after another");
    }
    Tool read =
        new Tool(tool.string("name"), tool.object("definition"), reply(tool.members("reply")));
    tool.end();
    return read;
  }

  private static Reply reply(Members reply) throws Unsupported {
    String kind = reply.only();
    return switch (kind) {
      case "result" -> new Reply.Result(reply.object(kind));
      case "error" -> new Reply.Error(reply.object(kind));
      case "raw" -> throw new Unsupported("the SDK's server API cannot send raw bytes");
      case "hang" -> new Reply.Hang();
      case "exit" -> new Reply.Exit((int) reply.members(kind).whole("status"));
      case "evolve" -> new Reply.Evolve();
      default -> throw new Unsupported("this adapter does not support the reply `" + kind + "`");
    };
  }

  private static void allThatTheRevisionAsks(List<?> without) throws Unsupported {
    if (!without.isEmpty()) {
      throw new Unsupported("the SDK's server API adds the members that the revision requires");
    }
  }
}
