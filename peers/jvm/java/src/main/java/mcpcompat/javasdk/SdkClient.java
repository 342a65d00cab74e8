package mcpcompat.javasdk;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.net.URI;
import java.util.List;
import mcpcompat.contract.Client;
import mcpcompat.contract.Job;
import mcpcompat.contract.PeerError;
import mcpcompat.contract.Unsupported;

/** Opens sessions with the SDK's blocking client, as it comes. */
final class SdkClient implements Client {

  @Override
  public void check(Job job) throws Unsupported {
    if (job.mode().isPresent()) {
      throw new Unsupported("the SDK does not let its user choose how to negotiate");
    }
  }

  @Override
  public Session connect(Job job) {
    Changes changes = new Changes();
    McpSyncClient client =
        McpClient.sync(transport(job.server()))
            .toolsChangeConsumer(tools -> changes.tell())
            .build();
    try {
      return new SdkSession(client, client.initialize(), changes);
    } catch (RuntimeException error) {
      client.close();
      throw error;
    }
  }

  private static McpClientTransport transport(Job.Server server) {
    if (server instanceof Job.Server.Stdio stdio) {
      List<String> command = stdio.command();
      ServerParameters parameters =
          ServerParameters.builder(command.get(0))
              .args(command.subList(1, command.size()))
              .env(stdio.environment())
              .build();
      return new StdioClientTransport(parameters, Sdk.MAPPER);
    }
    URI url = URI.create(((Job.Server.Http) server).url());
    return HttpClientStreamableHttpTransport.builder(url.getScheme() + "://" + url.getAuthority())
        .endpoint(url.getPath())
        .build();
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
