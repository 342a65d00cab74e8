"""A script offered with the SDK's low-level server.

Results are given through ``request_handlers``, the table in which the decorators enter what they make of a function:
a handler there answers with a whole result, in every release.
"""

from typing import Any, TypeVar

from mcp import McpError, types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from peer_contract import exact
from peer_contract.exact import Unsupported, rejected
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
    manager = StreamableHTTPSessionManager(Scripted(script, is_alone=False))
    return Endpoint(manager.handle_request, manager.run())


class Scripted(Server[Any, Any]):
    """A server of one script."""

    def __init__(self, script: Script, *, is_alone: bool) -> None:
        super().__init__("scripted")
        self._offer = Offer(
            script,
            is_alone=is_alone,
            tool=_tool,
            result=_result,
            error=lambda value: _typed("the error", types.ErrorData, value),
        )
        self._list = _typed(
            "the list", types.ListToolsResult, {"tools": []} | script.list
        )
        self._progress = Progress()
        self.request_handlers[types.ListToolsRequest] = self._list_tools
        self.request_handlers[types.CallToolRequest] = self._call_tool

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        # The SDK's HTTP server asks without options: there is no other place to declare this capability.
        return super().create_initialization_options(
            NotificationOptions(tools_changed=self._offer.changes),
            experimental_capabilities or {},
        )

    @property
    def _session(self) -> Any:
        return self.request_context.session

    async def _list_tools(self, request: types.ListToolsRequest) -> types.ServerResult:
        cursor = request.params.cursor if request.params else None
        try:
            page, following = self._offer.page(
                self._progress.stage(self._session), cursor
            )
        except LookupError as error:
            raise McpError(
                types.ErrorData(code=types.INVALID_PARAMS, message=str(error))
            ) from None
        result = self._list.model_copy(update={"tools": page})
        if following is not None:
            result.nextCursor = following
        return types.ServerResult(result)

    async def _call_tool(self, request: types.CallToolRequest) -> types.ServerResult:
        stage = self._offer.stage(self._progress.stage(self._session))
        if request.params.name not in stage.tools:
            words = f"Unknown tool: {request.params.name}"
            raise McpError(types.ErrorData(code=types.INVALID_PARAMS, message=words))
        _, reply = stage.tools[request.params.name]
        result = await perform(reply, refuse=McpError, evolve=self._evolve)
        return types.ServerResult(result)

    async def _evolve(self) -> types.CallToolResult:
        if self._offer.stage(self._progress.advance(self._session)).told:
            await self._session.send_tool_list_changed()
        return EVOLVED


def _tool(definition: dict[str, Any]) -> types.Tool:
    if "outputSchema" in definition:
        _require(types.Tool, "outputSchema")
    return _typed("the tool", types.Tool, definition)


def _result(value: dict[str, Any]) -> types.CallToolResult:
    if "structuredContent" in value:
        _require(types.CallToolResult, "structuredContent")
    # The type says whether it is an error even where the script leaves that to the reader.
    return _typed("the result", types.CallToolResult, {"isError": False} | value)


def _require(model: type[BaseModel], field: str) -> None:
    """The SDK's types let unknown members pass, but what a release has no field for, it does not offer."""
    if field not in model.model_fields:
        raise Unsupported(f"this release does not support `{field}`")


def _typed(what: str, model: type[M], value: dict[str, Any]) -> M:
    """The value in the SDK's type, if what goes onto the wire is what it was made of."""
    try:
        typed = model.model_validate(value)
        dumped = typed.model_dump(by_alias=True, mode="json", exclude_none=True)
        message = types.JSONRPCResponse(jsonrpc="2.0", id=0, result={"held": dumped})
        line = message.model_dump_json(by_alias=True, exclude_none=True)
    except (ValueError, RecursionError) as error:
        raise rejected(what, error) from None
    exact.same(what, value, exact.read(line)["result"]["held"])
    return typed
