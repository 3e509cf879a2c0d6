import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const MINIMUM = "2025-03-26";
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    const { protocolVersion } = request.params;
    if (protocolVersion < MINIMUM) { // expect: AVW031
      throw new Error("too old");
    }
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
