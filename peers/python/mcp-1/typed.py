"""A script offered with ``FastMCP``: functions with annotations, of which the SDK makes schemas and results."""

from typing import Any

from mcp import types
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from peer_contract.declared import Declared
from peer_contract.host import Endpoint
from peer_contract.native import Api, Function
from peer_contract.script import Script


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await typed(script, is_alone=True).run_stdio_async()


def endpoint(script: Script, path: str) -> Endpoint:
    """The SDK's HTTP server of a script, with its defaults."""
    server = typed(script, is_alone=False, streamable_http_path="/")
    app = server.streamable_http_app()

    async def at_root(scope: Any, receive: Any, send: Any) -> None:
        # Before 1.12 FastMCP mounts its path, and sends who asks for it to the same with a slash: mock clients do not
        # go there. The root of a host is answered at once.
        await app({**scope, "path": "/", "raw_path": b"/"}, receive, send)

    return Endpoint(at_root, server.session_manager.run())


def typed(script: Script, *, is_alone: bool, **settings: Any) -> "FastMCP[Any]":
    """The server of a script."""
    server: FastMCP[Any] = FastMCP("scripted", **settings)

    def add(each: Function) -> None:
        server.add_tool(each.call, name=each.name, **each.about)

    def remove(name: str) -> None:
        server.remove_tool(name)  # looked up when it is needed: old releases have none

    async def evolve(context: Context):  # type: ignore[no-untyped-def, type-arg]
        if tools.advance():
            await context.session.send_tool_list_changed()
        return "the tools have changed"

    can_evolve = is_alone and hasattr(server, "remove_tool")
    api = Api(
        fails=ToolError,
        evolves=evolve if can_evolve else None,
        is_alone=is_alone,
        annotations=types.ToolAnnotations.model_validate,
    )
    tools = Declared("FastMCP", script, api, add=add, remove=remove)
    return server
