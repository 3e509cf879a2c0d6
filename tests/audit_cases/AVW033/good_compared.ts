export function handle(message) {
  switch (message.method) {
    case "initialize":
      if (message.params.protocolVersion !== "2025-11-25") throw new Error("unsupported protocol version");
      return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
    case "tools/list":
      return { tools: [] };
  }
}
