"""A script offered with the SDK's low-level server."""

from typing import Any, TypeVar

import mcp_types as types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ToolsListChanged,
)
from mcp_types.methods import serialize_server_result
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from peer_contract import exact
from peer_contract.exact import rejected
from peer_contract.host import Endpoint
from peer_contract.offer import Offer, Progress, perform
from peer_contract.script import Script
from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)

EVOLVED = types.CallToolResult(
    content=[types.TextContent(type="text", text="the tools have changed")]
)


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    server = Scripted(script, is_alone=True)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def endpoint(script: Script, path: str) -> Endpoint:
    """The SDK's HTTP server of a script, with its defaults."""
    server = Scripted(script, is_alone=False)
    app = server.streamable_http_app(streamable_http_path=path)
    return Endpoint(app, server.session_manager.run())


class Scripted(Server[Any]):
    """A server of one script."""

    def __init__(self, script: Script, *, is_alone: bool) -> None:
        self._offer = Offer(
            script,
            is_alone=is_alone,
            tool=_tool,
            result=_result,
            error=lambda value: _typed("the error", types.ErrorData, value),
        )
        self._list = _listed({"tools": []} | script.list)
        self._progress = Progress()
        self._changes = InMemorySubscriptionBus()
        super().__init__(
            "scripted",
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=ListenHandler(self._changes)
            if self._offer.changes
            else None,
        )

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        # The SDK's HTTP server asks without options: there is no other place to declare this capability.
        return super().create_initialization_options(
            NotificationOptions(tools_changed=self._offer.changes),
            experimental_capabilities,
            extensions,
        )

    async def _list_tools(
        self,
        context: ServerRequestContext[Any],
        params: types.PaginatedRequestParams | None,
    ) -> types.ListToolsResult:
        stage = self._progress.stage(_session(context))
        try:
            page, following = self._offer.page(stage, params.cursor if params else None)
        except LookupError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        result = self._list.model_copy(update={"tools": page})
        if following is not None:
            result.next_cursor = following
        return result

    async def _call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        stage = self._offer.stage(self._progress.stage(_session(context)))
        if params.name not in stage.tools:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        _, reply = stage.tools[params.name]
        return await perform(
            reply,
            refuse=MCPError.from_error_data,
            evolve=lambda: self._evolve(context),
        )

    async def _evolve(self, context: ServerRequestContext[Any]) -> types.CallToolResult:
        stage = self._progress.advance(_session(context))
        if self._offer.stage(stage).told:
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                await self._changes.publish(ToolsListChanged())
            else:
                await context.session.send_tool_list_changed()
        return EVOLVED


def _session(context: ServerRequestContext[Any]) -> str | None:
    """Identifies the session at this path. Modern requests belong to none, and stdio has a single one."""
    return context.request.headers.get("mcp-session-id") if context.request else None


def _tool(definition: dict[str, Any]) -> types.Tool:
    tool = _typed("the tool", types.Tool, definition)
    _listed({"tools": [definition]})
    return tool


def _listed(value: dict[str, Any]) -> types.ListToolsResult:
    added = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    return _typed("the list", types.ListToolsResult, added | value, "tools/list")


def _result(value: dict[str, Any]) -> types.CallToolResult:
    added = {"resultType": "complete", "isError": False}
    return _typed("the result", types.CallToolResult, added | value, "tools/call")


def _typed(
    what: str, model: type[M], value: dict[str, Any], method: str | None = None
) -> M:
    """The value in the SDK's type, if what goes onto the wire is what it was made of.

    Results pass a model of the negotiated revision on their way. That of 2026-07-28 has to let them through unchanged;
    what those of earlier revisions do is the SDK's own conduct towards an older client.
    """
    try:
        typed = model.model_validate(value, by_name=False)
        dumped = typed.model_dump(by_alias=True, mode="json", exclude_none=True)
        if method is not None:
            dumped = serialize_server_result(method, LATEST_MODERN_VERSION, dumped)
        message = types.JSONRPCResponse(jsonrpc="2.0", id=0, result={"held": dumped})
        line = message.model_dump_json(by_alias=True, exclude_none=True)
    except (ValueError, RecursionError) as error:
        raise rejected(what, error) from None
    exact.same(what, value, exact.read(line)["result"]["held"])
    return typed
