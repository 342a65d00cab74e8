package mcpcompat.kotlinsdk

import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.JsonUnquotedLiteral
import mcpcompat.contract.JsonReader

/** The SDK's JSON values as the contract's plain ones: an element keeps a number as it is written. */
internal fun plain(element: JsonElement): Any? = when (element) {
    is JsonObject -> element.mapValues { (_, member) -> plain(member) }
    is JsonArray -> element.map(::plain)
    is JsonNull -> null
    is JsonPrimitive -> if (element.isString) element.content else unquoted(element.content)
}

/** The SDK also reads words without quotes. They are no JSON, and told as text. */
private fun unquoted(content: String): Any? = try {
    JsonReader.read(content).value()
} catch (_: IllegalArgumentException) {
    content
}

/** The contract's plain values as the SDK's JSON values. A number is given as it is to be written: others are rounded. */
@OptIn(ExperimentalSerializationApi::class)
internal fun element(value: Any?): JsonElement = when (value) {
    null -> JsonNull
    is Map<*, *> -> JsonObject(value.entries.associate { (key, member) -> key.toString() to element(member) })
    is List<*> -> JsonArray(value.map(::element))
    is Boolean -> JsonPrimitive(value)
    is Number -> JsonUnquotedLiteral(value.toString())
    else -> JsonPrimitive(value.toString())
}
