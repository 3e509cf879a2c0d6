export function handle(message) {
  if (message.method === "initialize") {
    if (message.params.protocolVersion !== "2025-11-25") console.warn("another version was asked for");
    return { protocolVersion: "2025-11-25", serverInfo: { name: "a", version: "1" }, capabilities: {} };
  }
}
