package mcpcompat.kotlinsdk

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.net.InetAddress
import java.net.InetSocketAddress
import java.time.Duration
import java.util.Optional
import mcpcompat.contract.Client
import mcpcompat.contract.Job
import mcpcompat.contract.JsonReader
import mcpcompat.contract.JsonWriter
import mcpcompat.contract.PeerError
import mcpcompat.contract.Script
import mcpcompat.contract.StepAnswer
import mcpcompat.contract.Unsupported
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test

private val ID = Regex(""""id":("?[^",}]+"?)""")

private const val OPENING =
    """{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"wire","version":"0"}}"""

/** The adapter reports the values of the SDK's public API. Differences from the wire show in the report. */
class PublicResultTest {
    private var result = "{}"
    private val wire = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0).apply {
        createContext("/mcp", ::answer)
        start()
    }

    @AfterEach
    fun close() = wire.stop(0)

    /** Answers on the wire by hand: the opening as a server would, anything else with [result]. */
    private fun answer(exchange: HttpExchange) {
        val request = exchange.requestBody.readAllBytes().decodeToString()
        val id = ID.find(request)?.groupValues?.get(1)
        if (id == null) {
            exchange.sendResponseHeaders(if (request.isEmpty()) 405 else 202, -1)
            return
        }
        val said = if (""""initialize"""" in request) OPENING else result
        val body = """{"jsonrpc":"2.0","id":$id,"result":$said}""".toByteArray()
        exchange.responseHeaders.set("Content-Type", "application/json")
        exchange.sendResponseHeaders(200, body.size.toLong())
        exchange.responseBody.use { it.write(body) }
    }

    private fun <T> session(onTheWire: String, use: (Client.Session) -> T): T {
        result = onTheWire
        val server = Job.Server.Http("http://127.0.0.1:${wire.address.port}/mcp")
        val limit = Duration.ofSeconds(5)
        val session = SdkClient().connect(Job(1, "by/hand", server, Optional.empty(), listOf(), limit, limit))
        return try {
            use(session)
        } finally {
            session.close()
        }
    }

    private fun called(onTheWire: String): StepAnswer.Called = session(onTheWire) { it.call("any", mapOf()) }

    @Test
    fun `a number is kept as it is written`() {
        val number = """{"pi":3.14159265358979323846}"""
        val value = called("""{"content":[],"structuredContent":$number}""").structured().value()
        assertEquals(number, JsonWriter.write(value))
    }

    @Test
    fun `a null is nothing`() {
        assertFalse(called("""{"content":[],"structuredContent":null}""").structured().present())
    }

    @Test
    fun `a number for a text is read as text`() {
        assertEquals(
            listOf(mapOf("text" to "7", "type" to "text")),
            called("""{"content":[{"type":"text","text":7}]}""").content(),
        )
    }

    @Test
    fun `a list is told as what could not be read`() {
        val thrown = assertThrows(Exception::class.java) { called("""{"content":[],"structuredContent":[1]}""") }
        assertEquals(PeerError.Layer.DECODE, SdkClient().error(thrown).layer())
    }

    @Test
    fun `a schema loses what the types do not know`() {
        val schema = """{"type":"array","items":{"type":"string"},"required":["a"]}"""
        val tools = """{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":$schema}]}"""
        val listed = session(tools) { it.list() }.single().outputSchema().get()
        assertEquals(JsonReader.read("""{"required":["a"],"type":"array"}""").value(), listed)
    }

    @Test
    fun `a script that the types do not hold is refused`() {
        val reply = Script.Reply.Result(mapOf("content" to listOf<Any>(), "mood" to "good"))
        val tool = Script.Tool("a", mapOf("name" to "a", "inputSchema" to mapOf("type" to "object")), reply)
        val script = Script(listOf(Script.Stage(listOf(tool), false)), 0)
        val reason = assertThrows(Unsupported::class.java) { Offer(script, ownProcess = true) }
        assertEquals("the SDK changes /mood in the result", reason.message)
    }
}
