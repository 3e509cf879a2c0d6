import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { registerEverything } from "./register.js";

export function createServer() {
  const server = new McpServer(
    { name: "spread-out", version: "1" },
    { capabilities: { tools: {}, resources: {} } },
  );
  registerEverything(server);
  return server;
}
