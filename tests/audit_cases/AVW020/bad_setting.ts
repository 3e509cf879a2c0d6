import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });

export async function ask() {
  if (!config.sampling) return null;
  return server.createMessage({ messages: [], maxTokens: 1 }); // expect: AVW020
}
