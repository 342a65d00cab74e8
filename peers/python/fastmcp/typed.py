"""A script told as functions under ``@mcp.tool``, with annotations in place of schemas.

FastMCP makes the schemas, the text and the structured content, and puts what is no object under ``result``.
"""

from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from peer_contract import exact
from peer_contract.exact import Unsupported
from peer_contract.functions import Api, Function, functions, is_of
from peer_contract.host import Endpoint
from peer_contract.script import Script
from pydantic import PydanticUserError, TypeAdapter
from pydantic_core import PydanticSerializationError
from releases import IS_ON_MCP_2
from server import hosted, list_options

SAYS = {
    "title": "title",
    "description": "description",
    "annotations": "annotations",
    "_meta": "meta",
}
"""What the members of a definition are called in the decorator."""


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await typed(script, is_alone=True).run_async("stdio", show_banner=False)


def endpoint(script: Script, path: str) -> Endpoint:
    """The server of a script, as FastMCP's HTTP application."""
    return hosted(typed(script, is_alone=False), path)


def typed(script: Script, *, is_alone: bool) -> FastMCP:
    """The server of a script."""
    mcp = FastMCP("mcp-compat", **list_options(script))
    for function in functions(script, Api(ToolError, _sends, is_alone)):
        try:
            mcp.tool(name=function.name, **_said(function))(function.call)
        except (PydanticUserError, ValueError, RecursionError) as error:
            raise Unsupported(f"@mcp.tool: {error}") from None
    return mcp


def _sends(value: Any, type: Any) -> bool:
    """On mcp 1 a value that is not of the type becomes an error. FastMCP 4 only serializes it by the type."""
    if not IS_ON_MCP_2:
        return is_of(value, type)
    adapter = TypeAdapter(type)
    if adapter.json_schema().get("type") == "object" and not isinstance(value, dict):
        return False
    try:
        held = adapter.dump_python(value, mode="json", warnings=False)
    except PydanticSerializationError:
        return False
    return exact.difference(value, held) is None


def _said(function: Function) -> dict[str, Any]:
    for member, value in function.said.items():
        if member not in SAYS or value is None:
            raise Unsupported(f"@mcp.tool does not say such a {member}")
    return {SAYS[member]: value for member, value in function.said.items()}
