"""Lockfiles of MCPTrust: reading versions 1, 2 and 3, checking a server against them, writing version 3.

They hold hashes in place of definitions, and not of everything. What a hash cannot show is said.
"""

from avow.core.mcptrust.compare import compare_with_mcptrust, not_compared
from avow.core.mcptrust.export import dumps_mcptrust, not_exported
from avow.core.mcptrust.lockfile import MCPTrustLockfile, is_mcptrust, loads_mcptrust

__all__ = [
    "MCPTrustLockfile",
    "compare_with_mcptrust",
    "dumps_mcptrust",
    "is_mcptrust",
    "loads_mcptrust",
    "not_compared",
    "not_exported",
]
