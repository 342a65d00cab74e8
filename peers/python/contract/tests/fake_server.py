"""A server adapter over HTTP whose SDK answers with the scenario's name. Runs as a process, for the tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from peer_contract import host
from peer_contract.exact import Unsupported
from peer_contract.host import Endpoint
from peer_contract.script import Script


@asynccontextmanager
async def running() -> AsyncIterator[None]:
    yield


def make(script: Script, path: str) -> Endpoint:
    """Serves a script by saying its name."""
    match script.scenario:
        case "fake/unsupported":
            raise Unsupported("not this one")
        case "fake/broken":
            raise RecursionError("too deep")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = f"{script.scenario} at {path}".encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    return Endpoint(app, running())


if __name__ == "__main__":
    asyncio.run(host.serve(make))
