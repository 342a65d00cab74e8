"""The client's loop: a job a line, each played in a task of its own, an answer a line.

::

    line ─ job.read ─┬─ sdk.connect ─ a round of steps, and another … ─ close ─ answer
                     └─ not a job for this adapter: unsupported

Every wait for an SDK has a deadline, and nothing that an SDK raises ends more than its own job.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Protocol

import anyio

from . import exact, feed, job, lines
from .answer import Answer, Called, Evolved, Listed, PeerError, Seen, SeenTool
from .exact import Unsupported
from .job import EVOLVE_TOOL, Call, Evolve, Job, ListTools, Step

TELLING = 0.5
"""How long a change that the server tells of may take to reach the SDK's user after the call has been answered."""

FAREWELL = 0.1
"""How long the answer waits for the session to end. A server that takes longer is waited for behind the answer."""

PATIENCE = 8.0
"""How long a session may take to end altogether: longer than an SDK takes to ask a subprocess to go, and to kill it."""


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
    playing: set[asyncio.Task[None]] = set()
    async for line in lines.from_stdin():
        try:
            task = asyncio.create_task(_play(sdk, job.read(exact.read(line))))
        except Unsupported as reason:
            _refuse(line, str(reason))
        else:
            playing.add(task)
            task.add_done_callback(playing.discard)
    if playing:
        await asyncio.wait(playing)


def _refuse(line: bytes, reason: str) -> None:
    number = exact.address(line)
    if number is not None:
        lines.say(Answer(number, unsupported=reason).line())


async def _play(sdk: Sdk, job: Job) -> None:
    answer = Answer(job.id)
    farewell: asyncio.TimerHandle | None = None
    said = False

    def say() -> None:
        nonlocal said
        if not said:
            said = True
            lines.say(answer.line())

    connected = False
    lost = PeerError("connect", "the session was lost")
    try:
        # One scope around all, for scopes have to be left in the order of entry: its deadline moves on.
        with anyio.CancelScope(deadline=anyio.current_time() + job.connect) as scope:
            changes = Changes()
            async with sdk.connect(job, changes) as session:
                connected = True
                scope.deadline = math.inf
                answer.negotiated = session.negotiated
                await _take_all(sdk, job, session, changes, answer.steps)
                farewell = asyncio.get_running_loop().call_later(FAREWELL, say)
                scope.deadline = anyio.current_time() + PATIENCE
        if not connected:
            answer.error = PeerError(
                "timeout", f"no session within {job.connect * 1000:.0f} ms"
            )
    except Unsupported as reason:
        answer.unsupported = str(reason)
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises is an answer
        lost = replace(sdk.explain(cause(error)), layer="connect")
        if not connected:
            answer.error = lost
    finally:
        if farewell:
            farewell.cancel()
        if connected:
            missing = len(job.steps) - len(answer.steps)
            answer.steps += [lost] * missing
        elif answer.error is None and answer.unsupported is None:
            answer.error = lost
        say()


async def _take_all(
    sdk: Sdk, job: Job, session: Session, changes: Changes, seen: list[Seen]
) -> None:
    last: Any = None
    for together in job.rounds():
        steps = [_fed(step, last) for step in together]
        if len(steps) == 1:
            results = [await _bounded(sdk, job, _take(session, steps[0], changes))]
        else:
            results = await _at_once(sdk, job, session, steps, changes)
        seen += results
        if isinstance(steps[0], Call):
            last = results[-1].structured if isinstance(results[-1], Called) else None


async def _at_once(
    sdk: Sdk, job: Job, session: Session, steps: list[Step], changes: Changes
) -> list[Seen]:
    results: list[Seen] = [PeerError("connect", "the session was lost")] * len(steps)

    async def one(index: int, step: Step) -> None:
        results[index] = await _bounded(sdk, job, _take(session, step, changes))

    async with anyio.create_task_group() as calls:
        for index, step in enumerate(steps):
            calls.start_soon(one, index, step)
    return results


async def _bounded(sdk: Sdk, job: Job, work: Callable[[], Awaitable[Seen]]) -> Seen:
    try:
        with anyio.move_on_after(job.step):
            return await work()
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises is an answer
        return sdk.explain(cause(error))
    return PeerError("timeout", f"no answer within {job.step * 1000:.0f} ms")


def _take(
    session: Session, step: Step, changes: Changes
) -> Callable[[], Awaitable[Seen]]:
    async def take() -> Seen:
        match step:
            case ListTools():
                return Listed(await session.list_tools())
            case Call(tool, arguments):
                return await session.call_tool(tool, arguments)
            case Evolve(told):
                changes.forget()
                await session.call_tool(EVOLVE_TOOL, {})
                return Evolved(told and await changes.heard())

    return take


def _fed(step: Step, last: Any) -> Step:
    if not isinstance(step, Call) or not step.feed:
        return step
    return replace(step, arguments=feed.fed(step.arguments, step.feed, last))


def cause(error: Exception) -> Exception:
    """The error itself, where task groups have put nothing but their wrapping around it."""
    while isinstance(error, ExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    return error
