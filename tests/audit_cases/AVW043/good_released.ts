import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessionState = new Map<string, object>();
export function install(server, transport) {
  server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
    sessionState.set(context.sessionId, { version: request.params.protocolVersion });
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
  transport.onclose = () => sessionState.delete(transport.sessionId);
}
