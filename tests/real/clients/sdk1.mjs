// The client of @modelcontextprotocol/sdk 1.x: reads a talk from the file it is given, prints how it went.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { answers, report, talk, tap } from "./talk.mjs";

const plan = talk();
const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const client = new Client({ name: "talk", version: "1" }, { capabilities });
const given = answers(plan);
client.setRequestHandler(CreateMessageRequestSchema, given["sampling/createMessage"]);
client.setRequestHandler(ElicitRequestSchema, given["elicitation/create"]);
client.setRequestHandler(ListRootsRequestSchema, given["roots/list"]);
const transport = plan.url
  ? new StreamableHTTPClientTransport(new URL(plan.url))
  : new StdioClientTransport({ ...plan.start, stderr: "ignore" });
const messages = tap(transport);
await client.connect(transport);
const [, initialized] = messages.find(([way, each]) => way === "received" && each.result?.protocolVersion);
await report(client, plan, messages, initialized.result.protocolVersion, [undefined]);
