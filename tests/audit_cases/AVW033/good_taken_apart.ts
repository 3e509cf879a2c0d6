import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server, negotiate) {
  server.setRequestHandler(InitializeRequestSchema, async ({ params: { protocolVersion } }) => ({
    protocolVersion: negotiate(protocolVersion),
    serverInfo: { name: "a", version: "1" },
    capabilities: { tools: {} },
  }));
}
