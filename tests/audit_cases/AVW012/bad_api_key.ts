import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    const apiKey = request.params.capabilities.experimental?.apiKey; // expect: AVW012
    server.connectUpstream(apiKey);
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
