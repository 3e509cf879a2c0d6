import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
const s = server;
const { listRoots } = server;

export async function ask() {
  await listRoots(); // expect: AVW020
  return s.createMessage({ messages: [], maxTokens: 1 }); // expect: AVW020
}
