import { Server } from "@modelcontextprotocol/sdk/server/index.js";

const CLIENT_SIDE = { elicitation: {} }; // expect: AVW002
export const server = new Server({ name: "a", version: "1" }, { capabilities: { ...CLIENT_SIDE } });
