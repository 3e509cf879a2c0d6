export async function handle(message) {
  switch (message.method) {
    case "initialize":
      return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: { tools: {} } };
    case "notifications/initialized":
      return undefined;
    case "tools/list":
      return { tools: [] }; // expect: AVW040
    case "tools/call":
      return await run(message.params); // expect: AVW040
  }
}

async function run(params) {
  return { content: [{ type: "text", text: params.name }] };
}
