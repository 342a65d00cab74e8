"""Where in the client an error arose that FastMCP raised.

Most errors of the MCP library FastMCP lets through as they are.
"""

import anyio
from fastmcp.exceptions import ToolError
from peer_contract.answer import PeerError
from pydantic import ValidationError

from releases import MCPError, httpx

CLOSED = (-32000, "Connection closed")
"""With this the session itself answers what waits when its streams end."""

LOST = (
    "Client failed to connect",
    "Client is not connected",
    "Server session was closed",
    "Session task completed",
)
"""How a ``RuntimeError`` of FastMCP begins that tells of the connection."""


def explain(error: Exception) -> PeerError:
    """Tells in which layer an error arose."""
    words = f"{type(error).__name__}: {error}"
    match error:
        case ToolError():
            return PeerError("tool", str(error))
        case MCPError():
            code, words = error.error.code, error.error.message
            if (code, words) == CLOSED:
                return PeerError("connect", words)
            return PeerError("protocol", words, code)
        case ValidationError():
            return PeerError("decode", str(error))
        case IndexError() | AttributeError():
            # FastMCP 2 takes the text of the first block of a tool's error, which may have none.
            return PeerError("decode", words)
        case RuntimeError() if str(error).startswith(LOST):
            return PeerError("connect", str(error))
        case (
            OSError()
            | httpx.HTTPError()
            | anyio.ClosedResourceError()
            | anyio.BrokenResourceError()
            | anyio.EndOfStream()
        ):
            return PeerError("connect", words)
        case _:
            # What else a call raises comes from the check of the structured content: a RuntimeError of the MCP library,
            # or what the JSON Schema library raises and it lets pass.
            return PeerError("validate", words)
