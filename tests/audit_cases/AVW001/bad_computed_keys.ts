import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

enum Offered {
  Resources = "resources",
}
const PROMPTS = "prompts";
const server = new McpServer(
  { name: "notes", version: "1.0.0" },
  {
    capabilities: {
      tools: {},
      ["completions"]: {}, // expect: AVW001
      [Offered.Resources]: {}, // expect: AVW001
      [PROMPTS]: {}, // expect: AVW001
    },
  },
);

server.registerTool("add", {}, async () => ({ content: [] }));
