"""Classification of the SDK's errors by the layer of the client in which they arose."""

import httpx2
import mcp_types as types
from mcp import MCPError
from peer_contract import layers
from peer_contract.answer import PeerError


def explain(error: Exception) -> PeerError:
    match error:
        case MCPError(code=types.CONNECTION_CLOSED, message=words):
            return PeerError("connect", words)
        case MCPError(code=types.REQUEST_TIMEOUT, message=words):
            return PeerError("timeout", words)
        case MCPError(code=types.PARSE_ERROR, message=words) if words.startswith(
            "Failed to parse"
        ):
            return PeerError("decode", words)  # the HTTP client's own
        case MCPError(code=code, message=words):
            return PeerError("protocol", words, code)
        case _:
            return layers.explain(error, httpx2.HTTPError)
