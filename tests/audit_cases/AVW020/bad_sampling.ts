import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "a", version: "1" });
server.tool("summarize", {}, async () => {
  const answer = await server.server.createMessage({ messages: [], maxTokens: 10 }); // expect: AVW020
  return { content: [{ type: "text", text: String(answer) }] };
});
