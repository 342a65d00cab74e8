"""Shared parts of the adapters' tests. They run an adapter as a process, as the harness does.

The tests of an adapter run with the Python that has its SDK::

    cd mcp-1 && <home>/venv/bin/python -m unittest
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

WIRE_SERVER = Path(__file__).with_name("wire_server.py")


class AdapterTest(unittest.TestCase):
    """Has an adapter's processes do single things."""

    folder: ClassVar[Path]
    """The adapter's."""

    def job(self, steps: list[Any], result: str, mode: str | None = None) -> Any:
        """Answer of the client to a job in which every call is answered with ``result``, the text of a JSON value."""
        command = [sys.executable, str(WIRE_SERVER), result]
        job = {
            "id": 1,
            "scenario": "adapter/test",
            "server": {"stdio": {"command": command, "env": {}}},
            "steps": steps,
            "deadlines": {"connect_ms": 30_000, "step_ms": 30_000},
        }
        line = json.dumps(job if mode is None else job | {"mode": mode})
        return json.loads(self.run_adapter("client", line).stdout)

    def called(self, result: str, mode: str | None = None) -> Any:
        """Observation of the client's user in one call."""
        call = {"call": {"tool": "get", "arguments": {}}}
        return self.job([call], result, mode)["steps"][0]

    def refusal(self, role: str, reply: str, **definition: Any) -> str:
        """Reason why a stdio server does not play a script of one tool whose reply is the JSON text given."""
        definition = {"name": "get", "inputSchema": {"type": "object"}} | definition
        tool = (
            f'{{"name": "get", "definition": {json.dumps(definition)}, '
            f'"reply": {{"result": {reply}}}}}'
        )
        script = f'{{"scenario": "adapter/test", "stages": [{{"tools": [{tool}]}}]}}'
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(script)
            file.flush()
            done = self.run_adapter(role, "", MCP_COMPAT_SCENARIO=file.name)
        self.assertIn(done.returncode, (0, 127), done.stderr)
        return done.stderr if done.returncode else ""

    def assert_not_played(self, *replies: tuple[str, str]) -> None:
        """Each reply is refused by the low-level server, with the words beside it."""
        for reply, words in replies:
            with self.subTest(reply):
                self.assertIn(words, self.refusal("server", reply))

    def run_adapter(
        self, role: str, stdin: str, **env: str
    ) -> "subprocess.CompletedProcess[str]":
        """Runs the adapter to the end of its input."""
        return subprocess.run(
            [sys.executable, str(self.folder), role],
            input=f"{stdin}\n" if stdin else "",
            env=os.environ | env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
