import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const sessions = new Map<string, object>();
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    sessions.set(request.params.clientInfo.name, { files: [] }); // expect: AVW013
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
