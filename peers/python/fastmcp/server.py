"""A script played by a FastMCP server, with results given in full: ``ToolResult`` and ``Tool``.

::

    script ─ Offer ─ Player, a middleware ─ FastMCP ─┬─ run("stdio")
               └ payloads.py                         └─ http_app(path)

Middleware answers ``tools/list`` and ``tools/call``: only there a server knows whose session it is, and each session
begins with the first stage. What it does not answer FastMCP does: an unknown tool, and every other request.
"""

import inspect
from collections.abc import Sequence
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools import Tool
from peer_contract.exact import Unsupported
from peer_contract.host import Endpoint
from peer_contract.offer import Offer, Stage, perform
from peer_contract.script import Script

import payloads
from releases import MCPError, ToolResult, tell_of_changed_tools

MODERN = "2026-07-28"
"""The revision from which on there are no sessions."""

Request = MiddlewareContext[Any]
Next = CallNext[Any, Any]


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await scripted(script, is_alone=True).run_async("stdio", show_banner=False)


def endpoint(script: Script, path: str) -> Endpoint:
    """The server of a script, as FastMCP's HTTP application."""
    return hosted(scripted(script, is_alone=False), path)


def hosted(server: FastMCP, path: str) -> Endpoint:
    """A server as FastMCP's HTTP application."""
    app = server.http_app(path=path)
    return Endpoint(app, app.lifespan(app))


def scripted(script: Script, *, is_alone: bool) -> FastMCP:
    """The server of a script."""
    offer = Offer(
        script,
        is_alone=is_alone,
        tool=payloads.tool,
        result=payloads.result,
        error=payloads.error,
    )
    return FastMCP("mcp-compat", middleware=[Player(offer)], **list_options(script))


def list_options(script: Script) -> dict[str, Any]:
    """Options of FastMCP for ``tools/list``."""
    if script.list:
        raise Unsupported("FastMCP cannot add members to the result of tools/list")
    if not script.page_size:
        return {}
    if "list_page_size" not in inspect.signature(FastMCP.__init__).parameters:
        raise Unsupported("this release of FastMCP cannot list tools on several pages")
    return {"list_page_size": script.page_size}


class Player(Middleware):
    """Answers from an offer, to each session from the stage that it has come to."""

    def __init__(self, offer: Offer[Tool, ToolResult | ToolError, MCPError]) -> None:
        self._offer = offer
        self._stages: dict[str, int] = {}

    async def on_list_tools(self, context: Request, call_next: Next) -> Sequence[Tool]:
        """The tools of the session's stage. FastMCP puts them on pages."""
        return [tool for tool, _ in self._stage(context).tools.values()]

    async def on_call_tool(self, context: Request, call_next: Next) -> ToolResult:
        """Returns the answer of a tool in the session's stage."""
        tools = self._stage(context).tools
        if context.message.name not in tools:
            return await call_next(context)
        _, reply = tools[context.message.name]
        result = await perform(
            reply,
            refuse=lambda error: error,
            evolve=lambda: self._evolve(context),
        )
        if isinstance(result, ToolError):
            raise result
        return result

    def _stage(self, context: Request) -> Stage[Tool, ToolResult | ToolError, MCPError]:
        return self._offer.stage(self._stages.get(_session(context), 0))

    async def _evolve(self, context: Request) -> ToolResult:
        session = _session(context)
        self._stages[session] = self._stages.get(session, 0) + 1
        if self._stage(context).told:
            await tell_of_changed_tools(context.fastmcp_context)
        return ToolResult(content="the tools have changed")


def _session(context: Request) -> str:
    """Identifies the session. Without sessions, all clients of one script share their progress."""
    fastmcp: Any = context.fastmcp_context
    revision = getattr(fastmcp.session, "protocol_version", None)
    is_modern = revision is not None and revision >= MODERN
    return "" if is_modern else str(fastmcp.session_id)
