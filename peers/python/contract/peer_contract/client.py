"""The client's loop: a job a line, each played in a task of its own, an answer a line.

::

    line ─ job.read ─┬─ Play: sdk.connect ─ the steps ─ close ─ answer
                     └─ not a job for this adapter: unsupported
"""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import anyio

from . import exact, job, lines
from .answer import Answer, Called, PeerError, SeenTool
from .exact import Unsupported
from .job import Job
from .play import Play
from .watch import Watch

TELLING = 0.5
"""How long a change that the server tells of may take to reach the SDK's user after the call has been answered."""


class Changes:
    """The ``notifications/tools/list_changed`` that the SDK handed to its user."""

    def __init__(self) -> None:
        self._heard = anyio.Event()

    def hear(self) -> None:
        """For the adapter: the SDK told of a change."""
        self._heard.set()

    def forget(self) -> None:
        """Those before this moment do not count."""
        self._heard = anyio.Event()

    async def heard(self) -> bool:
        """Whether one has come, or comes now."""
        with anyio.move_on_after(TELLING):
            await self._heard.wait()
        return self._heard.is_set()


class Session(Protocol):
    """A session, as the user of an SDK's public API has it. Its methods may raise whatever the SDK raises."""

    @property
    def negotiated(self) -> str | None:
        """The revision that the SDK says it speaks."""

    async def list_tools(self) -> list[SeenTool]:
        """Lists all tools, following the pages as the SDK has its user do."""

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        """Calls a tool."""


class Sdk(Protocol):
    """An SDK's client."""

    def connect(
        self, job: Job, changes: Changes
    ) -> AbstractAsyncContextManager[Session]:
        """Opens a session; leaving it ends the session, and its server where that is a subprocess."""

    def explain(self, error: Exception) -> PeerError:
        """Tells in which layer an error arose that the SDK raised."""


async def serve(sdk: Sdk) -> None:
    """Plays jobs until the input ends and every session is closed."""
    watch = Watch()
    playing: set[asyncio.Task[None]] = set()

    def done(task: asyncio.Task[None]) -> None:
        playing.discard(task)
        if not playing:
            watch.stop()

    async for line in lines.from_stdin():
        try:
            told = job.read(exact.read(line))
        except Unsupported as reason:
            number = exact.address(line)
            if number is not None:
                lines.say(Answer(number, unsupported=str(reason)).line())
            continue
        watch.start(told.step)
        task = asyncio.create_task(Play(sdk, told, Changes(), watch).run())
        playing.add(task)
        task.add_done_callback(done)
    if playing:
        await asyncio.wait(playing)
