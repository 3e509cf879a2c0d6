import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InitializeRequestSchema as Init, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
server.setRequestHandler(Init, async (request) => ({
  protocolVersion: "2025-11-25",
  serverInfo: { name: "notes", version: "1.0.0" },
  capabilities: {
    tools: {},
    ...(request.params.capabilities.experimental?.advanced ? { experimental: { advanced: {} } } : {}), // expect: AVW010
  },
}));
