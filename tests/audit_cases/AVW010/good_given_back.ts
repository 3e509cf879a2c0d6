import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InitializeRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
function canSample(capabilities: any) {
  return Boolean(capabilities?.sampling);
}
server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const on = canSample(request.params.capabilities);
  return {
    protocolVersion: "2025-11-25",
    serverInfo: { name: "notes", version: "1.0.0" },
    capabilities: { tools: {}, ...(on ? {} : {}) },
  };
});
