import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    const name = request.params.clientInfo.name;
    const tools = name === "trusted-desktop" ? { listChanged: true } : {};
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools } }; // expect: AVW011
  });
}
