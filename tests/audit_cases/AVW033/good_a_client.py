from mcp import ClientSession


async def connect(session: ClientSession) -> None:
    result = await session.initialize()
    if result.protocolVersion != "2025-11-25":
        raise RuntimeError("another version")
