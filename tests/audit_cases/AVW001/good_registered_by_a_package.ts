import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { registerTools } from "@example/tools";

const server = new McpServer({ name: "composed", version: "1" }, { capabilities: { tools: {} } });
registerTools(server);
