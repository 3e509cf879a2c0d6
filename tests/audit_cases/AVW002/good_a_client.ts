import { Client } from "@modelcontextprotocol/sdk/client/index.js";

export const client = new Client({ name: "host", version: "1" }, { capabilities: { sampling: {}, roots: {} } });
