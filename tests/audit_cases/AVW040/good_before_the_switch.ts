let isInitialized = false;

export async function handle(message) {
  if (!isInitialized && message.method !== "initialize" && message.method !== "notifications/initialized") {
    throw new Error("not initialized");
  }
  switch (message.method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools: {} } };
    case "notifications/initialized":
      isInitialized = true;
      return undefined;
    case "tools/list":
      return { tools: [] };
  }
}
