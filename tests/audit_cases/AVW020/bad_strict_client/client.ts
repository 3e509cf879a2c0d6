import { Client } from "@modelcontextprotocol/sdk/client/index.js";

export const client = new Client({ name: "c", version: "1" }, { enforceStrictCapabilities: true });
