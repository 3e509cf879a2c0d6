import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessionState = new WeakMap<object, object>();
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
    sessionState.set(context, {});
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
