import fastmcp

server = fastmcp.FastMCP.from_openapi({}, client=None, name="api")  # expect: AVW041
