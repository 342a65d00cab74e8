"""What is reported is what the SDK gives, and what it cannot hold is not played."""

import unittest

from mcp.types import CallToolResult

from . import FOLDER  # first: it finds the next one

from adapter_test import AdapterTest  # isort: skip

knows_structured_content = unittest.skipUnless(
    "structuredContent" in CallToolResult.model_fields, "the release is from before"
)


class Client(AdapterTest):
    folder = FOLDER

    def test_the_probe_is_not_known(self) -> None:
        answer = self.job([{"probe-that-no-adapter-knows": {}}], "{}")
        self.assertIn("probe-that-no-adapter-knows", answer["unsupported"])

    @knows_structured_content
    def test_the_sdk_takes_a_null_for_none(self) -> None:
        seen = self.called('{"content": [], "structuredContent": null}')
        self.assertEqual(seen["structured"], {"present": False})

    @knows_structured_content
    def test_the_sdk_refuses_a_list(self) -> None:
        seen = self.called('{"content": [], "structuredContent": [1]}')
        self.assertEqual(seen["error"]["layer"], "decode")

    @knows_structured_content
    def test_the_sdk_makes_infinity_of_a_number_too_large_for_a_float(self) -> None:
        seen = self.called('{"content": [], "structuredContent": {"x": 1e400}}')
        self.assertEqual(seen["structured"]["value"], {"x": "inf"})

    @knows_structured_content
    def test_the_sdk_rounds_a_decimal_and_keeps_an_integer(self) -> None:
        seen = self.called(
            '{"content": [], "structuredContent": {"d": 0.30000000000000000001, "i": 9007199254740993000001}}'
        )
        self.assertEqual(
            seen["structured"]["value"], {"d": 0.3, "i": 9007199254740993000001}
        )

    def test_a_tool_error_is_a_result(self) -> None:
        seen = self.called(
            '{"content": [{"type": "text", "text": "no"}], "isError": true}'
        )
        self.assertEqual(seen["content"], [{"type": "text", "text": "no"}])
        self.assertTrue(seen["is_error"])


class Server(AdapterTest):
    folder = FOLDER

    @knows_structured_content
    def test_what_the_types_hold_is_played(self) -> None:
        result = '{"content": [], "structuredContent": {"x": null, "y": 12345678901234567890123}}'
        self.assertEqual(self.refusal("server", result, outputSchema={}), "")

    @knows_structured_content
    def test_what_the_types_lose_is_not(self) -> None:
        for result, words in [
            (
                '{"content": [], "structuredContent": null}',
                "changes /structuredContent",
            ),
            ('{"content": [], "structuredContent": [1]}', "valid dictionary"),
            ('{"content": [], "structuredContent": {"x": 1, "x": 2}}', "twice"),
            (
                '{"content": [], "structuredContent": {"x": 1e400}}',
                "float does not hold",
            ),
        ]:
            with self.subTest(result):
                self.assertIn(words, self.refusal("server", result))


class Typed(AdapterTest):
    folder = FOLDER

    def test_a_value_that_its_annotation_holds_is_played(self) -> None:
        result = (
            '{"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1]}'
        )
        schema = {"type": "array", "items": {"type": "integer"}}
        self.assertEqual(self.refusal("typed", result, outputSchema=schema), "")

    def test_what_no_annotation_says_is_not(self) -> None:
        refusal = self.refusal("typed", '{"content": []}', outputSchema={"if": {}})
        self.assertIn("no annotation says `if`", refusal)

    def test_what_the_annotation_would_change_is_not(self) -> None:
        result = '{"content": [], "structuredContent": {"a": 1, "b": 2}}'
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
        refusal = self.refusal("typed", result, outputSchema=schema)
        self.assertIn("changes /b", refusal)


if __name__ == "__main__":
    unittest.main()
