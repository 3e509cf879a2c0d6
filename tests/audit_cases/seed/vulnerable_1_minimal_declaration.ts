// Declaring all capabilities regardless of implementation.
const server = new McpServer({
  name: 'my-server',
  version: '1.0.0',
  capabilities: {
    tools: {},  // expect: AVW001
    resources: { subscribe: true, listChanged: true },  // expect: AVW001, AVW003
    prompts: { listChanged: true },  // expect: AVW001
    sampling: {},  // expect: AVW002
    logging: {},
    experimental: { anyFeature: true }  // expect: AVW004
  }
})
