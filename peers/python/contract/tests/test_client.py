"""The client's loop with an SDK that misbehaves: what it does is told, and costs no other job anything."""

import json
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any

CONTRACT = Path(__file__).parent.parent


def call(tool: str = "get", **more: Any) -> dict[str, Any]:
    return {"call": {"tool": tool, "arguments": {}} | more}


def play(
    *jobs: list[Any], scenario: str = "fake/plain", step_ms: int = 500
) -> list[dict[str, Any]]:
    """The answers of jobs that are given at once, in the order of the jobs."""
    given = [
        {
            "id": number,
            "scenario": scenario,
            "server": {"http": {"url": "http://127.0.0.1/"}},
            "steps": steps,
            "deadlines": {"connect_ms": 500, "step_ms": step_ms},
        }
        for number, steps in enumerate(jobs)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fake_adapter"],
        cwd=CONTRACT,
        input="".join(f"{json.dumps(job)}\n" for job in given),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(answers, key=lambda answer: int(answer["id"]))


class Jobs(unittest.TestCase):
    def test_steps_are_answered_in_their_order(self) -> None:
        (answer,) = play([{"list": {}}, call(arguments={"a": 1})])
        self.assertEqual(answer["negotiated"], "2025-11-25")
        self.assertEqual(answer["steps"][0], {"tools": [{"name": "get"}]})
        self.assertEqual(answer["steps"][1]["structured"]["value"], {"a": 1})

    def test_a_step_that_is_not_known_is_not_supported(self) -> None:
        (answer,) = play([{"probe-that-no-adapter-knows": {}}])
        self.assertIn("does not support", answer["unsupported"])

    def test_a_call_that_hangs_is_late_and_the_next_one_goes_on(self) -> None:
        (answer,) = play([call("hang"), {"list": {}}])
        self.assertEqual(answer["steps"][0]["error"]["layer"], "timeout")
        self.assertIn("tools", answer["steps"][1])

    def test_no_session_is_told(self) -> None:
        (answer,) = play([call()], scenario="fake/unreachable")
        self.assertEqual(answer["error"]["layer"], "timeout")
        self.assertEqual(answer["steps"], [])

    def test_what_the_sdk_raises_is_told_without_its_wrapping(self) -> None:
        (answer,) = play([call("fail")])
        error = {"layer": "decode", "message": "ValueError('no')"}
        self.assertEqual(answer["steps"], [{"error": error}])

    def test_a_value_is_fed_into_the_next_call(self) -> None:
        first = call(arguments={"id": 9007199254740993})
        second = call(feed={"/user": "/id", "/none": "/gone"})
        (answer,) = play([first, second])
        value = answer["steps"][1]["structured"]["value"]
        self.assertEqual(value, {"user": 9007199254740993})

    def test_calls_at_once_have_one_deadline(self) -> None:
        begun = time.monotonic()
        steps = [call("hang"), call("hang", at_once=True), call("hang", at_once=True)]
        (answer,) = play(steps, step_ms=2000)
        layers = [step["error"]["layer"] for step in answer["steps"]]
        self.assertEqual(layers, ["timeout"] * 3)
        self.assertLess(time.monotonic() - begun, 5)

    def test_a_change_is_heard_or_not(self) -> None:
        steps = [{"evolve": {"told": True}}]
        for scenario, heard in [("fake/told", True), ("fake/plain", False)]:
            (answer,) = play(steps, scenario=scenario, step_ms=2000)
            self.assertEqual(answer["steps"], [{"evolved": heard}])

    def test_the_answer_does_not_wait_for_a_slow_end(self) -> None:
        first, second = play([call()], [call()], scenario="fake/slow-to-close")
        self.assertIn("structured", first["steps"][0])
        self.assertIn("structured", second["steps"][0])

    def test_noise_goes_to_the_log(self) -> None:
        (answer,) = play([call("print")])
        self.assertIn("structured", answer["steps"][0])


class OneForAll(unittest.TestCase):
    def test_an_sdk_that_computes_is_interrupted_and_nobody_else_is_late(self) -> None:
        stuck, other = play([call("compute"), {"list": {}}], [call(), {"list": {}}])
        self.assertEqual(stuck["steps"][0]["error"]["layer"], "timeout")
        self.assertIn("tools", stuck["steps"][1])
        self.assertIn("structured", other["steps"][0])

    def test_an_sdk_that_ends_its_process_ends_no_other_job(self) -> None:
        dead, other = play([call("die")], [call(), call()])
        self.assertEqual(dead["error"]["layer"], "connect")
        self.assertEqual(len(other["steps"]), 2)


if __name__ == "__main__":
    unittest.main()
