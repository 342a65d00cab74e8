"""From schema to annotation and back, and what a function is asked to do."""

import asyncio
import inspect
import unittest
from typing import Any

from pydantic import TypeAdapter

from peer_contract.annotation import annotation
from peer_contract.exact import Unsupported
from peer_contract.native import Api, function
from peer_contract.script import Error, Reply, Result, ScriptedTool

USER = {
    "title": "User",
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "state": {"enum": ["on", "off"]},
    },
    "required": ["id"],
}


class Annotations(unittest.TestCase):
    def test_a_schema_comes_back_from_its_annotation(self) -> None:
        schema = TypeAdapter(annotation(USER, "User")).json_schema()
        self.assertEqual((schema["title"], schema["required"]), ("User", ["id"]))
        properties = schema["properties"]
        self.assertEqual(properties["id"]["minimum"], 1)
        self.assertEqual(properties["tags"]["items"], {"type": "string"})
        self.assertEqual(properties["state"]["enum"], ["on", "off"])

    def test_a_type_without_a_title_is_called_after_its_tool(self) -> None:
        schema = TypeAdapter(annotation(USER | {"title": "1"}, "A")).json_schema()
        self.assertNotEqual(schema, {})
        untitled = {word: USER[word] for word in USER if word != "title"}
        self.assertEqual(annotation(untitled, "GetResult").__name__, "GetResult")

    def test_what_no_annotation_says_is_refused(self) -> None:
        for schema in [
            {"$ref": "#"},
            {"oneOf": [{}, {}]},
            {"type": "string", "format": "date"},
            {"type": "object", "required": ["id"]},
            {"const": 0.5},
            False,
        ]:
            with self.subTest(schema), self.assertRaises(Unsupported):
                annotation(schema, "Any")


def write(reply: Reply, **definition: Any) -> Any:
    definition = {"name": "get-it", "inputSchema": {"type": "object"}} | definition
    return function(ScriptedTool("get-it", definition, reply), Api(fails=ValueError))


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


class Functions(unittest.TestCase):
    def test_a_function_returns_the_value_with_its_annotation(self) -> None:
        result = Result({"structuredContent": [1], "content": [text("[1]")]})
        schema = {"type": "array", "items": {"type": "integer"}}
        tool = write(result, outputSchema=schema)
        self.assertEqual(asyncio.run(tool.call()), [1])
        self.assertEqual(inspect.signature(tool.call).return_annotation, list[int])
        self.assertEqual((tool.name, tool.call.__name__), ("get-it", "get_it"))

    def test_a_parameter_that_is_not_required_may_be_left_out(self) -> None:
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        tool = write(Result({"content": [text("a")]}), inputSchema=schema)
        parameter = inspect.signature(tool.call).parameters["n"]
        self.assertEqual((parameter.annotation, parameter.default), (int | None, None))

    def test_a_tool_error_is_raised_with_its_words(self) -> None:
        tool = write(Result({"isError": True, "content": [text("no stock")]}))
        with self.assertRaisesRegex(ValueError, "no stock"):
            asyncio.run(tool.call())

    def test_a_value_that_its_annotation_refuses_is_returned_all_the_same(self) -> None:
        result = Result({"structuredContent": ["a"], "content": []})
        tool = write(
            result, outputSchema={"type": "array", "items": {"type": "integer"}}
        )
        self.assertEqual(asyncio.run(tool.call()), ["a"])

    def test_what_a_function_cannot_say_is_refused(self) -> None:
        integer = {"outputSchema": {"type": "integer"}}
        cases: list[tuple[Reply, dict[str, Any]]] = [
            (Result({"structuredContent": 1, "content": [text("one")]}), integer),
            (Result({"structuredContent": "1", "content": [text('"1"')]}), integer),
            (Result({"content": [text("1")]}), integer),
            (Result({"content": [{"type": "image"}]}), {}),
            (Result({"content": [], "_meta": {}}), {}),
            (Error({"code": 1, "message": ""}), {}),
        ]
        for reply, definition in cases:
            with self.subTest(reply), self.assertRaises(Unsupported):
                write(reply, **definition)

    def test_annotations_that_the_api_has_no_place_for_are_refused(self) -> None:
        hints = TypeAdapter(dict[str, bool]).validate_python
        api = Api(fails=ValueError, annotations=hints)
        reply = Result({"content": []})

        def written(annotations: Any) -> Any:
            definition = {"name": "t", "inputSchema": {}, "annotations": annotations}
            return function(ScriptedTool("t", definition, reply), api)

        hint = {"readOnlyHint": True}
        self.assertEqual(written(hint).about["annotations"], hint)
        self.assertRaises(Unsupported, written, "yes")


if __name__ == "__main__":
    unittest.main()
