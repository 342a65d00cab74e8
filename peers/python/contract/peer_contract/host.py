"""The HTTP server's loop: a script a line, each served at its own path of one listener.

::

    line ─ script.read ─ endpoint(script, path) ─ ASGI app, running ─ in the table of paths ─ hosted
    request ─ uvicorn ─ the app of its path, with the scope as it came
"""

import asyncio
import os
import socket
import traceback
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import uvicorn

from . import exact, lines, script
from .exact import Unsupported
from .members import Members
from .script import Script


@dataclass(frozen=True)
class Endpoint:
    """One script, served by an SDK."""

    app: Any
    """The SDK's ASGI application, which finds the request under the path that it was made for."""
    running: AbstractAsyncContextManager[Any]
    """Context to enter while the application serves; leaving it ends its sessions."""


Make = Callable[[Script, str], Endpoint]
"""Makes the endpoint of a script at a path, or raises :class:`Unsupported`."""


async def serve(make: Make) -> None:
    """Serves scripts until the input ends, and then ends the process."""
    paths = Paths(make)
    # Where the protocol is named, asyncio sends at once what is written, as it does when uvicorn makes the listener.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    # `lifespan`: the applications come and go while the listener stays. The rest keeps stdout and stderr quiet.
    config = uvicorn.Config(
        paths, lifespan="off", log_level="warning", access_log=False
    )
    serving = asyncio.create_task(uvicorn.Server(config).serve(sockets=[listener]))
    lines.write(f"http://127.0.0.1:{listener.getsockname()[1]}")
    async for line in lines.from_stdin():
        try:
            await paths.host(exact.read(line))
        except Unsupported as reason:
            number = exact.address(line)
            if number is not None:
                lines.say({"id": number, "unsupported": str(reason)})
    serving.cancel()
    # Tools that hang would hold up any gentler end.
    os._exit(0)


class Paths:
    """The ASGI application of all: what is served at which path."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._apps: dict[str, Any] = {}
        self._running: dict[str, asyncio.Task[None]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        app = self._apps.get(scope["path"], _nothing_here)
        await app(scope, receive, send)

    async def host(self, value: Any) -> None:
        """Serves a script, or stops to, and says so."""
        members = Members("a hosting", value)
        number = members.take("id", int)
        path = members.take("path", str)
        told = members.take("script", dict, {})
        members.end()
        endpoint = self._endpoint(script.read(told), path) if told else None
        self._apps.pop(path, None)
        former = self._running.pop(path, None)
        if former:
            former.cancel()
        if endpoint:
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._running[path] = asyncio.create_task(_run(endpoint, ready))
            await ready
            self._apps[path] = endpoint.app
        lines.say({"id": number})

    def _endpoint(self, told: Script, path: str) -> Endpoint:
        try:
            return self._make(told, path)
        except Unsupported:
            raise
        except Exception as error:  # noqa: BLE001 - one script must not end the others
            traceback.print_exc()
            raise Unsupported(
                f"the SDK's server could not be created ({error!r})"
            ) from None


async def _run(endpoint: Endpoint, ready: "asyncio.Future[None]") -> None:
    try:
        async with endpoint.running:
            ready.set_result(None)
            await asyncio.Event().wait()
    except Exception as error:  # noqa: BLE001 - one script must not end the others
        if not ready.done():
            ready.set_exception(
                Unsupported(f"the SDK's server did not start ({error})")
            )
        traceback.print_exc()


async def _nothing_here(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})
