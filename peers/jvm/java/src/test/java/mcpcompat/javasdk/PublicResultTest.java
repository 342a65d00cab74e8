package mcpcompat.javasdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mcpcompat.contract.Client;
import mcpcompat.contract.Job;
import mcpcompat.contract.PeerError;
import mcpcompat.contract.Script;
import mcpcompat.contract.StepAnswer;
import mcpcompat.contract.Unsupported;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The adapter reports the values of the SDK's public API. Differences from the wire show in the
 * report.
 */
final class PublicResultTest {

  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]+)\"");

  private HttpServer wire;
  private String result = "{}";

  @BeforeEach
  void open() throws IOException {
    wire = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    wire.createContext("/mcp", this::answer);
    wire.start();
  }

  @AfterEach
  void close() {
    wire.stop(0);
  }

  /** Answers on the wire by hand: the opening as a server would, a call with {@link #result}. */
  private void answer(HttpExchange exchange) throws IOException {
    String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Matcher id = ID.matcher(request);
    if (!id.find()) {
      exchange.sendResponseHeaders(request.isEmpty() ? 405 : 202, -1);
      return;
    }
    String opening =
        "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
            + "\"serverInfo\":{\"name\":\"wire\",\"version\":\"0\"}}";
    String said = request.contains("\"initialize\"") ? opening : result;
    byte[] body =
        ("{\"jsonrpc\":\"2.0\",\"id\":\"" + id.group(1) + "\",\"result\":" + said + "}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private StepAnswer.Called called(String onTheWire) throws Exception {
    result = onTheWire;
    Client.Session session = session();
    try {
      return session.call("any", Map.of());
    } finally {
      session.close();
    }
  }

  private Client.Session session() {
    Job.Server server =
        new Job.Server.Http("http://127.0.0.1:" + wire.getAddress().getPort() + "/mcp");
    Duration limit = Duration.ofSeconds(5);
    return new SdkClient()
        .connect(new Job(1, "by/hand", server, Optional.empty(), List.of(), limit, limit));
  }

  @Test
  void a_decimal_becomes_a_double() throws Exception {
    StepAnswer.Called called =
        called("{\"content\":[],\"structuredContent\":{\"pi\":3.14159265358979323846}}");
    assertEquals(StepAnswer.Structured.of(Map.of("pi", Math.PI)), called.structured());
  }

  @Test
  void a_null_is_nothing() throws Exception {
    assertFalse(called("{\"content\":[],\"structuredContent\":null}").structured().present());
  }

  @Test
  void of_a_key_that_is_there_twice_the_last_one_stays() throws Exception {
    StepAnswer.Called called = called("{\"content\":[],\"structuredContent\":{\"a\":1,\"a\":2}}");
    assertEquals(StepAnswer.Structured.of(Map.of("a", 2)), called.structured());
  }

  @Test
  void a_member_of_a_block_that_the_types_do_not_know_is_gone() throws Exception {
    StepAnswer.Called called =
        called("{\"content\":[{\"type\":\"text\",\"text\":\"a\",\"colour\":\"red\"}]}");
    assertEquals(List.of(Map.of("type", "text", "text", "a")), called.content());
  }

  @Test
  void a_block_of_an_unknown_type_is_told_as_what_could_not_be_read() {
    Exception thrown =
        assertThrows(Exception.class, () -> called("{\"content\":[{\"type\":\"json\"}]}"));
    assertEquals(PeerError.Layer.DECODE, new SdkClient().error(thrown).layer());
  }

  @Test
  void a_script_that_the_types_do_not_hold_is_refused() {
    Script.Reply reply = new Script.Reply.Result(Map.of("content", List.of(), "mood", "good"));
    Script.Tool tool =
        new Script.Tool("a", Map.of("name", "a", "inputSchema", Map.of("type", "object")), reply);
    Script script = new Script(List.of(new Script.Stage(List.of(tool), false)), 0);
    Unsupported reason =
        assertThrows(Unsupported.class, () -> new Offer(script, Offer.Process.OF_ONE_SESSION));
    assertEquals("the SDK changes /mood in the result", reason.getMessage());
  }
}
