"""Tools, results and errors of a script in FastMCP's types, proven to be sent as the script says.

Each is put into FastMCP's type and taken out again as it goes onto the wire. Where that is not what the script says,
FastMCP's user cannot say it, and the script is unsupported. What FastMCP adds of its own accord is its own conduct, and
stays: ``title`` and a key in ``_meta`` in definitions, ``isError`` and ``resultType`` in results.
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool
from mcp import types
from peer_contract import exact
from peer_contract.exact import Unsupported, rejected
from pydantic import TypeAdapter

from releases import IS_ON_MCP_2, MCPError, ToolResult, sent

CONTENT: TypeAdapter[list[Any]] = TypeAdapter(list[types.ContentBlock])

TOOL = {
    "name": "name",
    "title": "title",
    "description": "description",
    "icons": "icons",
    "inputSchema": "parameters",
    "outputSchema": "output_schema",
    "annotations": "annotations",
    "execution": "execution",
    "_meta": "meta",
}
"""Names of a definition's members in ``Tool``."""

HAS_IS_ERROR = "is_error" in inspect.signature(ToolResult.__init__).parameters
"""From FastMCP 3 on. Before, a tool fails by raising ``ToolError``, and in no other way."""


def tool(definition: dict[str, Any]) -> Tool:
    """A definition, as it stands in ``tools/list``."""
    said = {TOOL[key]: value for key, value in definition.items() if key in TOOL}
    with _held("the tool"):
        made = Tool(**said)
        listed = types.ListToolsResult(tools=[made.to_mcp_tool(name=made.name)])
        held = sent("tools/list", listed)["tools"][0]
    if "title" not in definition:
        held.pop("title", None)
    meta = definition.get("_meta", {})
    for key in {"fastmcp", "_fastmcp"} - set(meta):
        held.get("_meta", {}).pop(key, None)
    if "_meta" not in definition and not held.get("_meta"):
        held.pop("_meta", None)
    exact.same("the tool", definition, held)
    return made


def result(value: dict[str, Any]) -> ToolResult | ToolError:
    """A result; or, where that is the only way to send it, the error that FastMCP makes it of."""
    if "content" not in value:
        raise Unsupported("FastMCP cannot send a result without content")
    if value.get("isError") and not HAS_IS_ERROR:
        return _raised(value)
    options: dict[str, Any] = {"is_error": True} if value.get("isError") else {}
    # With `_meta`, FastMCP on mcp 1 sends a result as it is. Without, mcp 1 holds it against the tool's output schema,
    # and sends an error of its own in the place of one that does not conform.
    options["meta"] = value.get("_meta", None if IS_ON_MCP_2 else {})
    with _held("the result"):
        blocks = CONTENT.validate_python(value["content"])
        made = ToolResult(blocks, value.get("structuredContent"), **options)
        members = {
            "content": made.content,
            "structuredContent": made.structured_content,
            "isError": bool(value.get("isError")),
            "_meta": made.meta,
        }
        held = sent("tools/call", types.CallToolResult.model_validate(members))
    additions = {"isError": False, "resultType": "complete", "_meta": {}}
    for member, addition in additions.items():
        if member not in value and held.get(member) == addition:
            del held[member]
    exact.same("the result", value, held)
    return made


def _raised(value: dict[str, Any]) -> ToolError:
    match value:
        case {"content": [{"type": "text", "text": str(text), **others}], **members}:
            if not others and set(members) == {"isError"}:
                return ToolError(text)
    raise Unsupported("a tool error of this release carries one text and nothing else")


def error(value: dict[str, Any]) -> MCPError:
    """A JSON-RPC error object."""
    if not IS_ON_MCP_2:
        raise Unsupported(
            "FastMCP on mcp 1 turns every exception of a tool into a tool error"
        )
    with _held("the error"):
        made = MCPError(**value)
        held = made.error.model_dump(mode="json", exclude_none=True)
    exact.same("the error", value, held)
    return made


@contextmanager
def _held(what: str) -> Iterator[None]:
    """Makes :class:`Unsupported` of what FastMCP's type refuses."""
    try:
        yield
    except (ValueError, TypeError, RecursionError) as error:
        raise rejected(what, error) from None
