import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async () => ({ // expect: AVW033
    protocolVersion: "2025-11-25",
    serverInfo: { name: "a", version: "1" },
    capabilities: { tools: {} },
  }));
}
