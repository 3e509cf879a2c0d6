import { randomUUID } from "node:crypto";

const sessions = new Map<string, object>();
export function handle(message) {
  if (message.method === "initialize") {
    const id = randomUUID();
    sessions.set(id, { version: message.params.protocolVersion });
    return { protocolVersion: "2025-11-25", serverInfo: {}, capabilities: {} };
  }
}
