import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListResourcesRequestSchema, SubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "live", version: "1" }, { capabilities: { resources: { subscribe: true } } });
server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: [] }));
server.setRequestHandler(SubscribeRequestSchema, async () => ({}));
