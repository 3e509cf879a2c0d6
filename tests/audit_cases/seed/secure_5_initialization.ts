import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializedNotificationSchema,
  InitializeRequestSchema,
  McpError
} from '@modelcontextprotocol/sdk/types.js'
import { logger } from './logger.js'
import { negotiateProtocolVersion } from './secure_4_downgrade.js'

// Track session initialization state
enum SessionPhase {
  AWAITING_INIT = 'awaiting_init',
  INIT_SENT = 'init_sent',        // server sent initialize response
  ACTIVE = 'active',              // client sent initialized notification
  TERMINATED = 'terminated'
}

const sessionPhase = new Map<string, SessionPhase>()
const server = new Server({ name: 'my-server', version: '1.0.0' }, { capabilities: { tools: {} } })

function buildInitializeResponse(params: InitializeParams, context: RequestContext) {
  return {
    protocolVersion: negotiateProtocolVersion(params.protocolVersion, context).version,
    serverInfo: { name: 'my-server', version: '1.0.0' },
    capabilities: { tools: {} }
  }
}

server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
  sessionPhase.set(context.sessionId, SessionPhase.INIT_SENT)
  return buildInitializeResponse(request.params, context)
})

server.setNotificationHandler(InitializedNotificationSchema, (notification, context) => {
  const phase = sessionPhase.get(context.sessionId)
  if (phase !== SessionPhase.INIT_SENT) {
    logger.warn('unexpected_initialized_notification', { phase, sessionId: context.sessionId })
    return
  }
  sessionPhase.set(context.sessionId, SessionPhase.ACTIVE)
  logger.info('session_active', { sessionId: context.sessionId })
})

// Guard on all tool, resource, and prompt handlers
export function requireActiveSession(context: RequestContext): void {
  const phase = sessionPhase.get(context.sessionId)
  if (phase !== SessionPhase.ACTIVE) {
    throw new McpError(
      ErrorCode.InvalidRequest,
      `Session ${context.sessionId} is not in ACTIVE phase (current: ${phase ?? 'unknown'}). ` +
      'The initialized notification must be received before tool calls are accepted.'
    )
  }
}

server.setRequestHandler(CallToolRequestSchema, async (request, context) => {
  requireActiveSession(context)
  return { content: [] }
})

server.onclose = () => sessionPhase.clear()
