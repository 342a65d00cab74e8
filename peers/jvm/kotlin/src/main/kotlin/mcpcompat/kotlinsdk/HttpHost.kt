package mcpcompat.kotlinsdk

import io.ktor.http.HttpStatusCode
import io.ktor.server.application.ApplicationCallPipeline
import io.ktor.server.application.call
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.ktor.server.request.path
import io.ktor.server.response.respond
import io.modelcontextprotocol.kotlin.sdk.server.Server
import io.modelcontextprotocol.kotlin.sdk.server.mcpStreamableHttp
import java.net.URI
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import kotlinx.coroutines.runBlocking
import mcpcompat.contract.Host
import mcpcompat.contract.Script

/** One of the SDK's endpoints for all paths. It makes a server for each session: the one that its path stands for. */
internal class HttpHost : Host {
    private val paths = ConcurrentHashMap<String, Hosted>()

    private val engine =
        embeddedServer(CIO, host = "127.0.0.1", port = 0) {
            intercept(ApplicationCallPipeline.Plugins) {
                if (!paths.containsKey(call.request.path())) {
                    call.respond(HttpStatusCode.NotFound)
                    finish()
                }
            }
            mcpStreamableHttp(path = "/{path...}") { paths.getValue(call.request.path()).server() }
        }.start()

    private class Hosted(val offer: Offer) {
        val servers = ConcurrentLinkedQueue<Server>()

        fun server(): Server = ScriptedServer(offer).server.also(servers::add)
    }

    override fun base(): URI {
        val port = runBlocking { engine.engine.resolvedConnectors().first().port }
        return URI("http://127.0.0.1:$port")
    }

    override fun serve(path: String, script: Script) {
        val hosted = Hosted(Offer(script, ownProcess = false))
        stop(path)
        paths[path] = hosted
    }

    override fun stop(path: String) {
        val servers = paths.remove(path)?.servers ?: return
        runBlocking { servers.forEach { it.close() } }
    }
}
