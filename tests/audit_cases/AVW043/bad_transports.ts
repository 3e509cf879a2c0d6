import { randomUUID } from "node:crypto";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const sessions: Record<string, StreamableHTTPServerTransport> = {};
export function open() {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  sessions[transport.sessionId] = transport; // expect: AVW043
  return transport;
}
