"""A script offered with ``FastMCP``: functions with annotations, of which the SDK makes schemas and results."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from mcp import types
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from peer_contract.exact import Unsupported
from peer_contract.host import Endpoint
from peer_contract.native import Api, Function, function
from peer_contract.script import Script


async def over_stdio(script: Script) -> None:
    """Serves one session over the standard streams."""
    await Typed(script, is_alone=True).server.run_stdio_async()


def endpoint(script: Script, path: str) -> Endpoint:
    """The SDK's HTTP server of a script, with its defaults."""
    server = Typed(script, is_alone=False, streamable_http_path="/").server
    app = server.streamable_http_app()

    async def at_root(scope: Any, receive: Any, send: Any) -> None:
        # Before 1.12 FastMCP mounts its path, and sends who asks for it to the same with a slash: mock clients do not
        # go there. The root of a host is answered at once.
        await app({**scope, "path": "/", "raw_path": b"/"}, receive, send)

    return Endpoint(at_root, server.session_manager.run())


class Typed:
    """A server of one script. Its tools are the same for all sessions, so it evolves only where it serves one."""

    def __init__(self, script: Script, *, is_alone: bool, **settings: Any) -> None:
        if script.list:
            raise Unsupported("FastMCP makes the list itself")
        if any(
            len(stage.tools) > (script.page_size or 1000) for stage in script.stages
        ):
            raise Unsupported("FastMCP lists all tools on one page")
        self.server = FastMCP("scripted", **settings)
        can_evolve = is_alone and hasattr(self.server, "remove_tool")
        api = Api(
            fails=ToolError,
            evolves=self._evolving() if can_evolve else None,
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
                raise Unsupported(f"FastMCP: {error}") from None

    def _remove(self, functions: Iterable[Function]) -> None:
        for each in functions:
            self.server.remove_tool(each.name)

    def _evolving(self) -> Callable[..., Awaitable[Any]]:
        async def evolve(context: Context):  # type: ignore[no-untyped-def, type-arg]
            former, self._stage = self._stage, self._stage + 1
            if self._stage < len(self._functions):
                self._remove(self._functions[former])
                self._add(self._functions[self._stage])
                if self._script.stages[self._stage].told:
                    await context.session.send_tool_list_changed()
            return "the tools have changed"

        return evolve
