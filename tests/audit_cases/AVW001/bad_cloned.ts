import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const defaults = { tools: {}, resources: {} }; // expect: AVW001
const server = new McpServer({ name: "notes", version: "1.0.0" }, { capabilities: structuredClone(defaults) });

server.registerTool("add", {}, async () => ({ content: [] }));
