package mcpcompat.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * One session with a stdio server in memory, played when the adapter is set up.
 *
 * <p>A stdio server is a process for each session. Most of its time goes into loading classes, and
 * a JVM that is told to archives those that it has loaded when it ends.
 */
public final class Rehearsal {

  private static final List<String> REQUESTS =
      List.of(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
              + "\"capabilities\":{},\"clientInfo\":{\"name\":\"rehearsal\",\"version\":\"0\"}}}",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
              + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"count\",\"arguments\":{}}}");

  private Rehearsal() {}

  /** Starts a stdio server of a script, and returns before it ends. */
  public interface Start {
    void serve(Script script, InputStream requests, OutputStream answers) throws Unsupported;
  }

  /** Plays the session, and ends the process. */
  public static void run(Start start) throws IOException, Unsupported {
    PipedOutputStream requests = new PipedOutputStream();
    PipedOutputStream answers = new PipedOutputStream();
    BufferedReader answered =
        new BufferedReader(
            new InputStreamReader(new PipedInputStream(answers), StandardCharsets.UTF_8));
    start.serve(script(), new PipedInputStream(requests), answers);
    for (String request : REQUESTS) {
      requests.write((request + "\n").getBytes(StandardCharsets.UTF_8));
      requests.flush();
      answered.readLine();
    }
    System.exit(0);
  }

  private static Script script() {
    Map<String, Object> object = Map.of("type", "object");
    Map<String, Object> definition =
        Map.of("name", "count", "inputSchema", object, "outputSchema", object);
    Map<String, Object> text = Map.of("type", "text", "text", "{\"count\":3}");
    Map<String, Object> result =
        Map.of("structuredContent", Map.of("count", 3), "content", List.of(text));
    Script.Tool tool = new Script.Tool("count", definition, new Script.Reply.Result(result));
    return new Script(List.of(new Script.Stage(List.of(tool), false)), 0);
  }
}
