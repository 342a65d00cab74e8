package mcpcompat.kotlinsdk

import kotlin.concurrent.thread
import kotlinx.coroutines.runBlocking
import mcpcompat.contract.ClientLoop
import mcpcompat.contract.HostingLoop
import mcpcompat.contract.Rehearsal
import mcpcompat.contract.Unsupported

/**
 * The Kotlin SDK behind the peer contract: `client`, `server` over stdio, `server --http`; `rehearse` when it is set up.
 */
fun main(arguments: Array<String>) {
    try {
        when (arguments.joinToString(" ")) {
            "client" -> ClientLoop.run(SdkClient())
            "server" -> serveStdio()
            "server --http" -> HostingLoop.run(::HttpHost)
            "rehearse" -> Rehearsal.run { script, input, output ->
                thread(isDaemon = true) { runBlocking { serve(Offer(script, ownProcess = true), input, output) } }
            }
            else -> throw Unsupported("expected `client`, `server` or `server --http`")
        }
    } catch (reason: Unsupported) {
        reason.exit()
    }
}
