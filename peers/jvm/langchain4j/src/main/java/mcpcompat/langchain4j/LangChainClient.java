package mcpcompat.langchain4j;

import dev.langchain4j.mcp.client.DefaultMcpClient;
import dev.langchain4j.mcp.client.McpClientListener;
import dev.langchain4j.mcp.client.transport.McpTransport;
import dev.langchain4j.mcp.client.transport.http.StreamableHttpMcpTransport;
import dev.langchain4j.mcp.client.transport.stdio.StdioMcpTransport;
import mcpcompat.contract.Client;
import mcpcompat.contract.Job;
import mcpcompat.contract.PeerError;
import mcpcompat.contract.Unsupported;

/** Opens sessions with LangChain4j's client, as it comes. */
final class LangChainClient implements Client {

  @Override
  public void check(Job job) throws Unsupported {
    if (job.mode().isPresent()) {
      throw new Unsupported("the SDK does not let its user choose how to negotiate");
    }
  }

  @Override
  public Session connect(Job job) throws Exception {
    Changes changes = new Changes();
    McpClientListener listener =
        new McpClientListener() {
          @Override
          public void onNotificationToolsListChanged() {
            changes.tell();
          }
        };
    McpTransport transport = transport(job.server());
    try {
      DefaultMcpClient client =
          DefaultMcpClient.builder().transport(transport).addListener(listener).build();
      return new LangChainSession(client, changes);
    } catch (RuntimeException error) {
      transport.close();
      throw error;
    }
  }

  private static McpTransport transport(Job.Server server) {
    if (server instanceof Job.Server.Stdio stdio) {
      return StdioMcpTransport.builder()
          .command(stdio.command())
          .environment(stdio.environment())
          .build();
    }
    return StreamableHttpMcpTransport.builder().url(((Job.Server.Http) server).url()).build();
  }

  @Override
  public PeerError connectError(Throwable thrown) {
    return Errors.ofConnecting(thrown);
  }

  @Override
  public PeerError error(Throwable thrown) {
    return Errors.ofRequest(thrown);
  }
}
