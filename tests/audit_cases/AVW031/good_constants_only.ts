const LATEST = "2025-11-25";
const BASELINE = "2025-06-18";

export function handle(message) {
  if (message.method === "initialize") {
    const strict = LATEST >= BASELINE;
    const known = message.params.protocolVersion === LATEST;
    return { protocolVersion: LATEST, serverInfo: {}, capabilities: {}, strict, known };
  }
}
