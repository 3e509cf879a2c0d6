import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
    const token = extra.authInfo?.token;
    server.connectUpstream(token);
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
