"""Where in the client an error of the SDK arose."""

import anyio
import httpx2
import mcp_types as types
from mcp import MCPError
from peer_contract.answer import PeerError
from pydantic import ValidationError


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
        case ValidationError():
            return PeerError("decode", str(error))
        case (
            OSError()
            | httpx2.HTTPError()
            | anyio.ClosedResourceError()
            | anyio.BrokenResourceError()
            | anyio.EndOfStream()
        ):
            return PeerError("connect", f"{type(error).__name__}: {error}")
        case _:
            # What else a call raises comes from its check of the structured content: a RuntimeError, or what the
            # JSON Schema library raises and the SDK lets pass.
            return PeerError("validate", f"{type(error).__name__}: {error}")
