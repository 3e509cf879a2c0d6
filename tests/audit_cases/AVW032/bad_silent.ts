import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const SUPPORTED = ["2025-11-25", "2024-11-05"];
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => { // expect: AVW032
    const version = request.params.protocolVersion;
    if (!SUPPORTED.includes(version)) throw new Error("unsupported protocol version");
    return { protocolVersion: version, serverInfo: {}, capabilities: {} };
  });
}
