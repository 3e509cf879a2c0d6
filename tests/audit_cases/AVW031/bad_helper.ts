function isModern(version: string): boolean {
  return version >= "2025-06-18"; // expect: AVW031
}

export function handle(message) {
  if (message.method === "initialize") {
    const structured = isModern(message.params.protocolVersion);
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {}, structured };
  }
}
