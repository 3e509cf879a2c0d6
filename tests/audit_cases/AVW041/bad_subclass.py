from mcp.server.fastmcp import FastMCP


class Quiet(FastMCP):  # expect: AVW041
    pass


app = Quiet("a")
