"""Deadlines that hold even where an SDK computes, and for nobody but who is late.

All jobs share one thread. An SDK that computes instead of waiting (a JSON Schema can ask for 2 to the thirtieth checks)
keeps it from the others, and its own deadline cannot pass either, for a timer needs the event loop. So

- the time for which the loop was held is added to every deadline that runs meanwhile, and
- what holds it longer than a step may take is interrupted where it stands: :class:`Stuck` is raised in it.
"""

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import anyio

BEAT = 0.1
"""How often the loop shows that it is free."""

COMPUTING = 0.2
"""The seconds of processor time without a beat that show it to be held, however busy the machine is besides."""


class Stuck(BaseException):
    """The SDK computed longer than a step may take. No ``except Exception`` of an SDK is to catch it."""


class Watch:
    """Watches over the deadlines of one event loop. Belongs to the main thread."""

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self._patience = float("inf")
        self._wall = self._cpu = 0.0
        self._next: asyncio.TimerHandle | None = None

    @contextmanager
    def bounded(self, seconds: float) -> Iterator[anyio.CancelScope]:
        """A scope with a deadline, which is cancelled when that has passed."""
        with anyio.move_on_after(seconds) as scope:
            self._scopes.add(scope)
            try:
                yield scope
            finally:
                self._scopes.discard(scope)

    def start(self, patience: float) -> None:
        """Begins, or goes on; ``patience`` is how long a step may take."""
        self._patience = min(self._patience, patience)
        if self._next is None:
            # Counts what the process computes: where it waits, there are no interruptions.
            signal.signal(signal.SIGVTALRM, self._check)
            signal.setitimer(signal.ITIMER_VIRTUAL, BEAT, BEAT)
            self._mark()
            self._schedule()

    def stop(self) -> None:
        """Rests, until it is started again."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if self._next is not None:
            self._next.cancel()
        self._next, self._patience = None, float("inf")

    def _mark(self) -> None:
        self._wall, self._cpu = time.monotonic(), time.process_time()

    def _held(self) -> float:
        """For how long the loop has been held by computing."""
        late = time.monotonic() - self._wall - BEAT
        computed = time.process_time() - self._cpu
        return late if late > 0 and computed > COMPUTING else 0.0

    def _schedule(self) -> None:
        self._next = asyncio.get_running_loop().call_later(BEAT, self._beat)

    def _beat(self) -> None:
        self._give_back(self._held())
        self._schedule()

    def _check(self, _signal: int, _frame: FrameType | None) -> None:
        held = self._held()
        if held > self._patience and asyncio.current_task() is not None:
            self._give_back(held)
            raise Stuck(f"the SDK kept its event loop busy for {held:.1f} s")

    def _give_back(self, held: float) -> None:
        if held:
            for scope in self._scopes:
                scope.deadline += held
        self._mark()
