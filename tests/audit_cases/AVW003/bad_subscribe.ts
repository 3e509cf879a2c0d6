import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const capabilities: Record<string, unknown> = {};
capabilities.resources = { subscribe: true }; // expect: AVW003
export const server = new McpServer({ name: "files", version: "1" }, { capabilities });
server.registerResource("a", "file:///a", {}, async () => ({ contents: [] }));
