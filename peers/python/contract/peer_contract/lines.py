"""The contract's lines: read from stdin as they come, written to stdout one at a time."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

from . import exact

LONGEST = 1 << 30
"""No script of a corpus is longer; a reader has to be given some limit."""


async def from_stdin() -> AsyncIterator[bytes]:
    """The lines, to the end of the input."""
    reader = asyncio.StreamReader(limit=LONGEST)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    while line := await reader.readline():
        if line.strip():
            yield line


def say(message: dict[str, Any]) -> None:
    """Writes a message. Ends the process when nobody reads it any more."""
    write(exact.write(message))


def write(line: str) -> None:
    """Writes a line. Ends the process when nobody reads it any more."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OSError:
        os._exit(1)
