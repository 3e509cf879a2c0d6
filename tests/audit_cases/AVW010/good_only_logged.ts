import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "a", version: "1" });
server.server.oninitialized = () => {
  const claimed = server.server.getClientCapabilities();
  if (claimed?.experimental?.admin) {
    console.warn("a client claims admin");
  }
};
