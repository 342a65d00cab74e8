"""Stages of functions, as a server that knows names has them."""

import unittest

from peer_contract.declared import Declared
from peer_contract.exact import Unsupported
from peer_contract.native import Api, Function
from peer_contract.script import Result, Script, ScriptedTool, Stage


def stage(*names: str, told: bool = True) -> Stage:
    tools = [
        ScriptedTool(
            name,
            {"name": name, "inputSchema": {"type": "object"}},
            Result({"content": []}),
        )
        for name in names
    ]
    return Stage(tools, told)


def script(*stages: Stage, page_size: int | None = None) -> Script:
    return Script("a/test", list(stages), page_size, {})


class Stages(unittest.TestCase):
    def setUp(self) -> None:
        self.names: list[str] = []

    def declare(self, said: Script) -> Declared:
        return Declared(
            "the API",
            said,
            Api(fails=ValueError),
            add=self.add,
            remove=self.names.remove,
        )

    def add(self, each: Function) -> None:
        if each.name == "reserved":
            raise ValueError("a reserved name")
        self.names.append(each.name)

    def test_the_functions_of_one_stage_are_declared(self) -> None:
        stages = stage("a", "b"), stage("b", "c"), stage("d", told=False)
        tools = self.declare(script(*stages))
        self.assertEqual(self.names, ["a", "b"])
        self.assertTrue(tools.advance())
        self.assertEqual(self.names, ["b", "c"])
        self.assertFalse(tools.advance(), "nobody is told of the third")
        self.assertEqual(self.names, ["d"])
        self.assertFalse(tools.advance(), "there is no fourth")
        self.assertEqual(self.names, ["d"])

    def test_what_cannot_be_declared_in_a_later_stage_is_known_at_once(self) -> None:
        with self.assertRaisesRegex(Unsupported, "a reserved name"):
            self.declare(script(stage("a"), stage("reserved")))

    def test_a_list_in_pages_is_not_played(self) -> None:
        with self.assertRaisesRegex(Unsupported, "on one page"):
            self.declare(script(stage("a", "b"), page_size=1))
        self.declare(script(stage("a", "b"), page_size=2))


if __name__ == "__main__":
    unittest.main()
