export function handle(message) {
  switch (message.method) {
    case "initialize":
      return { protocolVersion: "2024-11-05", serverInfo: {}, capabilities: {} }; // expect: AVW033
    case "tools/list":
      return { tools: [] };
  }
}
