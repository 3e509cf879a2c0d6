import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({
  name: "my-server",
  version: "1.0.0",
  capabilities: {
    tools: {},
    sampling: {}, // expect: AVW002
  },
});
server.tool("one", {}, async () => ({ content: [] }));
