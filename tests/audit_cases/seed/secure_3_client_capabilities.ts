import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ErrorCode, InitializeRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { negotiateProtocolVersion } from './secure_4_downgrade.js'
import { requireActiveSession } from './secure_5_initialization.js'

// Track client capabilities from initialization
interface SessionState {
  clientCapabilities: ClientCapabilities
  protocolVersion: string
  initialized: boolean
}

const client = new Server({ name: 'my-server', version: '1.0.0' }, { capabilities: { tools: {} } })
const server = client
const sessionState = new Map<string, SessionState>()

server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
  const { version } = negotiateProtocolVersion(request.params.protocolVersion, context)
  sessionState.set(context.sessionId, {
    clientCapabilities: request.params.capabilities,
    protocolVersion: request.params.protocolVersion,
    initialized: true
  })
  return { protocolVersion: version, serverInfo: { name: 'my-server', version: '1.0.0' }, capabilities: { tools: {} } }
})

// Before using client sampling capability
async function requestClientSampling(
  sessionId: string,
  messages: SamplingMessage[]
): Promise<string> {
  const state = sessionState.get(sessionId)

  if (!state?.initialized) {
    throw new Error('Session not initialized: cannot use client capabilities')
  }

  if (!state.clientCapabilities.sampling) {
    // Explicit failure rather than attempting the call and handling transport error
    throw new McpError(
      ErrorCode.MethodNotFound,
      'Client does not support sampling capability: cannot request LLM generation'
    )
  }

  return await client.createMessage({ messages, maxTokens: 1024 })
}

// Before reading client roots
async function readClientRoots(sessionId: string): Promise<Root[]> {
  const state = sessionState.get(sessionId)
  if (!state?.clientCapabilities.roots) {
    throw new McpError(
      ErrorCode.MethodNotFound,
      'Client does not support roots capability'
    )
  }
  return await client.listRoots()
}

server.setRequestHandler(CallToolRequestSchema, async (request, context) => {
  requireActiveSession(context)
  await readClientRoots(context.sessionId)
  return { content: [{ type: 'text', text: await requestClientSampling(context.sessionId, []) }] }
})

server.onclose = () => sessionState.clear()
