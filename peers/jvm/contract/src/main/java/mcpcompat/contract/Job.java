package mcpcompat.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One session that a client is asked to play.
 *
 * @param id given back in the answer
 * @param scenario for logs
 * @param server where the server is
 * @param mode how to negotiate, for an SDK that has a choice
 * @param steps what to do, in order
 * @param connectLimit until a session stands
 * @param stepLimit for each step
 */
public record Job(
    long id,
    String scenario,
    Server server,
    Optional<String> mode,
    List<Step> steps,
    Duration connectLimit,
    Duration stepLimit) {

  /** Address of the server. */
  public sealed interface Server {

    /** A command to start, with variables to set beside the inherited ones. */
    record Stdio(List<String> command, Map<String, String> environment) implements Server {}

    /** A streamable HTTP endpoint. */
    record Http(String url) implements Server {}
  }

  /** One thing to do. */
  public sealed interface Step {

    /** List all tools. */
    record ListTools() implements Step {}

    /**
     * Call a tool.
     *
     * @param atOnce whether it is sent together with the step before
     * @param feed arguments from the structured content of the call before: pointer into the
     *     arguments to pointer into the value
     */
    record Call(
        String tool, Map<String, Object> arguments, boolean atOnce, Map<String, String> feed)
        implements Step {}

    /** Call the evolve tool; {@code told}: the server will tell of the change. */
    record Evolve(boolean told) implements Step {}
  }

  /** Reads a job off the value of its line. */
  static Job of(Object value) throws Unsupported {
    Members job = new Members("job", value);
    Members deadlines = job.members("deadlines");
    List<Step> steps = new ArrayList<>();
    for (Object step : job.list("steps")) {
      steps.add(step(new Members("step", step)));
    }
    Job read =
        new Job(
            job.whole("id"),
            job.string("scenario"),
            server(job.members("server")),
            job.has("mode") ? Optional.of(job.string("mode")) : Optional.empty(),
            steps,
            Duration.ofMillis(deadlines.whole("connect_ms")),
            Duration.ofMillis(deadlines.whole("step_ms")));
    deadlines.end();
    job.end();
    return read;
  }

  private static Server server(Members server) throws Unsupported {
    String kind = server.only();
    Members address = server.members(kind);
    Server read =
        switch (kind) {
          case "stdio" ->
              new Server.Stdio(
                  address.strings("command"),
                  address.has("env") ? strings(address.object("env")) : Map.of());
          case "http" -> new Server.Http(address.string("url"));
          default -> throw new Unsupported("this adapter does not support the server address `" + kind + "`");
        };
    address.end();
    return read;
  }

  private static Step step(Members step) throws Unsupported {
    String kind = step.only();
    Members of = step.members(kind);
    Step read =
        switch (kind) {
          case "list" -> new Step.ListTools();
          case "call" ->
              new Step.Call(
                  of.string("tool"),
                  of.object("arguments"),
                  of.flag("at_once", false),
                  of.has("feed") ? strings(of.object("feed")) : Map.of());
          case "evolve" -> new Step.Evolve(of.flag("told", false));
          default -> throw new Unsupported("this adapter does not support the step `" + kind + "`");
        };
    of.end();
    return read;
  }

  private static Map<String, String> strings(Map<String, Object> object) {
    Map<String, String> strings = new LinkedHashMap<>();
    object.forEach((key, value) -> strings.put(key, value.toString()));
    return strings;
  }
}
