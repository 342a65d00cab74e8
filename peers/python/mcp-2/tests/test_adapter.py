"""The adapter reports the values that the SDK gives, and does not play scripts that the SDK cannot hold."""

import unittest

from . import FOLDER  # first: it finds the next one

import shared_tests  # isort: skip


class Client(shared_tests.Jobs, shared_tests.Numbers, shared_tests.ToolErrors):
    folder = FOLDER

    def test_the_sdk_tells_a_null_from_none(self) -> None:
        seen = self.called('{"content": [], "structuredContent": null}')
        self.assertEqual(seen["structured"], {"present": True, "value": None})

    def test_the_sdk_refuses_a_list_before_2026(self) -> None:
        result = '{"content": [], "structuredContent": [1]}'
        seen = self.called(result, mode="legacy")
        self.assertEqual(seen["error"]["layer"], "decode")

    def test_the_sdk_drops_members_that_it_does_not_know(self) -> None:
        seen = self.called('{"content": [{"type": "text", "text": "a", "x": 1}]}')
        self.assertEqual(seen["content"], [{"type": "text", "text": "a"}])


class Server(shared_tests.Server):
    folder = FOLDER

    def test_what_the_types_lose_is_not(self) -> None:
        self.assert_not_played(
            (
                '{"content": [], "structuredContent": null}',
                "changes /structuredContent",
            ),
            ('{"content": [], "x": 1}', "changes /x"),
        )


class Typed(shared_tests.Typed):
    folder = FOLDER


if __name__ == "__main__":
    unittest.main()
