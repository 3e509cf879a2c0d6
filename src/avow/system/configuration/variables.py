"""The variables that a target names: approved with it, and taken from our own environment."""

from avow.core.target import HttpTarget, StdioTarget, Target
from avow.system.processes import placeholders


def target_names(target: Target) -> tuple[str, ...]:
    """The variables that a server is started with, and those in placeholders of its command or address."""
    match target:
        case StdioTarget():
            texts = (target.command, *target.args, target.cwd or "")
            inside = (name for text in texts if "${" in text for name in placeholders(text))
            return tuple(dict.fromkeys((*target.env, *inside)))
        case HttpTarget():
            return tuple(dict.fromkeys(placeholders(target.url)))
        case _:
            return ()
