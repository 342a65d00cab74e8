package mcpcompat.contract;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** The HTTP server's loop: a script a line, each served at its own path of one listener. */
public final class HostingLoop {

  private final Host host;
  private final Output output;

  private HostingLoop(Host host, Output output) {
    this.host = host;
    this.output = output;
  }

  /** Serves scripts until the input ends, and ends the process. */
  public static void run(Callable<Host> start) throws Exception {
    Output output = new Output();
    HostingLoop loop = new HostingLoop(start.call(), output);
    output.say(loop.host.base().toString());
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      loop.take(line);
    }
    System.exit(0);
  }

  private void take(String line) {
    Map<String, Object> hosted = new LinkedHashMap<>();
    try {
      JsonReader.Document document = JsonReader.read(line);
      hosted.put("id", new Members("hosting", document.value()).whole("id"));
      take(new Members("hosting", document.kept()));
    } catch (Unsupported reason) {
      hosted.put("unsupported", reason.getMessage());
    } catch (IllegalArgumentException error) {
      hosted.put("unsupported", error.getMessage());
    }
    if (hosted.containsKey("id")) {
      output.say(JsonWriter.write(hosted));
    } else {
      System.err.println("a line that is no hosting: " + hosted.get("unsupported"));
    }
  }

  private void take(Members hosting) throws Unsupported {
    String path = hosting.string("path");
    if (hosting.has("script")) {
      host.serve(path, Script.of(hosting.any("script")));
    } else {
      host.stop(path);
    }
  }
}
