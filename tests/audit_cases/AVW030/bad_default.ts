const LATEST = "2025-11-25";

export function handle(message) {
  switch (message.method) {
    case "initialize":
      return {
        protocolVersion: message.params?.protocolVersion ?? LATEST, // expect: AVW030
        serverInfo: { name: "a", version: "1" },
        capabilities: { tools: {} },
      };
    case "tools/list":
      return { tools: [] };
  }
}
