import { Server } from "@modelcontextprotocol/sdk/server/index.js";

const server = new Server(
  { name: "a", version: "1" },
  { capabilities: {}, enforceStrictCapabilities: true },
);
export const summarize = () => server.createMessage({ messages: [], maxTokens: 10 });
