"""A client adapter whose SDK does what the name of the tool says. Runs as a process, for the tests."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from peer_contract import client
from peer_contract.answer import Called, PeerError, SeenTool
from peer_contract.client import Changes
from peer_contract.job import EVOLVE_TOOL, Job


class Session:
    """A session with nobody."""

    negotiated = "2025-11-25"

    def __init__(self, changes: Changes, scenario: str) -> None:
        self._changes = changes
        self._scenario = scenario

    async def list_tools(self) -> list[SeenTool]:
        return [SeenTool("get")]

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        match tool:
            case "hang":
                await anyio.sleep_forever()
            case "fail":
                raise ExceptionGroup("wrapped", [ValueError("no")])
            case "compute":
                while sys:
                    pass
            case "die":
                os.abort()
            case "print":
                print("noise")
            case _ if tool == EVOLVE_TOOL and self._scenario == "fake/told":
                self._changes.hear()
        return Called(structured=arguments, present=True, content=[], is_error=False)


class Sdk:
    """Its client."""

    @asynccontextmanager
    async def connect(self, job: Job, changes: Changes) -> AsyncIterator[Session]:
        if job.scenario == "fake/unreachable":
            await anyio.sleep_forever()
        async with anyio.create_task_group() as background:
            yield Session(changes, job.scenario)
            if job.scenario == "fake/slow-to-close":
                await anyio.sleep(1)
            background.cancel_scope.cancel()

    def explain(self, error: Exception) -> PeerError:
        return PeerError("decode", repr(error))


if __name__ == "__main__":
    client.serve(Sdk())
