"""Test cases for several adapters. Those of an adapter are derived from them, each with its folder."""

from adapter_test import AdapterTest


class Jobs(AdapterTest):
    """Any client."""

    def test_the_probe_is_not_known(self) -> None:
        answer = self.job([{"probe-that-no-adapter-knows": {}}], "{}")
        self.assertIn("probe-that-no-adapter-knows", answer["unsupported"])


class Numbers(AdapterTest):
    """The client of any release that has structured content."""

    def test_the_sdk_makes_infinity_of_a_number_too_large_for_a_float(self) -> None:
        seen = self.called('{"content": [], "structuredContent": {"x": 1e400}}')
        self.assertEqual(seen["structured"]["value"], {"x": float("inf")})

    def test_the_sdk_rounds_a_decimal_and_keeps_an_integer(self) -> None:
        seen = self.called(
            '{"content": [], "structuredContent": {"d": 0.30000000000000000001, "i": 9007199254740993000001}}'
        )
        self.assertEqual(
            seen["structured"]["value"], {"d": 0.3, "i": 9007199254740993000001}
        )


class ToolErrors(AdapterTest):
    """The client of the official SDK."""

    def test_a_tool_error_is_a_result(self) -> None:
        seen = self.called(
            '{"content": [{"type": "text", "text": "no"}], "isError": true}'
        )
        self.assertEqual(seen["content"], [{"type": "text", "text": "no"}])
        self.assertTrue(seen["is_error"])


class Server(AdapterTest):
    """The low-level server of any release that has structured content."""

    def test_what_the_types_hold_is_played(self) -> None:
        result = '{"content": [], "structuredContent": {"x": null, "y": 12345678901234567890123}}'
        schema = {"type": "object", "properties": {"x": {"type": "string"}}}
        self.assertEqual(self.refusal("server", result, outputSchema=schema), "")

    def test_what_python_does_not_hold_is_not(self) -> None:
        self.assert_not_played(
            (
                '{"content": [], "structuredContent": {"x": 1, "x": 2}}',
                "one of two keys",
            ),
            (
                '{"content": [], "structuredContent": {"x": 1e400}}',
                "cannot represent 1e400",
            ),
        )


class Typed(AdapterTest):
    """The server that is written with functions."""

    def test_a_value_that_its_annotation_holds_is_played(self) -> None:
        result = (
            '{"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1]}'
        )
        schema = {"type": "array", "items": {"type": "integer"}}
        self.assertEqual(self.refusal("typed", result, outputSchema=schema), "")

    def test_what_no_annotation_says_is_not(self) -> None:
        refusal = self.refusal("typed", '{"content": []}', outputSchema={"if": {}})
        self.assertIn("no type annotation expresses `if`", refusal)

    def test_what_the_annotation_would_change_is_not(self) -> None:
        result = '{"content": [], "structuredContent": {"a": 1, "b": 2}}'
        schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
        refusal = self.refusal("typed", result, outputSchema=schema)
        self.assertIn("changes /b", refusal)
