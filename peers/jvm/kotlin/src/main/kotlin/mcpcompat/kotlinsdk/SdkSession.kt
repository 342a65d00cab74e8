package mcpcompat.kotlinsdk

import io.modelcontextprotocol.kotlin.sdk.client.Client as McpClient
import io.modelcontextprotocol.kotlin.sdk.types.ListToolsRequest
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.PaginatedRequestParams
import java.util.Optional
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.encodeToJsonElement
import mcpcompat.contract.Client
import mcpcompat.contract.StepAnswer

/** A session of the SDK's client. */
internal class SdkSession(
    private val client: McpClient,
    private val connection: Connection,
    private val changes: Client.Changes,
) : Client.Session {
    /** The SDK checks the revision that the server names, and keeps it to itself. */
    override fun negotiated(): Optional<String> = Optional.empty()

    override fun list(): List<StepAnswer.Tool> = runBlocking {
        buildList {
            var cursor: String? = null
            do {
                val page = client.listTools(ListToolsRequest(PaginatedRequestParams(cursor = cursor)))
                page.tools.forEach { tool ->
                    val schema = tool.outputSchema?.let { plain(McpJson.encodeToJsonElement(it)) }
                    add(StepAnswer.Tool(tool.name, Optional.ofNullable(schema)))
                }
                cursor = page.nextCursor
            } while (cursor != null)
        }
    }

    override fun call(tool: String, arguments: Map<String, Any?>): StepAnswer.Called = runBlocking {
        val result = client.callTool(tool, arguments)
        StepAnswer.Called(
            result.structuredContent?.let { StepAnswer.Structured.of(plain(it)) } ?: StepAnswer.Structured.absent(),
            result.content.map { plain(McpJson.encodeToJsonElement(it)) },
            result.isError == true,
        )
    }

    override fun changes(): Client.Changes = changes

    /** The connection first: the SDK's client waits for a read that only the end of the server ends. */
    override fun close() {
        connection.close()
        runBlocking { client.close() }
    }
}
