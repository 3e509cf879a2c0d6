const SUPPORTED = ["2025-11-25"];

export function handle(message) {
  if (message.method === "initialize") {
    const version = message.params.protocolVersion;
    if (!SUPPORTED.includes(version)) throw new Error("unsupported protocol version");
    return { protocolVersion: version, serverInfo: {}, capabilities: {} };
  }
}
