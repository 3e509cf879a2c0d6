import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { ServerCapabilities } from '@modelcontextprotocol/sdk/types.js'

const IMPLEMENTED_CAPABILITIES = {
  tools: {
    listChanged: false  // explicit: we don't push tool list changes
  }
  // no resources, prompts, sampling, or experimental
}

const server = new McpServer({
  name: 'my-server',
  version: '1.0.0',
  capabilities: IMPLEMENTED_CAPABILITIES
})

const resourceListHandler = undefined
const promptListHandler = undefined
const samplingHandler = undefined

// Validate at startup that every declared capability has a handler
function validateCapabilityHandlers(capabilities: ServerCapabilities): void {
  if (capabilities.resources && !resourceListHandler) {
    throw new Error('resources capability declared but no list handler registered')
  }
  if (capabilities.prompts && !promptListHandler) {
    throw new Error('prompts capability declared but no list handler registered')
  }
  if (capabilities.sampling && !samplingHandler) {
    throw new Error('sampling capability declared but no createMessage handler registered')
  }
}
validateCapabilityHandlers(IMPLEMENTED_CAPABILITIES)

server.tool('greet', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }))
await server.connect(new StdioServerTransport())
