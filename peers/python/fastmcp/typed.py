"""A script told as functions under ``@mcp.tool``, with annotations in place of schemas.

FastMCP makes the schemas, the text and the structured content, and puts what is no object under ``result``.
"""

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from peer_contract import exact
from peer_contract.exact import Unsupported
from peer_contract.host import Endpoint
from peer_contract.native import Api, Function, function
from peer_contract.script import Result, Script, ScriptedTool
from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from releases import IS_ON_MCP_2
from server import hosted, list_options


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await typed(script, is_alone=True).run_async("stdio", show_banner=False)


def endpoint(script: Script, path: str) -> Endpoint:
    """The server of a script, as FastMCP's HTTP application."""
    return hosted(typed(script, is_alone=False), path)


def typed(script: Script, *, is_alone: bool) -> FastMCP:
    """The server of a script."""
    mcp = FastMCP("mcp-compat", **list_options(script))
    if len(script.stages) > 1:
        raise Unsupported("this API has the same tools in all sessions")
    for tool in script.stages[0].tools:
        made = function(tool, Api(fails=ToolError, is_alone=is_alone))
        _require_sendable(tool, made)
        try:
            mcp.tool(name=made.name, **made.about)(made.call)
        except (PydanticUserError, ValueError, TypeError, RecursionError) as error:
            raise exact.rejected("the function", error) from None
    return mcp


def _require_sendable(tool: ScriptedTool, made: Function) -> None:
    """A value that is not of the function's return type is played only where FastMCP sends it as it stands.

    On mcp 1 such a value becomes an error. FastMCP 4 serializes it by the type, and looks no further.
    """
    match tool.reply:
        case Result({"structuredContent": value, **rest}) if not rest.get("isError"):
            adapter = TypeAdapter(made.call.__annotations__["return"])
        case _:
            return
    try:
        if not IS_ON_MCP_2:
            adapter.validate_python(value)
        held = adapter.dump_python(value, mode="json", warnings=False)
    except (ValidationError, PydanticSerializationError):
        raise Unsupported(
            "FastMCP sends an error for a value that is not of the declared type"
        ) from None
    exact.same("a value of the annotated type", value, held)
    if adapter.json_schema().get("type") == "object" and not isinstance(value, dict):
        raise Unsupported(
            "FastMCP sends an error for a value that is not of the declared type"
        )
