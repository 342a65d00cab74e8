"""Classification of errors that the libraries below an SDK raise.

All these SDKs stand on pydantic, which reads messages, and on anyio, whose streams carry them; which library speaks HTTP
is the SDK's to say. Its own errors an adapter has told apart before.
"""

import anyio
from pydantic import ValidationError

from .answer import PeerError


def explain(error: Exception, of_http: type[Exception]) -> PeerError:
    """The layer of an error; ``of_http`` is what the errors of the SDK's HTTP library have in common."""
    lost = (
        OSError,
        of_http,
        anyio.ClosedResourceError,
        anyio.BrokenResourceError,
        anyio.EndOfStream,
    )
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, ValidationError):
        return PeerError("decode", str(error))
    if isinstance(error, lost):
        return PeerError("connect", words)
    # Everything else that a call raises comes from the check of the structured content: a RuntimeError of the MCP library, or what
    # the JSON Schema library raises and it lets pass.
    return PeerError("validate", words)
