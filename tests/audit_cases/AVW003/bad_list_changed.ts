import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server(
  { name: "fixed", version: "1" },
  { capabilities: { tools: { listChanged: true } } }, // expect: AVW003
);
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
