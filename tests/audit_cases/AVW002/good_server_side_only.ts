import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "a", version: "1" }, { capabilities: { tools: {}, logging: {} } });
server.tool("one", {}, async () => ({ content: [] }));
