"""Where in the client an error arose that FastMCP raised.

FastMCP lets most errors of the MCP library through as they are, and that library tells many of them by words alone.
"""

from fastmcp.exceptions import ToolError
from peer_contract.answer import Layer, PeerError
from pydantic import ValidationError

from releases import MCPError


CODES: dict[int, Layer] = {
    -32000: "connect",  # CONNECTION_CLOSED
    -32001: "timeout",  # REQUEST_TIMEOUT of mcp 2
    408: "timeout",  # and of mcp 1
}
"""JSON-RPC errors that no server has sent: the MCP library makes them itself."""

WORDS: dict[str, Layer] = {
    "Invalid structured content returned by tool": "validate",
    "Invalid schema for tool": "validate",
    "has an output schema but did not return structured content": "validate",
    "Client failed to connect": "connect",
    "Client is not connected": "connect",
    "Server session was closed": "connect",
    "Session task completed": "connect",
}
"""What a ``RuntimeError`` says, for it is the type of them all."""


def explain(error: Exception) -> PeerError:
    """The error, in its layer. What is of no known kind arose in reading the answer."""
    match error:
        case ToolError():
            return PeerError("tool", str(error))
        case MCPError():
            code = error.error.code
            return PeerError(CODES.get(code, "protocol"), error.error.message, code)
        case ValidationError():
            return PeerError("decode", str(error))
        case _:
            words = f"{error}" if isinstance(error, RuntimeError) else repr(error)
            layers = (layer for said, layer in WORDS.items() if said in words)
            return PeerError(next(layers, "decode"), words)
