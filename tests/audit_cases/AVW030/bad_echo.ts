import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => ({
    protocolVersion: request.params.protocolVersion, // expect: AVW030
    serverInfo: { name: "a", version: "1" },
    capabilities: { tools: {} },
  }));
}
