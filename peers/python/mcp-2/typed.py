"""A script offered with ``MCPServer``: functions with annotations, of which the SDK makes schemas and results."""

from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from peer_contract.declared import Declared
from peer_contract.host import Endpoint
from peer_contract.native import Api, Function
from peer_contract.script import Script


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await typed(script, is_alone=True).run_stdio_async()


def endpoint(script: Script, path: str) -> Endpoint:
    """The SDK's HTTP server of a script, with its defaults."""
    server = typed(script, is_alone=False)
    app = server.streamable_http_app(streamable_http_path=path)
    return Endpoint(app, server.session_manager.run())


def typed(script: Script, *, is_alone: bool) -> "MCPServer[Any]":
    """The server of a script."""
    server: MCPServer[Any] = MCPServer("scripted")

    def add(each: Function) -> None:
        server.add_tool(each.call, name=each.name, **each.about)

    async def evolve(context: Context):  # type: ignore[no-untyped-def]
        if tools.advance():
            await _tell(context)
        return "the tools have changed"

    api = Api(
        fails=ToolError,
        refuses=_refusal,
        evolves=evolve if is_alone else None,
        is_alone=is_alone,
        annotations=types.ToolAnnotations.model_validate,
    )
    tools = Declared("MCPServer", script, api, add=add, remove=server.remove_tool)
    return server


async def _tell(context: Context[Any, Any]) -> None:
    """Tells of a change, by the way of the era: modern clients listen to the server's bus."""
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await context.notify_tools_changed()
    else:
        await context.session.send_tool_list_changed()


def _refusal(value: dict[str, Any]) -> Exception:
    return MCPError.from_error_data(types.ErrorData.model_validate(value))
