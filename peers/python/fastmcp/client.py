"""A session with ``fastmcp.Client``, as it is without options.

Of the two forms in which ``call_tool`` gives structured content, ``structured_content`` is reported: it is the value as
JSON. ``data`` is the same value once more, made into Python objects by the tool's output schema (a dataclass, a
``datetime``, a list out of ``{"result": [...]}``); it is ``None`` whenever that fails, and no JSON.

``call_tool`` raises a tool's error by default, as ``ToolError`` with the text of the first block. So that is what its
user has of it, and the layer is ``tool``.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from peer_contract.answer import Called, PeerError, SeenTool
from peer_contract.client import Changes
from peer_contract.exact import Unsupported
from peer_contract.job import Http, Job, Stdio

from errors import explain

MODES = {"legacy": "legacy", "auto": "auto", "modern": "2026-07-28"}
"""Arguments of ``Client(mode=...)``, from FastMCP 4 on; earlier releases have no modes, and their jobs have none."""

CLOSE_TIMEOUT = 5.0
"""As long as FastMCP itself waits for a session to end."""


class FastMcp:
    """FastMCP's client."""

    @asynccontextmanager
    async def connect(self, job: Job, changes: Changes) -> AsyncIterator["Session"]:
        """Opens a session; leaving it ends the session, and its server where that is a subprocess."""
        options = {"mode": MODES[job.mode]} if job.mode else {}
        client = Client(
            _transport(job.server), message_handler=Listener(changes), **options
        )
        try:
            async with client:
                yield Session(client)
        finally:
            # By default a subprocess outlives the `with` block, for another one.
            with anyio.move_on_after(CLOSE_TIMEOUT, shield=True):
                await client.close()  # type: ignore[no-untyped-call]

    def explain(self, error: Exception) -> PeerError:
        """Tells in which layer an error arose."""
        return explain(error)


SDK = FastMcp()


def _transport(server: Stdio | Http) -> StdioTransport | StreamableHttpTransport:
    match server:
        case Stdio([program, *arguments], env):
            return StdioTransport(program, arguments, env=dict(os.environ) | env)
        case Stdio():
            raise Unsupported("the command of the server is empty")
        case Http(url):
            return StreamableHttpTransport(url)


class Listener(MessageHandler):
    """Hears of changed tools."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    async def on_tool_list_changed(self, message: Any) -> None:
        """FastMCP hands out the notification."""
        self._changes.hear()


class Session:
    """A session, as the user of FastMCP has it."""

    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    @property
    def negotiated(self) -> str | None:
        """The revision that FastMCP says it speaks."""
        client: Any = self._client
        if hasattr(client, "protocol_version"):  # FastMCP 4
            revision = client.protocol_version
        else:
            revision = client.initialize_result.protocolVersion
        return None if revision is None else str(revision)

    async def list_tools(self) -> list[SeenTool]:
        """Lists the tools. The client of 2.x has no cursors, and gives the first page."""
        tools = [_json(tool) for tool in await self._client.list_tools()]
        return [SeenTool(tool["name"], tool.get("outputSchema")) for tool in tools]

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        """Calls a tool."""
        result = await self._client.call_tool(tool, arguments)
        return Called(
            structured=result.structured_content,
            # FastMCP's type has no other way to say that there is none; a null looks the same.
            present=result.structured_content is not None,
            content=[_json(block) for block in result.content],
            is_error=result.is_error,
        )


def _json(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
