import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "a", version: "1" });
server.tool("summarize", {}, async () => {
  if (!server.server.getClientCapabilities()?.sampling) {
    throw new Error("this client cannot sample");
  }
  const answer = await server.server.createMessage({ messages: [], maxTokens: 10 });
  return { content: [{ type: "text", text: String(answer) }] };
});
