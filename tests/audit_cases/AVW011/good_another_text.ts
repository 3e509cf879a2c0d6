import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "notes", version: "1.0.0" });

function flag(name: string) {
  if (name.includes("cursor")) return "--cursor";
  return "";
}

function command(name: string) {
  const which = flag(name);
  return which ? `npx setup ${which}` : "npx setup";
}

export const help = () => command(server.server.getClientVersion()?.name ?? "");
