import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const premium = new Set(["client-7"]);
const server = new Server({ name: "a", version: "1" }, { capabilities: {} });
server.setRequestHandler(InitializeRequestSchema, async (request, extra) => {
  const advanced = premium.has(extra.authInfo?.clientId ?? "");
  return {
    protocolVersion: "2025-11-25",
    serverInfo: { name: "a", version: "1" },
    capabilities: { tools: {}, ...(advanced ? { experimental: { advancedMode: true } } : {}) },
  };
});
