import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "a", version: "1" }, { capabilities: {} });
server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const { capabilities: claimed } = request.params;
  return {
    protocolVersion: "2025-11-25",
    serverInfo: { name: "a", version: "1" },
    capabilities: {
      tools: {},
      ...(claimed.experimental?.advancedMode ? { experimental: { advancedMode: true } } : {}), // expect: AVW010
    },
  };
});
