"""The adapter reports the values that the SDK gives, and does not play scripts that the SDK cannot hold."""

import unittest

from mcp.types import CallToolResult

from . import FOLDER  # first: it finds the next one

import shared_tests  # isort: skip

knows_structured_content = unittest.skipUnless(
    "structuredContent" in CallToolResult.model_fields, "the release is from before"
)


class Client(shared_tests.Jobs, shared_tests.ToolErrors):
    folder = FOLDER


@knows_structured_content
class StructuredContent(shared_tests.Numbers):
    folder = FOLDER

    def test_the_sdk_takes_a_null_for_none(self) -> None:
        seen = self.called('{"content": [], "structuredContent": null}')
        self.assertEqual(seen["structured"], {"present": False})

    def test_the_sdk_refuses_a_list(self) -> None:
        seen = self.called('{"content": [], "structuredContent": [1]}')
        self.assertEqual(seen["error"]["layer"], "decode")


@knows_structured_content
class Server(shared_tests.Server):
    folder = FOLDER

    def test_what_the_types_lose_is_not(self) -> None:
        self.assert_not_played(
            (
                '{"content": [], "structuredContent": null}',
                "changes /structuredContent",
            ),
            ('{"content": [], "structuredContent": [1]}', "valid dictionary"),
        )


class Typed(shared_tests.Typed):
    folder = FOLDER


if __name__ == "__main__":
    unittest.main()
