package mcpcompat.kotlinsdk

import mcpcompat.contract.ClientLoop
import mcpcompat.contract.HostingLoop
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
            "rehearse" -> rehearse()
            else -> throw Unsupported("expected `client`, `server` or `server --http`")
        }
    } catch (reason: Unsupported) {
        reason.exit()
    }
}
