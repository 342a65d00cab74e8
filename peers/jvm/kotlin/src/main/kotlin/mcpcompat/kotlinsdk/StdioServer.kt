package mcpcompat.kotlinsdk

import io.modelcontextprotocol.kotlin.sdk.server.StdioServerTransport
import java.io.InputStream
import java.io.OutputStream
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.runBlocking
import kotlinx.io.asSink
import kotlinx.io.asSource
import kotlinx.io.buffered
import kotlin.system.exitProcess
import mcpcompat.contract.Script

/** Serves one session over the standard streams until it ends, and ends the process. */
internal fun serveStdio() {
    val offer = Offer(Script.fromEnvironment(), ownProcess = true)
    runBlocking { serve(offer, System.`in`, System.out) }
    exitProcess(0)
}

/** Serves one session over two streams until it ends. */
internal suspend fun serve(offer: Offer, input: InputStream, output: OutputStream) {
    val transport = StdioServerTransport(input.asSource().buffered(), output.asSink().buffered())
    val ended = CompletableDeferred<Unit>()
    transport.onClose { ended.complete(Unit) }
    ScriptedServer(offer).server.createSession(transport)
    ended.await()
}
