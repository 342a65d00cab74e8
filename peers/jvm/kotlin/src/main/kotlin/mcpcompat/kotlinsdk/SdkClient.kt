package mcpcompat.kotlinsdk

import io.ktor.client.HttpClient
import io.ktor.client.engine.cio.CIO
import io.ktor.client.plugins.sse.SSE
import io.modelcontextprotocol.kotlin.sdk.client.Client as McpClient
import io.modelcontextprotocol.kotlin.sdk.client.StdioClientTransport
import io.modelcontextprotocol.kotlin.sdk.client.mcpStreamableHttpTransport
import io.modelcontextprotocol.kotlin.sdk.shared.Transport
import io.modelcontextprotocol.kotlin.sdk.types.Implementation
import io.modelcontextprotocol.kotlin.sdk.types.Method
import io.modelcontextprotocol.kotlin.sdk.types.ToolListChangedNotification
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import mcpcompat.contract.Client
import mcpcompat.contract.Job
import mcpcompat.contract.PeerError
import mcpcompat.contract.Unsupported

/** Opens sessions with the SDK's client, as it comes. */
internal class SdkClient : Client {
    override fun check(job: Job) {
        if (job.mode().isPresent) throw Unsupported("the SDK does not let its user choose how to negotiate")
    }

    override fun connect(job: Job): Client.Session {
        val connection = when (val server = job.server()) {
            is Job.Server.Stdio -> OverStdio(server)
            is Job.Server.Http -> OverHttp(server)
        }
        val client = McpClient(Implementation(name = "mcp-compat", version = "0"))
        val changes = Client.Changes()
        client.setNotificationHandler<ToolListChangedNotification>(Method.Defined.NotificationsToolsListChanged) {
            changes.tell()
            CompletableDeferred(Unit)
        }
        try {
            runBlocking { client.connect(connection.transport) }
        } catch (error: Throwable) {
            connection.close()
            throw error
        }
        return SdkSession(client, connection, changes)
    }

    override fun connectError(thrown: Throwable): PeerError = ofConnecting(thrown)

    override fun error(thrown: Throwable): PeerError = ofRequest(thrown)
}

/** A transport of the SDK, and what it leaves to its user to open and to close. */
internal sealed interface Connection : AutoCloseable {
    val transport: Transport
}

private class OverHttp(server: Job.Server.Http) : Connection {
    private val http = HttpClient(CIO) { install(SSE) }

    override val transport = http.mcpStreamableHttpTransport(server.url())

    override fun close() = http.close()
}

private class OverStdio(server: Job.Server.Stdio) : Connection {
    private val process =
        ProcessBuilder(server.command())
            .apply { environment().putAll(server.environment()) }
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()

    override val transport =
        StdioClientTransport(
            input = process.inputStream.asSource().buffered(),
            output = process.outputStream.asSink().buffered(),
        )

    /** Asks the server to go by the end of its input, then by a signal, and then no more. */
    override fun close() {
        runCatching { process.outputStream.close() }
        if (process.waitFor(1, TimeUnit.SECONDS)) return
        process.destroy()
        if (process.waitFor(2, TimeUnit.SECONDS)) return
        process.destroyForcibly()
    }
}
