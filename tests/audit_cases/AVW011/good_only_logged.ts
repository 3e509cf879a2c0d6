import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "a", version: "1" });
server.server.oninitialized = () => {
  const client = server.server.getClientVersion();
  console.error(`connected: ${client?.name} ${client?.version}`);
};
