import { Client } from "@modelcontextprotocol/sdk/client/index.js";

export const client = new Client({ name: "a", version: "1" }, { capabilities: {} });
