import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const make = (capabilities: object) => new McpServer({ name: "notes", version: "1.0.0" }, { capabilities });

const server = make({ tools: {}, prompts: {} }); // expect: AVW001

server.registerTool("add", {}, async () => ({ content: [] }));
