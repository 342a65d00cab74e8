"""A client: what an adapter has to give, and the loop that plays jobs with it.

::

    line ─ Pool ─ Play: sdk.connect ─ the steps ─ close ─ answer
"""

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import anyio

from .answer import Answer, Called, PeerError, SeenTool
from .job import Job
from .play import Play
from .pool import Pool

CHANGE_TIMEOUT = 0.5
"""Longest time from the answer of the call to the SDK's notification of a change."""


class Changes:
    """The ``notifications/tools/list_changed`` that the SDK handed to its user."""

    def __init__(self) -> None:
        self._heard = anyio.Event()

    def hear(self) -> None:
        """For the adapter: the SDK told of a change."""
        self._heard.set()

    def forget(self) -> None:
        """Discards the changes before this moment."""
        self._heard = anyio.Event()

    async def heard(self) -> bool:
        """Returns whether one has come, or comes now."""
        with anyio.move_on_after(CHANGE_TIMEOUT):
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


def serve(sdk: Sdk) -> None:
    """Plays jobs until the input ends and every session is closed."""
    _trust_nobody()

    def work(told: Job, say: Callable[[Answer], None]) -> None:
        asyncio.run(Play(sdk, told, Changes(), say).run())

    Pool(work).serve()


def _trust_nobody() -> None:
    """Has TLS find no authorities: no job speaks it, and to read the system's for each session takes half of its time."""
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = os.path.dirname(__file__)
