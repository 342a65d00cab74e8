"""Values that Python cannot give back are refused, and no others."""

import json
import unittest

from peer_contract import exact
from peer_contract.exact import Unsupported


class Reading(unittest.TestCase):
    def test_a_value_that_python_keeps_is_read(self) -> None:
        for text in [
            "[1, 1.0, 1e0, -0, -0.0, 0e9, 1e2, 0.1, 18894.988582774542]",
            "[123456789012345678901234567890, 9007199254740993]",
            '{"a": {"b": 1}, "b": ["1e999", "\\ud83d\\ude00"]}',
        ]:
            with self.subTest(text):
                self.assertIsNone(exact.difference(exact.read(text), json.loads(text)))

    def test_a_value_that_python_would_change_is_refused(self) -> None:
        for text in [
            '{"a": 1, "a": 2}',
            "[1e400]",
            "[1e-400]",
            "[0.30000000000000000001]",
            "[123456789012345678901234567890.5]",
            "[NaN]",
            "[-Infinity]",
            '["\\ud800"]',
            f"[{'1' * 5000}]",
            "[" * 100_000 + "]" * 100_000,
        ]:
            with self.subTest(text[:50]), self.assertRaises(Unsupported):
                exact.read(text)

    def test_a_line_that_cannot_be_read_still_tells_its_id(self) -> None:
        line = b'{"id": 7, "script": {"x": 1e400, "y": "\\ud800"}}'
        self.assertEqual(exact.address(line), 7)


class Comparing(unittest.TestCase):
    def test_numbers_are_what_they_are_worth_and_true_is_no_number(self) -> None:
        self.assertIsNone(exact.difference({"a": [1, 2.0]}, {"a": [1.0, 2]}))
        self.assertEqual(exact.difference({"a": [1]}, {"a": [True]}), "/a/0")
        self.assertEqual(exact.difference([0], [False]), "/0")

    def test_a_type_that_drops_a_member_does_not_hold_it(self) -> None:
        with self.assertRaisesRegex(Unsupported, "the SDK changes /x in the tool"):
            exact.same("the tool", {"name": "a", "x": None}, {"name": "a"})

    def test_a_null_is_not_an_absent_member(self) -> None:
        self.assertEqual(exact.difference({}, {"a": None}), "/a")


class Writing(unittest.TestCase):
    def test_an_infinite_number_is_written_as_one_that_no_double_holds(self) -> None:
        inf = float("inf")
        value = {"a": [inf, {"b": -inf}, 1.5, 1 << 70], "c": 'Infinity, \\"-Infinity'}
        text = exact.write(value)
        self.assertEqual(
            text,
            '{"a":[1e999,{"b":-1e999},1.5,1180591620717411303424],'
            '"c":"Infinity, \\\\\\"-Infinity"}',
        )
        self.assertEqual(json.loads(text), value)

    def test_what_is_no_number_is_told_in_pythons_word(self) -> None:
        self.assertEqual(exact.write([float("nan"), "NaN"]), '["nan","NaN"]')


if __name__ == "__main__":
    unittest.main()
