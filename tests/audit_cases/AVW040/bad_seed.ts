import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async () => ({
    protocolVersion: "2025-11-25",
    serverInfo: {},
    capabilities: { tools: {} },
  }));
  server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [] })); // expect: AVW040
}
