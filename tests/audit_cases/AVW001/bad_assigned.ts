import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const capabilities = Object.assign({}, { tools: {}, prompts: {} }); // expect: AVW001
const server = new McpServer({ name: "notes", version: "1.0.0" }, { capabilities });

server.registerTool("add", {}, async () => ({ content: [] }));
