let isActive = false;

export function handle(message) {
  switch (message.method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
    case "notifications/initialized":
      isActive = true; // expect: AVW042
      return undefined;
  }
}
