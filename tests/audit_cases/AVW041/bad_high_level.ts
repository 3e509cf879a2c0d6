import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

export const server = new McpServer({ name: "a", version: "1" }); // expect: AVW041
server.tool("one", {}, async () => ({ content: [] }));
