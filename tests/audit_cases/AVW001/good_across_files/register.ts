import { TOOLS } from "./tools.js";

export function registerEverything(server) {
  for (const tool of TOOLS) {
    server.tool(tool.name, tool.description, tool.shape, tool.run);
  }
  server.resource("readme", "file:///readme", async (uri) => ({ contents: [{ uri: uri.href, text: "hello" }] }));
}
