"""A server that declares a tool for administrators to everybody and lists it for administrators only.

Run it over stdio with `python examples/admin_dashboard.py`. There, whoever sets DASHBOARD_ADMIN in the
environment is an administrator; over HTTP `context.scopes` has the scopes of the access token.
"""

import os

from mcp.server.mcpserver import MCPServer

from avow.server import AvailabilityContext, Variant, declare

mcp = MCPServer("dashboard", version="1.0.0", instructions="Reports for everybody, the dashboard for some.")
avowed = declare(mcp)


def is_admin(context: AvailabilityContext) -> bool:
    """Whether an administrator asks."""
    return "admin" in context.scopes or bool(os.environ.get("DASHBOARD_ADMIN"))


@mcp.tool()
def report(month: str) -> str:
    """Read the public report of a month."""
    return f"Report of {month}: all is well."


@avowed.possible_tool(available=is_admin)
def admin_dashboard() -> str:
    """Access the admin dashboard."""
    return "3 accounts, 1 of them asleep"


@avowed.possible_tool(available=is_admin)
def manage_accounts(operation: str, account: str) -> str:
    """List or delete an account."""
    return f"{account} is gone" if operation == "delete" else f"{account} exists"


avowed.variants(
    "manage_accounts",
    Variant(
        when={"operation": "list"}, annotations={"readOnlyHint": True}, required_scopes=("accounts:read",)
    ),
    Variant(
        when={"operation": "delete"},
        annotations={"destructiveHint": True},
        required_scopes=("accounts:write",),
    ),
)

if __name__ == "__main__":
    mcp.run()
