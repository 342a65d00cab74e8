"""The adapter reports the values that FastMCP gives, and does not play scripts that FastMCP cannot hold.

The tests run with the Python of any release, and say where releases differ.
"""

import unittest
from importlib.metadata import version

from . import FOLDER  # first: it finds the next one

import shared_tests  # isort: skip

MAJOR = int(version("fastmcp").partition(".")[0])


class Client(shared_tests.Jobs, shared_tests.Numbers):
    folder = FOLDER

    def test_fastmcp_takes_a_null_for_none(self) -> None:
        seen = self.called('{"content": [], "structuredContent": null}')
        self.assertEqual(seen["structured"], {"present": False})

    def test_a_wrapped_list_is_given_as_it_came(self) -> None:
        seen = self.called(
            '{"content": [], "structuredContent": {"result": [1]}, "_meta": {"fastmcp": {"wrap_result": true}}}'
        )
        self.assertEqual(seen["structured"]["value"], {"result": [1]})

    def test_a_tool_error_is_raised_with_its_first_text(self) -> None:
        seen = self.called(
            '{"content": [{"type": "text", "text": "no"}, {"type": "text", "text": "never"}], '
            '"structuredContent": {"code": 7}, "isError": true}'
        )
        self.assertEqual(seen["error"], {"layer": "tool", "message": "no"})

    def test_a_tool_error_without_text(self) -> None:
        error = self.called('{"content": [], "isError": true}')["error"]
        if error["layer"] == "tool":
            self.assertEqual(error["message"], "Tool 'get' returned an error")
        else:
            # Until 3.0 the text of the first block is taken, though there is no block.
            self.assertEqual(error["layer"], "decode")

    @unittest.skipIf(MAJOR < 4, "no modes before FastMCP 4")
    def test_auto_falls_back_where_a_server_knows_no_discover(self) -> None:
        for mode, revision in [("legacy", "2025-11-25"), ("auto", "2025-11-25")]:
            with self.subTest(mode):
                self.assertEqual(self.job([], "{}", mode)["negotiated"], revision)


class Server(shared_tests.Server):
    folder = FOLDER

    def test_what_fastmcp_does_not_hold_is_not(self) -> None:
        self.assert_not_played(
            ('{"content": [], "structuredContent": null}', "/structuredContent"),
            ('{"content": [], "structuredContent": [1]}', "must be a dict or None"),
            ('{"structuredContent": {}}', "no result without content"),
            ('{"content": [{"type": "text", "text": 1}]}', "valid string"),
            ('{"content": [], "later": 1}', "changes /later"),
        )

    def test_a_definition_that_fastmcp_changes_is_not_played(self) -> None:
        refusal = self.refusal("server", '{"content": []}', later=1)
        self.assertIn("changes /later", refusal)


class Typed(shared_tests.Typed):
    folder = FOLDER

    def test_a_value_that_fastmcp_would_not_send_is_not(self) -> None:
        result = '{"content": [], "structuredContent": {"a": "one"}}'
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
        refusal = self.refusal("typed", result, outputSchema=schema)
        if MAJOR < 4:
            self.assertIn(
                "sends an error for a value that is not of the declared type", refusal
            )
        else:
            self.assertEqual(refusal, "")


if __name__ == "__main__":
    unittest.main()
