// The client of @modelcontextprotocol/client 2.x: reads a talk from the file it is given, prints how it went.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answers, report, talk, tap } from "./talk.mjs";

const plan = talk();
const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const versionNegotiation = { mode: plan.mode };
const client = new Client({ name: "talk", version: "1" }, { capabilities, versionNegotiation });
for (const [method, answer] of Object.entries(answers(plan))) client.setRequestHandler(method, answer);
const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url))
  : new StdioClientTransport({ ...plan.start, stderr: "ignore" });
const messages = tap(transport);
await client.connect(transport);
await report(client, plan, messages, client.getNegotiatedProtocolVersion());
