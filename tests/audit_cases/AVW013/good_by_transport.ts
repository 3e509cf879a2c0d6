import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessions = new Map<string, object>();
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    sessions.set(extra.sessionId, { client: request.params.clientInfo.name });
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
