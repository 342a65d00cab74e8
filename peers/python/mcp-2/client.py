"""A session with the SDK's ``Client``, through its public API only."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from peer_contract.answer import Called, PeerError, SeenTool
from peer_contract.client import Changes
from peer_contract.exact import Unsupported
from peer_contract.job import Http, Job, Stdio

from errors import explain

MODES = {
    None: "auto",
    "legacy": "legacy",
    "auto": "auto",
    "modern": LATEST_MODERN_VERSION,
}
"""The SDK's words for the modes; ``auto`` is its default."""


@dataclass
class Session:
    """A running session."""

    client: Client

    @property
    def negotiated(self) -> str:
        return self.client.protocol_version

    async def list_tools(self) -> list[SeenTool]:
        tools: list[SeenTool] = []
        cursor: str | None = None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            tools += [SeenTool(tool.name, tool.output_schema) for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return tools

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        result = await self.client.call_tool(tool, arguments)
        return Called(
            structured=result.structured_content,
            # How the SDK itself tells a null from none, before it validates.
            present="structured_content" in result.model_fields_set,
            content=[
                block.model_dump(mode="json", by_alias=True, exclude_unset=True)
                for block in result.content
            ],
            is_error=result.is_error,
        )


class Sdk:
    """The SDK's client."""

    @asynccontextmanager
    async def connect(self, job: Job, changes: Changes) -> AsyncIterator[Session]:
        async def hear(message: object) -> None:
            if isinstance(message, types.ToolListChangedNotification):
                changes.hear()

        client = Client(_server(job.server), mode=MODES[job.mode], message_handler=hear)
        async with client, _listening(client, job):
            yield Session(client)

    def explain(self, error: Exception) -> PeerError:
        return explain(error)


SDK = Sdk()


def _server(server: Stdio | Http) -> StdioServerParameters | str:
    match server:
        case Stdio([program, *arguments], env):
            inherited = dict(os.environ)
            return StdioServerParameters(
                command=program, args=arguments, env=inherited | env
            )
        case Stdio():
            raise Unsupported("the command of the server is empty")
        case Http(url):
            return url


@asynccontextmanager
async def _listening(client: Client, job: Job) -> AsyncIterator[None]:
    """Subscribes to changes: in the modern era, only subscribers are notified.

    What comes on this stream also goes to the client's message handler.
    """
    stream: AbstractAsyncContextManager[object] = nullcontext()
    if job.waits_for_change() and client.protocol_version in MODERN_PROTOCOL_VERSIONS:
        stream = client.listen(tools_list_changed=True)
    try:
        await stream.__aenter__()
    except MCPError as error:
        print(f"no subscription: {error}", file=sys.stderr)
        stream = nullcontext()
    try:
        yield
    finally:
        await stream.__aexit__(None, None, None)
