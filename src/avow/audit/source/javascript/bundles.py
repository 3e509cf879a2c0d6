"""What a bundler puts into a file beside the server's own code: libraries, and the SDK itself."""

import re
from collections.abc import Callable, Iterator, Set
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

# Bundlers write above each module which file it was: `// node_modules/zod/lib/index.mjs`.
_MODULE: Final = re.compile(r"^// (?P<path>[^\s:]+\.[cm]?[jt]sx?)$")
_LIBRARY: Final = re.compile(r"(?:^|/)node_modules/(?!@modelcontextprotocol/)")
_SDK: Final = re.compile(r"(?:^|/)node_modules/@modelcontextprotocol/")
_CLASSES: Final = frozenset({"class_declaration", "lexical_declaration", "variable_declaration"})
# Methods keep their names when everything else is minified.
_PROTOCOL: Final = frozenset(
    {"assertRequestHandlerCapability", "assertCapabilityForMethod", "_onrequest", "_requestHandlers"}
)
_SERVER: Final = frozenset({"_oninitialize", "getClientCapabilities"})
_HIGH: Final = frozenset({"registerTool", "setToolRequestHandlers"})


def bundled(methods: Set[str]) -> str:
    """Which class of the SDK has these methods: `Server`, `McpServer`, `Protocol`, or none."""
    if methods >= _SERVER:
        return "Server"
    if methods >= _HIGH:
        return "McpServer"
    return "Protocol" if len(_PROTOCOL & methods) > 1 else ""


def outside_libraries(root: "Node", text: "Callable[[Node], str]") -> "Iterator[Node]":
    """The statements of a file without those of libraries; of the SDK, only its classes."""
    in_library = in_sdk = False
    for node in root.named_children:
        if node.type == "comment":
            found = _MODULE.match(text(node))
            if found is not None:
                in_library = _LIBRARY.search(found["path"]) is not None
                in_sdk = _SDK.search(found["path"]) is not None
        elif not in_library and (not in_sdk or node.type in _CLASSES):
            yield node
