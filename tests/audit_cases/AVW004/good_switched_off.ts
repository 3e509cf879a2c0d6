import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

export const server = new McpServer({
  name: "my-server",
  version: "1.0.0",
  capabilities: { experimental: { oldFeature: false } },
});
