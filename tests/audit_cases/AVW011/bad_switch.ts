import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "notes", version: "1.0.0" });

server.server.oninitialized = () => {
  const client = server.server.getClientVersion();
  switch (client?.name) { // expect: AVW011
    case "admin-console":
      server.registerTool("wipe", {}, async () => ({ content: [] }));
      break;
  }
};
