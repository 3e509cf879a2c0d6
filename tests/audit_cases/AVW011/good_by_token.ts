import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server, verify) {
  server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    const role = await verify(extra.authInfo.token);
    const tools = role === "admin" ? { listChanged: true } : {};
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools } };
  });
}
