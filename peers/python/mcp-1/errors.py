"""Where in the client an error of the SDK arose."""

import anyio
import httpx
from mcp import McpError
from peer_contract.answer import PeerError
from pydantic import ValidationError

CLOSED = (-32000, "Connection closed")
"""The code and the words with which the session answers all requests that wait when its streams end."""


def explain(error: Exception) -> PeerError:
    match error:
        case McpError():
            code, words = error.error.code, error.error.message
            if (code, words) == CLOSED:
                return PeerError("connect", words)
            return PeerError("protocol", words, code)
        case ValidationError():
            return PeerError("decode", str(error))
        case (
            OSError()
            | httpx.HTTPError()
            | anyio.ClosedResourceError()
            | anyio.BrokenResourceError()
            | anyio.EndOfStream()
        ):
            return PeerError("connect", f"{type(error).__name__}: {error}")
        case _:
            # What else a call raises comes from its check of the structured content: a RuntimeError, or what the
            # JSON Schema library raises and the SDK lets pass.
            return PeerError("validate", f"{type(error).__name__}: {error}")
