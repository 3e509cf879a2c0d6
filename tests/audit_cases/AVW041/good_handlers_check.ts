import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

let isInitialized = false;
const server = new Server({ name: "a", version: "1" }, { capabilities: { tools: {} } });
server.oninitialized = () => {
  isInitialized = true;
};
server.setRequestHandler(ListToolsRequestSchema, async () => {
  if (!isInitialized) throw new Error("not initialized");
  return { tools: [] };
});
