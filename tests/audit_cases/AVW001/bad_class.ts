import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

class Notes {
  readonly inner: McpServer;
  constructor(options: object) {
    this.inner = new McpServer({ name: "notes", version: "1.0.0" }, options);
    this.inner.registerTool("add", {}, async () => ({ content: [] }));
  }
}

export const notes = new Notes({ capabilities: { tools: {}, resources: {} } }); // expect: AVW001
