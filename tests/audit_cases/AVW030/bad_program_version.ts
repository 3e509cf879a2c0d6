import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });

server.setRequestHandler(InitializeRequestSchema, async (request) => {
  if (process.version === "v18.0.0") throw new Error("too old");
  return {
    protocolVersion: request.params.protocolVersion, // expect: AVW030
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  };
});
