"""The HTTP server's loop: scripts come and go, each at its path, and none ends the others."""

import json
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

CONTRACT = Path(__file__).parent.parent


class Hosting(unittest.TestCase):
    def setUp(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.fake_server"],
            cwd=CONTRACT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.server.stdin and self.server.stdout
        self.lines, self.answers = self.server.stdin, self.server.stdout
        self.base = self.answers.readline().strip()

    def tearDown(self) -> None:
        self.lines.close()
        self.assertEqual(self.server.wait(10), 0)
        self.answers.close()

    def host(self, path: str, scenario: str | None) -> Any:
        message: dict[str, Any] = {"id": 7, "path": path}
        if scenario:
            message["script"] = {"scenario": scenario, "stages": [{"tools": []}]}
        return self.say(json.dumps(message))

    def say(self, line: str) -> Any:
        self.lines.write(f"{line}\n")
        self.lines.flush()
        return json.loads(self.answers.readline())

    def get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(self.base + path) as response:
                return str(response.read().decode())
        except urllib.error.HTTPError as error:
            return str(error.code)

    def test_each_script_is_served_at_its_path_until_it_is_taken_away(self) -> None:
        self.assertEqual(self.host("/a", "fake/a"), {"id": 7})
        self.assertEqual(self.host("/b", "fake/b"), {"id": 7})
        self.assertEqual(self.get("/a"), "fake/a at /a")
        self.assertEqual(self.host("/a", None), {"id": 7})
        self.assertEqual(self.get("/a"), "404")
        self.assertEqual(self.get("/b"), "fake/b at /b")

    def test_what_cannot_be_served_is_told_with_the_reason(self) -> None:
        refused = self.host("/a", "fake/unsupported")
        self.assertEqual(refused, {"id": 7, "unsupported": "not this one"})
        inexact = '{"id": 8, "path": "/a", "script": {"scenario": 1e400}}'
        self.assertIn("1e400", self.say(inexact)["unsupported"])

    def test_a_script_that_breaks_the_sdk_breaks_nothing_else(self) -> None:
        self.assertIn("too deep", self.host("/a", "fake/broken")["unsupported"])
        self.assertEqual(self.host("/b", "fake/b"), {"id": 7})


if __name__ == "__main__":
    unittest.main()
