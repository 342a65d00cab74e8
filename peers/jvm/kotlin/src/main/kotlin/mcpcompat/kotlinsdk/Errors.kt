package mcpcompat.kotlinsdk

import io.modelcontextprotocol.kotlin.sdk.client.StreamableHttpError
import io.modelcontextprotocol.kotlin.sdk.types.McpException
import io.modelcontextprotocol.kotlin.sdk.types.RPCError
import java.io.IOException
import java.util.Optional
import kotlinx.serialization.SerializationException
import mcpcompat.contract.PeerError
import mcpcompat.contract.PeerError.Layer

/** No session came about. */
internal fun ofConnecting(thrown: Throwable): PeerError {
    val root = root(thrown)
    return PeerError(Layer.CONNECT, code(root), words(root))
}

/** A request failed. */
internal fun ofRequest(thrown: Throwable): PeerError {
    val root = root(thrown)
    val layer = layer(root)
    val code = if (layer == Layer.PROTOCOL) code(root) else Optional.empty()
    return PeerError(layer, code, words(root))
}

/** The SDK wraps what its transports throw into an exception of the kind that a server's error becomes. */
private fun root(thrown: Throwable): Throwable = generateSequence(thrown) { it.cause }.last()

private fun layer(root: Throwable): Layer = when (root) {
    is McpException -> if (root.code == RPCError.ErrorCode.CONNECTION_CLOSED) Layer.CONNECT else Layer.PROTOCOL
    is SerializationException, is ClassCastException -> Layer.DECODE
    is StreamableHttpError -> if (root.code == UNREADABLE) Layer.DECODE else Layer.CONNECT
    is IOException -> Layer.CONNECT
    else -> Layer.PROTOCOL
}

/** The code of the SDK's error for a response that is neither JSON nor an event stream. */
private const val UNREADABLE = -1

private fun code(root: Throwable): Optional<Int> =
    if (root is McpException) Optional.of(root.code) else Optional.empty()

private fun words(root: Throwable): String = root.message ?: root.toString()
