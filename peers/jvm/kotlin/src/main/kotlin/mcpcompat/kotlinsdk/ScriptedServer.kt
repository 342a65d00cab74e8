package mcpcompat.kotlinsdk

import io.modelcontextprotocol.kotlin.sdk.server.RegisteredTool
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.ServerOptions
import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.ServerCapabilities
import io.modelcontextprotocol.kotlin.sdk.types.TextContent
import java.util.concurrent.atomic.AtomicInteger

/** A server of the SDK for one session, with one script's tools, and how far it has come in the script. */
internal class ScriptedServer(private val offer: Offer) {
    private val stage = AtomicInteger()

    /** The SDK's server. */
    val server =
        Server(
            Implementation(name = "mcp-compat", version = "0"),
            ServerOptions(ServerCapabilities(tools = ServerCapabilities.Tools(listChanged = offer.tells))),
        ).apply { addTools(offer.stage(0).map(::registered)) }

    private fun registered(offered: Offered) = RegisteredTool(offered.tool) { offered.answer(this@ScriptedServer) }

    /** Goes to the next stage. The SDK tells of each tool that goes or comes, if it tells at all. */
    suspend fun evolve(): CallToolResult {
        val next = stage.incrementAndGet()
        val before = offer.stage(next - 1)
        val after = offer.stage(next)
        val same = before.zip(after).takeWhile { (one, other) -> one.scripted == other.scripted }.size
        // Tools after the first change go as well, so that the list keeps its order.
        server.removeTools(before.drop(same).map { it.tool.name })
        server.addTools(after.drop(same).map(::registered))
        return CallToolResult(listOf(TextContent("the tools have changed")))
    }
}
