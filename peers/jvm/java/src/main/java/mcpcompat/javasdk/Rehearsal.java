package mcpcompat.javasdk;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;

/**
 * One session with a stdio server in memory, played when the adapter is set up.
 *
 * <p>A stdio server is a process for each session. Most of its time goes into loading classes, and
 * a JVM that is told to archives those that it has loaded when it ends.
 */
final class Rehearsal {

  private static final List<String> REQUESTS =
      List.of(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
              + "\"capabilities\":{},\"clientInfo\":{\"name\":\"rehearsal\",\"version\":\"0\"}}}",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
              + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}",
          "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"count\",\"arguments\":{}}}");

  private Rehearsal() {}

  /** Plays the session, and ends the process. */
  static void run() throws IOException, Unsupported {
    PipedOutputStream requests = new PipedOutputStream();
    PipedOutputStream answers = new PipedOutputStream();
    BufferedReader answered =
        new BufferedReader(
            new InputStreamReader(new PipedInputStream(answers), StandardCharsets.UTF_8));
    var transport =
        new StdioServerTransportProvider(Sdk.MAPPER, new PipedInputStream(requests), answers);
    new ScriptedServer(
        McpServer.async(transport), new Offer(script(), Offer.Process.OF_ONE_SESSION));
    for (String request : REQUESTS) {
      requests.write((request + "\n").getBytes(StandardCharsets.UTF_8));
      requests.flush();
      answered.readLine();
    }
    System.exit(0);
  }

  private static Script script() {
    Map<String, Object> definition =
        Map.of(
            "name",
            "count",
            "inputSchema",
            Map.of("type", "object"),
            "outputSchema",
            Map.of("type", "object"));
    Map<String, Object> result =
        Map.of(
            "structuredContent",
            Map.of("count", 3),
            "content",
            List.of(Map.of("type", "text", "text", "{\"count\":3}")));
    Script.Tool tool = new Script.Tool("count", definition, new Script.Reply.Result(result));
    return new Script(List.of(new Script.Stage(List.of(tool), false)), 0);
  }
}
