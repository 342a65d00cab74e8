"""A deadline for an SDK that computes instead of waiting.

A JSON Schema can ask for two to the thirtieth checks. An SDK that makes them keeps the event loop from everything,
timers included; only a signal gets through.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE = 1.0
"""Time after a deadline within which the event loop should notice it by itself."""


class Stuck(BaseException):
    """The SDK computed past a deadline. No ``except Exception`` of an SDK is to catch it."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises :class:`Stuck` in whatever task still runs a while after the deadline. Once at a time, in the main thread."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        if asyncio.current_task() is not None:
            raise Stuck(f"the SDK was still computing after {seconds * 1000:.0f} ms")

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE, GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
