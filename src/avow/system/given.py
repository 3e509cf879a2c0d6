"""What a server is given by its user: values that it needs, and that nobody else should read."""

import os
from collections.abc import Iterator

from avow.core.credentials import credentials_in
from avow.core.target import HttpTarget, StdioTarget, Target
from avow.system.processes import placeholders
from avow.system.targets import Reachable


def given_to(reachable: Reachable) -> dict[str, str]:
    """Every value that reaching the server takes, by name, from wherever it comes."""
    target, launch = reachable.target, reachable.launch
    wanted = (*_names(launch), *(name for text in _texts(launch) for name in placeholders(text)))
    return {
        **{name: os.environ[name] for name in wanted if name in os.environ},
        **dict(_filled_in(target, launch)),
        **{found.place.removeprefix("the value of "): found.value for found in credentials_in(launch)},
        **reachable.environment,
        **reachable.headers,
    }


def _names(target: Target) -> tuple[str, ...]:
    return target.env if isinstance(target, StdioTarget) else ()


def _texts(target: Target) -> tuple[str, ...]:
    match target:
        case StdioTarget():
            return (target.command, *target.args, target.cwd or "")
        case HttpTarget():
            return (target.url,)
        case _:
            return ()


def _filled_in(target: Target, launch: Target) -> Iterator[tuple[str, str]]:
    """What stands in `launch` where the target that may be stored has a placeholder."""
    for written, text in zip(_texts(target), _texts(launch), strict=False):
        before, _, rest = written.partition("${")
        name, _, after = rest.rpartition("}")
        if written != text:
            yield name or written, text.removeprefix(before).removesuffix(after)
