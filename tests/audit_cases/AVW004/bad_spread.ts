import { Server } from "@modelcontextprotocol/sdk/server/index.js";

const extras = {
  experimental: { streamingDiff: {} }, // expect: AVW004
};
export const server = new Server({ name: "a", version: "1" }, { capabilities: { tools: {}, ...extras } });
