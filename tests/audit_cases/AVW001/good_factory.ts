import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const make = (capabilities: object) => new McpServer({ name: "notes", version: "1.0.0" }, { capabilities });
const TOOLS = "tools";

const server = make(Object.assign({}, { [TOOLS]: {} }));

server.registerTool("add", {}, async () => ({ content: [] }));
