"""`avow registry`: run a registry, publish to one, and ask one."""

from avow.cli.registry.group import command

__all__ = ["command"]
