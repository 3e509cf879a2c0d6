import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InitializeRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const on = Object.keys(request.params.capabilities.experimental ?? {}).includes("advanced");
  return {
    protocolVersion: "2025-11-25",
    serverInfo: { name: "notes", version: "1.0.0" },
    capabilities: { tools: {}, ...(on ? { experimental: { advanced: {} } } : {}) }, // expect: AVW010
  };
});
