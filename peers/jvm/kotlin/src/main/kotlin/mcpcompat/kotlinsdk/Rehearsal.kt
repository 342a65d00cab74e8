package mcpcompat.kotlinsdk

import java.io.PipedInputStream
import java.io.PipedOutputStream
import kotlin.concurrent.thread
import kotlin.system.exitProcess
import kotlinx.coroutines.runBlocking
import mcpcompat.contract.Script

private val REQUESTS = listOf(
    """{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},""" +
        """"clientInfo":{"name":"rehearsal","version":"0"}}}""",
    """{"jsonrpc":"2.0","method":"notifications/initialized"}""" + "\n" +
        """{"jsonrpc":"2.0","id":2,"method":"tools/list"}""",
    """{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"count","arguments":{}}}""",
)

/**
 * Plays one session with a stdio server in memory, when the adapter is set up.
 *
 * A stdio server is a process for each session. Most of its time goes into loading classes, and a JVM that is told to
 * archives those that it has loaded when it ends.
 */
internal fun rehearse() {
    val requests = PipedOutputStream()
    val answers = PipedOutputStream()
    val answered = PipedInputStream(answers).bufferedReader()
    val input = PipedInputStream(requests)
    thread(isDaemon = true) { runBlocking { serve(Offer(script(), ownProcess = true), input, answers) } }
    for (request in REQUESTS) {
        requests.write((request + "\n").toByteArray())
        requests.flush()
        answered.readLine()
    }
    exitProcess(0)
}

private fun script(): Script {
    val schema = mapOf("type" to "object")
    val definition = mapOf("name" to "count", "inputSchema" to schema, "outputSchema" to schema)
    val text = mapOf("type" to "text", "text" to """{"count":3}""")
    val result = mapOf("structuredContent" to mapOf("count" to 3), "content" to listOf(text))
    val tool = Script.Tool("count", definition, Script.Reply.Result(result))
    return Script(listOf(Script.Stage(listOf(tool), false)), 0)
}
