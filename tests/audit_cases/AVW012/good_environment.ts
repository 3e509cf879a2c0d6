import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const apiKey = process.env.API_KEY;
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    server.connectUpstream(apiKey);
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
