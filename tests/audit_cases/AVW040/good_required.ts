import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const phases = new Map<string, string>();

function requireActiveSession(context) {
  if (phases.get(context.sessionId) !== "active") throw new Error("not active");
}

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
    phases.set(context.sessionId, "init");
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools: {} } };
  });
  server.setRequestHandler(CallToolRequestSchema, async (request, context) => {
    requireActiveSession(context);
    return { content: [] };
  });
}
