"""An audit reads only so much, and says where it stopped."""

from functools import partial

import pytest

from avow.audit.source import gathering
from avow.audit.source.bounds import Budget
from avow.audit.source.tree import Language, SourceFile


def test_more_code_than_an_audit_reads_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "Budget", partial(Budget, 200))
    code = "import mcp\n" + "x = f(a, b)\n" * 15

    facts = gathering.gather(SourceFile(f"{name}.py", Language.PYTHON, code) for name in "abc")

    assert facts.units == 1
    assert facts.notes == (
        "b.py: not read: there is more code than an audit reads",
        "c.py: not read: there is more code than an audit reads",
    )
