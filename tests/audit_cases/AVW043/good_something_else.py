from mcp.server.fastmcp import FastMCP

mcp = FastMCP("a")
CLIENT_HEADERS = {}
clients_by_region = {}


def client_for(region: str, make):
    if region not in clients_by_region:
        clients_by_region[region] = make(region)
    return clients_by_region[region]


CLIENT_HEADERS["accept"] = "application/json"
