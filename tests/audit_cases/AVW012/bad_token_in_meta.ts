import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const state = { token: "" };
export function install(server) {
  server.setRequestHandler(InitializeRequestSchema, async ({ params }) => {
    state.token = params._meta?.accessToken; // expect: AVW012
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  });
}
