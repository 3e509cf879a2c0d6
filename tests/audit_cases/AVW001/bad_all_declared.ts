import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const server = new McpServer(
  { name: "notes", version: "1.0.0" },
  {
    capabilities: {
      tools: {},
      resources: { listChanged: true }, // expect: AVW001
      prompts: {}, // expect: AVW001
    },
  },
);

server.registerTool("add", { inputSchema: { text: z.string() } }, async ({ text }) => ({
  content: [{ type: "text", text }],
}));
