"""A session with the SDK's ``ClientSession``, through its public API only.

What is reported are the fields that this release declares. Its types let other members pass, but a release that has no
field for structured content has no structured content.
"""

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client import streamable_http
from peer_contract.answer import Called, PeerError, SeenTool
from peer_contract.client import Changes
from peer_contract.exact import Unsupported
from peer_contract.job import Http, Job, Stdio

from errors import explain

over_http = (
    streamable_http.streamable_http_client
    if hasattr(streamable_http, "streamable_http_client")
    else streamable_http.streamablehttp_client  # its name before 1.24
)


@dataclass
class Session:
    """A running session."""

    session: ClientSession
    negotiated: str

    async def list_tools(self) -> list[SeenTool]:
        tools: list[SeenTool] = []
        cursor: str | None = None
        while True:
            page = await self.session.list_tools(cursor)
            tools += [_seen(tool) for tool in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                return tools

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        result = await self.session.call_tool(tool, arguments)
        structured = _declared(result, "structuredContent")
        return Called(
            structured=structured,
            present=structured is not None,
            content=[
                block.model_dump(mode="json", by_alias=True, exclude_unset=True)
                for block in result.content
            ],
            is_error=result.isError,
        )


class Sdk:
    """The SDK's client."""

    @asynccontextmanager
    async def connect(self, job: Job, changes: Changes) -> AsyncIterator[Session]:
        if job.mode not in (None, "legacy"):
            raise Unsupported("this release opens every session with `initialize`")

        async def hear(message: object) -> None:
            match message:
                case types.ServerNotification(types.ToolListChangedNotification()):
                    changes.hear()

        async with (
            _streams(job.server) as (read, write, *_),
            ClientSession(read, write, message_handler=hear) as session,
        ):
            opened = await session.initialize()
            yield Session(session, str(opened.protocolVersion))

    def explain(self, error: Exception) -> PeerError:
        return explain(error)


SDK = Sdk()


def _streams(server: Stdio | Http) -> AbstractAsyncContextManager[Any]:
    match server:
        case Stdio([program, *arguments], env):
            inherited = dict(os.environ)
            return stdio_client(
                StdioServerParameters(
                    command=program, args=arguments, env=inherited | env
                )
            )
        case Stdio():
            raise Unsupported("the command of the server is empty")
        case Http(url):
            return over_http(url)


def _seen(tool: types.Tool) -> SeenTool:
    return SeenTool(tool.name, _declared(tool, "outputSchema"))


def _declared(value: types.Tool | types.CallToolResult, field: str) -> Any:
    return getattr(value, field) if field in type(value).model_fields else None
