"""Targets as files hold them."""

import pytest

from avow.core.canonical import JsonValue
from avow.core.target import (
    FileTarget,
    HttpTarget,
    PythonTarget,
    StdioTarget,
    Target,
    read_target,
    target_document,
)
from avow.errors import MalformedInputError


@pytest.mark.parametrize(
    "target",
    [
        StdioTarget("npx", ("-y", "server"), ("TOKEN",), "/srv"),
        StdioTarget("server"),
        HttpTarget("https://example.com/mcp", ("Authorization",)),
        PythonTarget("package.module:server"),
        FileTarget("saved.json"),
    ],
)
def test_a_target_reads_back(target: Target) -> None:
    assert read_target(target_document(target)) == target


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(None, id="nothing"),
        pytest.param({"type": "stdio"}, id="no command"),
        pytest.param({"type": "carrier pigeon", "command": "x"}, id="another type"),
        pytest.param({"type": "stdio", "command": "x", "cwd": 1}, id="cwd"),
        pytest.param({"type": "stdio", "command": "x", "args": "y"}, id="args"),
        pytest.param({"type": "http", "url": "x", "headers": [1]}, id="headers"),
    ],
)
def test_what_is_no_target_is_refused(document: JsonValue) -> None:
    with pytest.raises(MalformedInputError, match="the target"):
        read_target(document)
