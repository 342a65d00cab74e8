"""Classification of the SDK's errors by the layer of the client in which they arose."""

import httpx
from mcp import McpError
from peer_contract import layers
from peer_contract.answer import PeerError

CLOSED = (-32000, "Connection closed")
"""The code and the words with which the session answers all requests that wait when its streams end."""


def explain(error: Exception) -> PeerError:
    match error:
        case McpError():
            code, words = error.error.code, error.error.message
            if (code, words) == CLOSED:
                return PeerError("connect", words)
            return PeerError("protocol", words, code)
        case _:
            return layers.explain(error, httpx.HTTPError)
