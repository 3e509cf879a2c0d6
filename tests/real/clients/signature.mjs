// A TypeScript client that knows nothing of Avow: reads the signature of the server it is given, and prints it.
// Arguments: the generation of the SDK ("1" or "2"), how to negotiate the version (2 only), the command.
import { z } from "zod";

const [generation, mode, command, ...args] = process.argv.slice(2);
const about = { name: "signature-reader", version: "1" };
const start = { command, args, env: { ...process.env }, stderr: "ignore" };
// What the method answers, as a client author would write it down from the specification.
const Item = z.looseObject({ name: z.string() });
const Signature = z.looseObject({
  tools: z.array(Item).optional(),
  prompts: z.array(Item).optional(),
  resources: z.array(Item).optional(),
  resourceTemplates: z.array(Item).optional(),
  digest: z.string(),
  complete: z.boolean().optional(),
  unchanged: z.boolean().optional(),
});
const Resolved = z.looseObject({ tool: Item });

async function connected() {
  if (generation === "1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(about, { capabilities: {} });
    await client.connect(new StdioClientTransport(start));
    return [client, "handshake"];
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const client = new Client(about, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport(start));
  return [client, client.getNegotiatedProtocolVersion()];
}

const [client, version] = await connected();
const signature = await client.request({ method: "signature" }, Signature);
const again = await client.request(
  { method: "signature", params: { knownDigest: signature.digest } },
  Signature,
);
const resolved = await client.request(
  { method: "tools/resolve", params: { name: "manage_accounts", arguments: { operation: "list", account: "ann" } } },
  Resolved,
);
const { tools } = await client.listTools();
console.log(
  JSON.stringify({
    version,
    capabilities: client.getServerCapabilities(),
    signature,
    again,
    resolved,
    listed: tools.map((tool) => tool.name),
  }),
);
await client.close();
