import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const base = { tools: {} };
const capabilities = {
  ...base,
  completions: {}, // expect: AVW001
};
const server = new Server({ name: "search", version: "2.0.0" }, { capabilities });

server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [] }));
