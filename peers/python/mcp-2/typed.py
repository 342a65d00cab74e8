"""A script offered with ``MCPServer``: functions with annotations, of which the SDK makes schemas and results."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from peer_contract.exact import Unsupported
from peer_contract.host import Endpoint
from peer_contract.native import Api, Function, function
from peer_contract.script import Script


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await Typed(script, is_alone=True).server.run_stdio_async()


def endpoint(script: Script, path: str) -> Endpoint:
    """The SDK's HTTP server of a script, with its defaults."""
    server = Typed(script, is_alone=False).server
    app = server.streamable_http_app(streamable_http_path=path)
    return Endpoint(app, server.session_manager.run())


class Typed:
    """A server of one script. Its tools are the same for all sessions, so it evolves only where it serves one."""

    def __init__(self, script: Script, *, is_alone: bool) -> None:
        if script.list:
            raise Unsupported("MCPServer makes the list itself")
        if any(
            len(stage.tools) > (script.page_size or 1000) for stage in script.stages
        ):
            raise Unsupported("MCPServer lists all tools on one page")
        self.server = MCPServer("scripted")
        api = Api(
            fails=ToolError,
            refuses=_refusal,
            evolves=self._evolving() if is_alone else None,
            is_alone=is_alone,
        )
        self._script = script
        self._functions = [
            [function(tool, api) for tool in stage.tools] for stage in script.stages
        ]
        self._stage = 0
        # Every stage is declared once, so that what cannot be declared is known before anything is played.
        for functions in self._functions[1:]:
            self._add(functions)
            self._remove(functions)
        self._add(self._functions[0])

    def _add(self, functions: Iterable[Function]) -> None:
        for each in functions:
            options = dict(each.about)
            if "annotations" in options:
                options["annotations"] = types.ToolAnnotations(**options["annotations"])
            if "_meta" in options:
                options["meta"] = options.pop("_meta")
            try:
                self.server.add_tool(each.call, name=each.name, **options)
            except Exception as error:  # noqa: BLE001 - what it raises says why the tool cannot be declared
                raise Unsupported(f"MCPServer: {error}") from None

    def _remove(self, functions: Iterable[Function]) -> None:
        for each in functions:
            self.server.remove_tool(each.name)

    def _evolving(self) -> Callable[..., Awaitable[Any]]:
        async def evolve(context: Context):  # type: ignore[no-untyped-def]
            former, self._stage = self._stage, self._stage + 1
            if self._stage < len(self._functions):
                self._remove(self._functions[former])
                self._add(self._functions[self._stage])
                if self._script.stages[self._stage].told:
                    await _tell(context)
            return "the tools have changed"

        return evolve


async def _tell(context: Context[Any, Any]) -> None:
    """Tells of a change, by the way of the era: modern clients listen to the server's bus."""
    if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await context.notify_tools_changed()
    else:
        await context.session.send_tool_list_changed()


def _refusal(value: dict[str, Any]) -> Exception:
    return MCPError.from_error_data(types.ErrorData.model_validate(value))
