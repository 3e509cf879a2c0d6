from fastmcp import Context, FastMCP

mcp = FastMCP("notes")


@mcp.tool
async def summary(c: Context) -> str:
    return (await c.sample("Sum it up.")).text  # expect: AVW020


@mcp.tool
async def title(ctx: Context) -> str:
    s = ctx.session
    return await s.create_message(messages=[], max_tokens=5)  # expect: AVW020
