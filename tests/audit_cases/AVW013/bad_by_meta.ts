const sessionState: Record<string, object> = {};

export function handle(message) {
  switch (message.method) {
    case "initialize": {
      const id = message.params._meta.sessionId;
      sessionState[id] = { ready: false }; // expect: AVW013
      return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
    }
    case "tools/list":
      return { tools: [] };
  }
}
