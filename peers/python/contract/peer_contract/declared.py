"""A script's functions as an SDK's server has them: declared by name, those of one stage at a time.

The tools of such a server are the same for all its sessions, so it evolves only where it serves one.
"""

from collections.abc import Callable

from .exact import Unsupported, rejected
from .native import Api, Function, function
from .script import Script

PAGE = 1000
"""More tools than any script has: where it does not say how many a page holds, one page holds all."""


class Declared:
    """The functions of a script, of which those of one stage are declared: at first those of the first one.

    ``sdk`` is what the SDK's typed API is called, ``add`` declares a function with it, and ``remove`` takes back the one
    of a name.
    """

    def __init__(
        self,
        sdk: str,
        script: Script,
        api: Api,
        *,
        add: Callable[[Function], object],
        remove: Callable[[str], object],
    ) -> None:
        if script.list:
            raise Unsupported(f"{sdk} cannot add members to the result of tools/list")
        if any(
            len(stage.tools) > (script.page_size or PAGE) for stage in script.stages
        ):
            raise Unsupported(f"{sdk} answers tools/list itself, on one page")
        self._sdk = sdk
        self._add = add
        self._remove = remove
        self._told = [stage.told for stage in script.stages]
        self._functions = [
            [function(tool, api) for tool in stage.tools] for stage in script.stages
        ]
        self._stage = 0
        # Every stage is declared once, so that what cannot be declared is known before anything is played.
        for stage in range(1, len(self._functions)):
            self._enter(stage)
            self._leave(stage)
        self._enter(0)

    def advance(self) -> bool:
        """Goes to the next stage, if there is one, and says whether that is to be told."""
        former, self._stage = self._stage, self._stage + 1
        if self._stage >= len(self._functions):
            return False
        self._leave(former)
        self._enter(self._stage)
        return self._told[self._stage]

    def _enter(self, stage: int) -> None:
        for each in self._functions[stage]:
            try:
                self._add(each)
            except Exception as error:  # noqa: BLE001 - what it raises says why the tool cannot be declared
                raise rejected("the function", error) from None

    def _leave(self, stage: int) -> None:
        for each in self._functions[stage]:
            self._remove(each.name)
