import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
const SUPPORTED = ["2025-06-18", "2025-11-25"];

server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const asked = request.params.protocolVersion;
  const isKnown = SUPPORTED.includes(asked);
  return {
    protocolVersion: isKnown ? asked : SUPPORTED[1],
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  };
});
