package mcpcompat.javasdk;

import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import mcpcompat.contract.Unsupported;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A server of the SDK with one script's tools, and how far it has come in the script. */
final class ScriptedServer {

  private final Offer offer;
  private final McpAsyncServer server;
  private final AtomicInteger stage = new AtomicInteger();
  private final Sinks.Empty<CallToolResult> end = Sinks.empty();

  /** Makes a server; {@code specification} has its transport, and the SDK's defaults. */
  ScriptedServer(McpServer.AsyncSpecification<?> specification, Offer offer) throws Unsupported {
    this.offer = offer;
    try {
      this.server =
          specification
              .capabilities(ServerCapabilities.builder().tools(offer.tells()).build())
              .tools(offer.stage(0).stream().map(this::specification).toList())
              .build();
    } catch (RuntimeException | StackOverflowError error) {
      throw new Unsupported("the SDK rejects the tools (" + error + ")");
    }
  }

  private AsyncToolSpecification specification(Offer.Offered offered) {
    return AsyncToolSpecification.builder()
        .tool(offered.tool())
        .callHandler((exchange, request) -> offered.answer().apply(this))
        .build();
  }

  /** Goes to the next stage. The SDK tells of each tool that goes or comes, if it tells at all. */
  Mono<CallToolResult> evolve() {
    int next = stage.incrementAndGet();
    List<Offer.Offered> before = offer.stage(next - 1);
    List<Offer.Offered> after = offer.stage(next);
    int same = 0;
    while (same < Math.min(before.size(), after.size())
        && before.get(same).scripted().equals(after.get(same).scripted())) {
      same++;
    }
    // Tools after the first change go as well, so that the list keeps its order.
    Mono<Void> gone =
        Flux.fromIterable(before.subList(same, before.size()))
            .concatMap(offered -> server.removeTool(offered.tool().name()))
            .then();
    Mono<Void> come =
        Flux.fromIterable(after.subList(same, after.size()))
            .concatMap(offered -> server.addTool(specification(offered)))
            .then();
    return gone.then(come)
        .then(
            Mono.fromSupplier(
                () -> CallToolResult.builder().addTextContent("the tools have changed").build()));
  }

  /** No answer until the server ends. */
  Mono<CallToolResult> silence() {
    return end.asMono();
  }

  /** Ends the server and its sessions. */
  void close() {
    end.tryEmitEmpty();
    server.closeGracefully().subscribe();
  }
}
