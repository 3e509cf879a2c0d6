import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessionState = new Map<string, object>();
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
    sessionState.set(context.sessionId, { version: request.params.protocolVersion }); // expect: AVW043
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
