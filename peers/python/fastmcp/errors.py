"""Classification of FastMCP's errors by the layer of the client in which they arose.

Most errors of the MCP library FastMCP lets through as they are.
"""

from fastmcp.exceptions import ToolError
from peer_contract import layers
from peer_contract.answer import PeerError

from releases import MCPError, httpx

CLOSED = (-32000, "Connection closed")
"""With this the session itself answers what waits when its streams end."""

LOST = (
    "Client failed to connect",
    "Client is not connected",
    "Server session was closed",
    "Session task completed",
)
"""Beginnings of the messages of FastMCP's ``RuntimeError`` about a lost connection."""


def explain(error: Exception) -> PeerError:
    """Tells in which layer an error arose."""
    match error:
        case ToolError():
            return PeerError("tool", str(error))
        case MCPError():
            code, words = error.error.code, error.error.message
            if (code, words) == CLOSED:
                return PeerError("connect", words)
            return PeerError("protocol", words, code)
        case IndexError() | AttributeError():
            # FastMCP 2 takes the text of the first block of a tool's error, which may have none.
            return PeerError("decode", f"{type(error).__name__}: {error}")
        case RuntimeError() if str(error).startswith(LOST):
            return PeerError("connect", str(error))
        case _:
            return layers.explain(error, httpx.HTTPError)
