import { InitializeRequestSchema } from "@modelcontextprotocol/sdk/types.js";

class Session {
  private isPremium = false;

  constructor(server) {
    server.setRequestHandler(InitializeRequestSchema, (request) => this.begin(request));
  }

  begin(request) {
    this.isPremium = Boolean(request.params.capabilities.experimental?.premium); // expect: AVW010
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools: {} } };
  }
}
