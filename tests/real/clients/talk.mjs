// What both generations of the TypeScript SDK share: follow a talk, and write down every message of it.
import { readFileSync } from "node:fs";

// Standard output is for the report; the SDK says there what it did not ask.
console.debug = console.error;

// Everything that goes over the transport, as it is there. It has to be called before the client connects.
export function tap(transport) {
  const messages = [];
  transport.onmessage = (message) => messages.push(["received", structuredClone(message)]);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    for (const each of [message].flat()) messages.push(["sent", structuredClone(each)]);
    return send(message, options);
  };
  return messages;
}

export function talk() {
  return JSON.parse(readFileSync(process.argv[2], "utf8"));
}

export const answers = (plan) => ({
  "sampling/createMessage": async () => ({
    model: "oracle",
    role: "assistant",
    stopReason: "endTurn",
    content: { type: "text", text: "Forty-two." },
  }),
  "elicitation/create": async () => ({ action: "accept", content: plan.elicited }),
  "roots/list": async () => ({ roots: plan.roots.map((uri) => ({ uri, name: "root" })) }),
});

async function heard(messages, method) {
  const found = () => messages.some(([way, each]) => way === "received" && each.method === method);
  for (let patience = 0; patience < 1000 && !found(); patience++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return found();
}

async function call(client, step, schema) {
  const stop = new AbortController();
  // What is reported just before the result may come after it here, if both arrive at once; so it is not counted.
  const onprogress = () => step.cancel && stop.abort("enough");
  const options = step.progress || step.cancel ? { onprogress, signal: stop.signal } : {};
  const params = { name: step.name, arguments: step.arguments ?? {} };
  try {
    return { result: await client.callTool(params, ...schema, options) };
  } catch (error) {
    if (stop.signal.aborted) return { cancelled: true };
    throw error;
  }
}

export async function follow(client, plan, messages, schema = []) {
  const actions = {
    tools: () => client.listTools(),
    prompts: () => client.listPrompts(),
    resources: () => client.listResources(),
    templates: () => client.listResourceTemplates(),
    call: (step) => call(client, step, schema),
    read: (step) => client.readResource({ uri: step.uri }),
    prompt: (step) => client.getPrompt({ name: step.name, arguments: step.arguments }),
    complete: ({ ref, argument, context }) =>
      client.complete({ ref, argument, ...(context && { context: { arguments: context } }) }),
    subscribe: (step) => client.subscribeResource({ uri: step.uri }),
    level: (step) => client.setLoggingLevel(step.level),
    heard: (step) => heard(messages, step.method),
  };
  const steps = [];
  for (const step of plan.steps) {
    try {
      steps.push(await actions[step.do](step));
    } catch (error) {
      steps.push({ error: { code: error.code, message: error.message, data: error.data } });
    }
  }
  return steps;
}

export async function report(client, plan, messages, version, schema) {
  const steps = await follow(client, plan, messages, schema);
  const facts = {
    version,
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  };
  await client.close();
  process.stdout.write(JSON.stringify({ facts, steps, messages }), () => process.exit(0));
}
