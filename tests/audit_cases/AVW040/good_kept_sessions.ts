import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const server = new Server({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });
const SUPPORTED = ["2025-11-25", "2025-06-18"];

server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const asked = request.params.protocolVersion;
  if (!SUPPORTED.includes(asked)) throw new Error("unknown version");
  if (asked !== SUPPORTED[0]) console.warn("an older version");
  return { protocolVersion: asked, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1.0.0" } };
});

server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
  const entry = sessions.get(extra.sessionId);
  if (!entry.initialized) throw new Error("not yet");
  return run(request.params.name);
});
