const supported = ["2025-11-25", "2024-11-05"];
const BASELINE = "2025-06-18";

export function handle(message) {
  if (message.method === "initialize") {
    const version = message.params.protocolVersion;
    if (!supported.includes(version)) throw new Error("unsupported protocol version");
    if (version < BASELINE) console.warn("below the baseline");
    return { protocolVersion: version, serverInfo: {}, capabilities: {} };
  }
}
