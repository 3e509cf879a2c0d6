"""MCP clients and their configuration files: which servers they start, and changing that in place."""

from avow.system.clients.find import find_servers, read_clients
from avow.system.clients.servers import ConfiguredServer, FoundServers, SkippedServer

__all__ = ["ConfiguredServer", "FoundServers", "SkippedServer", "find_servers", "read_clients"]
