"""The client's loop with SDKs that misbehave: what each does is told, and costs no other job anything."""

import asyncio
import contextlib
import io
import json
import sys
import unittest
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from peer_contract import job
from peer_contract.answer import Called, PeerError, SeenTool
from peer_contract.client import Changes
from peer_contract.play import Play
from peer_contract.watch import Watch

Act = Callable[[dict[str, Any], Changes], Awaitable[Any]]


class FakeSession:
    negotiated = "2025-11-25"

    def __init__(self, act: Act, changes: Changes) -> None:
        self._act = act
        self._changes = changes

    async def list_tools(self) -> list[SeenTool]:
        return [SeenTool("get")]

    async def call_tool(self, tool: str, arguments: dict[str, Any]) -> Called:
        value = await self._act(arguments, self._changes)
        return Called(structured=value, present=True, content=[], is_error=False)


class FakeSdk:
    def __init__(self, act: Act) -> None:
        self._act = act

    @asynccontextmanager
    async def connect(
        self, told: job.Job, changes: Changes
    ) -> AsyncIterator[FakeSession]:
        async with anyio.create_task_group() as background:
            yield FakeSession(self._act, changes)
            background.cancel_scope.cancel()

    def explain(self, error: Exception) -> PeerError:
        return PeerError("decode", repr(error))


def call(**more: Any) -> dict[str, Any]:
    return {"call": {"tool": "get", "arguments": {}} | more}


def played(*jobs: tuple[Act, list[Any]], step_ms: int = 300) -> list[dict[str, Any]]:
    """The answers of jobs that are played at once, in the order of the jobs."""

    async def play_all() -> None:
        watch = Watch()
        watch.start(step_ms / 1000)
        plays = []
        for number, (act, steps) in enumerate(jobs):
            message = {
                "id": number,
                "scenario": "contract/test",
                "server": {"http": {"url": "http://127.0.0.1/"}},
                "steps": steps,
                "deadlines": {"connect_ms": 1000, "step_ms": step_ms},
            }
            told = job.read(message)
            plays.append(Play(FakeSdk(act), told, Changes(), watch).run())
        await asyncio.gather(*plays)
        watch.stop()

    with contextlib.redirect_stdout(io.StringIO()) as out:
        asyncio.run(play_all())
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    return sorted(answers, key=lambda answer: int(answer["id"]))


async def give(arguments: dict[str, Any], _: Changes) -> Any:
    return arguments


async def hang(_: dict[str, Any], __: Changes) -> Any:
    await anyio.sleep_forever()


async def fail(_: dict[str, Any], __: Changes) -> Any:
    raise ExceptionGroup("wrapped", [ValueError("no")])


async def compute(_: dict[str, Any], __: Changes) -> Any:
    while sys:
        pass


async def tell(_: dict[str, Any], changes: Changes) -> Any:
    changes.hear()


class Jobs(unittest.TestCase):
    def test_steps_are_answered_in_their_order(self) -> None:
        (answer,) = played((give, [{"list": {}}, call(arguments={"a": 1})]))
        self.assertEqual(answer["negotiated"], "2025-11-25")
        self.assertEqual(answer["steps"][0], {"tools": [{"name": "get"}]})
        self.assertEqual(answer["steps"][1]["structured"]["value"], {"a": 1})

    def test_a_call_that_hangs_is_late_and_the_next_one_goes_on(self) -> None:
        (answer,) = played((hang, [call(), {"list": {}}]))
        self.assertEqual(answer["steps"][0]["error"]["layer"], "timeout")
        self.assertIn("tools", answer["steps"][1])

    def test_what_the_sdk_raises_is_told_without_its_wrapping(self) -> None:
        (answer,) = played((fail, [call()]))
        self.assertEqual(
            answer["steps"][0]["error"],
            {"layer": "decode", "message": "ValueError('no')"},
        )

    def test_a_value_is_fed_into_the_next_call(self) -> None:
        steps = [
            call(arguments={"id": 9007199254740993}),
            call(feed={"/user": "/id", "/none": "/gone"}),
        ]
        (answer,) = played((give, steps))
        value = answer["steps"][1]["structured"]["value"]
        self.assertEqual(value, {"user": 9007199254740993})

    def test_calls_at_once_have_one_deadline(self) -> None:
        steps = [call(), call(at_once=True), call(at_once=True)]
        (answer,) = played((hang, steps))
        layers = [step["error"]["layer"] for step in answer["steps"]]
        self.assertEqual(layers, ["timeout"] * 3)

    def test_a_change_is_heard_or_not(self) -> None:
        steps = [{"evolve": {"told": True}}]
        heard, unheard = played((tell, steps), (give, steps), step_ms=1000)
        self.assertEqual(heard["steps"], [{"evolved": True}])
        self.assertEqual(unheard["steps"], [{"evolved": False}])

    def test_an_sdk_that_computes_is_interrupted_and_no_other_job_is_late(self) -> None:
        stuck, other = played(
            (compute, [call(), {"list": {}}]), (hang_a_little, [call()])
        )
        self.assertEqual(stuck["steps"][0]["error"]["layer"], "timeout")
        self.assertIn("tools", stuck["steps"][1])
        self.assertIn("structured", other["steps"][0])


async def hang_a_little(_: dict[str, Any], __: Changes) -> Any:
    await anyio.sleep(0.2)


if __name__ == "__main__":
    unittest.main()
