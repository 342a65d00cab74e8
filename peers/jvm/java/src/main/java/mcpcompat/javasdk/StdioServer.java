package mcpcompat.javasdk;

import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import mcpcompat.contract.Script;
import mcpcompat.contract.Unsupported;

/** Serves one session over the standard streams. */
final class StdioServer {

  private StdioServer() {}

  /** Serves until the input ends, and ends the process. */
  static void run() throws Unsupported, InterruptedException {
    Input input = new Input(System.in);
    start(Script.fromEnvironment(), input, System.out);
    input.end.await();
    System.exit(0);
  }

  /** Starts a server of one session over two streams. */
  static void start(Script script, InputStream input, OutputStream output) throws Unsupported {
    var transport = new StdioServerTransportProvider(Sdk.MAPPER, input, output);
    new ScriptedServer(McpServer.async(transport), new Offer(script, Offer.Process.OF_ONE_SESSION));
  }

  /**
   * Standard input that tells of its end: the SDK stops its own work there, and leaves the process
   * to its author.
   */
  private static final class Input extends FilterInputStream {

    private final CountDownLatch end = new CountDownLatch(1);

    Input(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      return noted(super.read());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return noted(super.read(bytes, offset, length));
    }

    private int noted(int read) {
      if (read < 0) {
        end.countDown();
      }
      return read;
    }
  }
}
