"""One job, from connecting to the answer.

Every wait for an SDK has a deadline, and nothing that an SDK raises ends more than its own step, or its own session.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio

from . import feed
from .alarm import Stuck, alarm
from .answer import Answer, Called, Evolved, Listed, PeerError, Seen
from .exact import Unsupported
from .job import EVOLVE_TOOL, Call, Evolve, Job, ListTools, Step

if TYPE_CHECKING:
    from .client import Changes, Sdk, Session

CLOSE_GRACE = 0.1
"""Time for which the answer waits for the session to end. A slower server is waited for after it."""

CLOSE_TIMEOUT = 8.0
"""Longest time for a session to end: longer than an SDK takes to ask a subprocess to go, and to kill it."""

LOST = PeerError("connect", "the session was lost")


class Play:
    """A job that is being played."""

    def __init__(
        self, sdk: Sdk, job: Job, changes: Changes, say: Callable[[Answer], None]
    ) -> None:
        self._sdk = sdk
        self._job = job
        self._changes = changes
        self._tell = say
        self._answer = Answer(job.id)
        self._said = False

    async def run(self) -> None:
        """Plays the job and says its answer."""
        session: Session | None = None
        lost = LOST
        try:
            # One scope around all, for scopes have to be left in the order of entry: its deadline moves on.
            with anyio.move_on_after(self._job.connect) as scope:
                async with AsyncExitStack() as stack:
                    with alarm(self._job.connect):
                        opening = self._sdk.connect(self._job, self._changes)
                        session = await stack.enter_async_context(opening)
                    scope.deadline = math.inf
                    self._answer.negotiated = session.negotiated
                    await self._take_all(session)
                    asyncio.get_running_loop().call_later(CLOSE_GRACE, self._say)
                    scope.deadline = anyio.current_time() + CLOSE_TIMEOUT
            lost = self._late("session", self._job.connect)
        except Unsupported as reason:
            self._answer.unsupported = str(reason)
        except BaseException as error:  # noqa: BLE001 - whatever an SDK raises is an answer
            lost = replace(self._explain(error), layer="connect")
        if session is not None:
            missing = len(self._job.steps) - len(self._answer.steps)
            self._answer.steps += [lost] * missing
        elif self._answer.unsupported is None:
            self._answer.error = lost
        self._say()

    def _say(self) -> None:
        if not self._said:
            self._said = True
            self._tell(self._answer)

    async def _take_all(self, session: Session) -> None:
        last: Any = None
        for together in self._job.rounds():
            steps = [_fed(step, last) for step in together]
            seen: list[Seen] = [LOST] * len(steps)  # until each is there
            with alarm(self._job.step):
                await self._take_at_once(session, steps, seen)
            self._answer.steps += seen
            if isinstance(steps[0], Call):
                last = seen[-1].structured if isinstance(seen[-1], Called) else None

    async def _take_at_once(
        self, session: Session, steps: list[Step], seen: list[Seen]
    ) -> None:
        if len(steps) == 1:
            await self._take(session, steps[0], seen, 0)
            return
        async with anyio.create_task_group() as calls:
            for index, step in enumerate(steps):
                calls.start_soon(self._take, session, step, seen, index)

    async def _take(
        self, session: Session, step: Step, seen: list[Seen], index: int
    ) -> None:
        seen[index] = self._late("answer", self._job.step)
        try:
            with anyio.move_on_after(self._job.step):
                seen[index] = await self._see(session, step)
        except (Exception, Stuck) as error:  # noqa: BLE001 - whatever an SDK raises is an answer
            seen[index] = self._explain(error)

    def _see(self, session: Session, step: Step) -> Awaitable[Seen]:
        match step:
            case ListTools():
                return self._list(session)
            case Call(tool, arguments):
                return session.call_tool(tool, arguments)
            case Evolve(told):
                return self._evolve(session, told)

    async def _list(self, session: Session) -> Seen:
        return Listed(await session.list_tools())

    async def _evolve(self, session: Session, told: bool) -> Seen:
        self._changes.forget()
        await session.call_tool(EVOLVE_TOOL, {})
        return Evolved(told and await self._changes.heard())

    def _explain(self, error: BaseException) -> PeerError:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]  # task groups wrap what was raised
        match error:
            case Stuck():
                return PeerError("timeout", str(error))
            case Exception():
                return self._sdk.explain(error)
            case _:
                return PeerError("connect", f"{type(error).__name__}: {error}")

    @staticmethod
    def _late(what: str, seconds: float) -> PeerError:
        return PeerError("timeout", f"no {what} within {seconds * 1000:.0f} ms")


def _fed(step: Step, last: Any) -> Step:
    if not isinstance(step, Call) or not step.feed:
        return step
    return replace(step, arguments=feed.fed(step.arguments, step.feed, last))
