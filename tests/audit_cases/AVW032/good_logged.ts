import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const SUPPORTED = ["2025-11-25", "2024-11-05"];
export function install(server, logger) {
  server.setRequestHandler(InitializeRequestSchema, async (request) => {
    const version = request.params.protocolVersion;
    if (!SUPPORTED.includes(version)) throw new Error("unsupported protocol version");
    if (version !== SUPPORTED[0]) logger.warn("protocol_downgrade", { version });
    return { protocolVersion: version, serverInfo: {}, capabilities: {} };
  });
}
