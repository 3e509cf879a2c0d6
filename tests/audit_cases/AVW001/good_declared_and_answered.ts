import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListPromptsRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const capabilities = { ...{ tools: {} }, prompts: {} };
const server = new Server({ name: "both", version: "1" }, { capabilities });

server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [] }));
server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [] }));
