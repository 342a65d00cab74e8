"""The plugin for pytest: ``test_server = mcp_compat.audit_server(…)`` becomes a test for each tool with each client."""

from __future__ import annotations

from typing import Any, Optional, Union

import pytest

from mcp_compat._audit import AuditError, Case, CompatibilityError, ServerAudit
from mcp_compat._program import ProgramNotFound


class AuditItem(pytest.Item):
    """A tool with a client."""

    def __init__(self, *, case: Case, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case

    def runtest(self) -> None:
        if self.case.result == "skipped":
            pytest.skip(self.case.text)
        if self.case.result == "passed" and self.case.text:
            # A loss that the baseline lists, with the reason in it.
            pytest.xfail(self.case.text)
        self.case.check()

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The text says what to do. A traceback would add nothing."""
        if isinstance(excinfo.value, CompatibilityError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, Optional[int], str]:
        return self.path, None, self.name


def pytest_pycollect_makeitem(
    collector: Union[pytest.Module, pytest.Class], name: str, obj: object
) -> Optional[list[pytest.Item]]:
    if not isinstance(obj, ServerAudit) or not collector.funcnamefilter(name):
        return None
    try:
        cases = obj.cases()
    except (AuditError, ProgramNotFound) as error:
        raise collector.CollectError(f"{name}: {error}") from error
    return [AuditItem.from_parent(collector, name=f"{name}[{case.id}]", case=case) for case in cases]
