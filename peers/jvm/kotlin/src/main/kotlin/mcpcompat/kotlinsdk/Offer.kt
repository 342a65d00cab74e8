package mcpcompat.kotlinsdk

import io.modelcontextprotocol.kotlin.sdk.types.CallToolResult
import io.modelcontextprotocol.kotlin.sdk.types.McpJson
import io.modelcontextprotocol.kotlin.sdk.types.Tool
import kotlinx.coroutines.awaitCancellation
import kotlinx.serialization.json.decodeFromJsonElement
import mcpcompat.contract.Exact
import mcpcompat.contract.Script
import mcpcompat.contract.Unsupported

/** Answer of a scripted server to a call. */
internal typealias Answer = suspend (ScriptedServer) -> CallToolResult

/** A tool as it is scripted, as the SDK has it, and what a server answers to its call. */
internal class Offered(
    val scripted: Script.Tool,
    val tool: Tool,
    val answer: Answer,
)

/** A script in the SDK's own types, proven to give back exactly what the script says. */
internal class Offer(private val script: Script, private val ownProcess: Boolean) {
    /** True if the changes of the tools are told. */
    val tells: Boolean = script.tells()

    private val stages: List<List<Offered>> = script.stages().map { stage ->
        stage.tools().map { Offered(it, typed<Tool>("the tool", it.definition()), answer(it.reply())) }
    }

    /** The tools of a stage; past the last one, that stays. */
    fun stage(stage: Int): List<Offered> = stages[minOf(stage, stages.lastIndex)]

    private fun answer(reply: Script.Reply): Answer = when (reply) {
        is Script.Reply.Result -> given(typed("the result", reply.members()))
        is Script.Reply.Error -> throw Unsupported("the SDK turns every exception of a tool into a tool error")
        is Script.Reply.Hang -> silence
        is Script.Reply.Exit -> if (ownProcess) exit(reply.status()) else throw Unsupported(NO_DROPPING)
        is Script.Reply.Evolve -> ScriptedServer::evolve
    }

    private inline fun <reified T> typed(what: String, value: Any): T {
        val typed = try {
            McpJson.decodeFromJsonElement<T>(element(value))
        } catch (error: IllegalArgumentException) {
            throw Unsupported("the SDK cannot represent $what (${error.message?.lineSequence()?.first()})")
        }
        Exact.same(what, value, McpJson.encodeToString(typed))
        return typed
    }
}

private const val NO_DROPPING = "the SDK's HTTP server cannot drop one connection"

private val silence: Answer = { awaitCancellation() }

private fun given(result: CallToolResult): Answer = { result }

private fun exit(status: Int): Answer = {
    Runtime.getRuntime().halt(status)
    awaitCancellation()
}
