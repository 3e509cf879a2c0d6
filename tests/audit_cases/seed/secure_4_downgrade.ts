import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ErrorCode, InitializeRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { logger } from './logger.js'
import { requireActiveSession } from './secure_5_initialization.js'

const PREFERRED_PROTOCOL = '2025-11-05'
const MINIMUM_PROTOCOL = '2024-11-05'
const SECURITY_BASELINE_PROTOCOL = '2025-11-05' // versions below this require extra validation

let subscriptions = true
function disableFeaturesBelowBaseline() {
  subscriptions = false
}

export function negotiateProtocolVersion(
  clientVersion: string,
  context: RequestContext
): { version: string; downgraded: boolean } {
  const supported = ['2025-11-05', '2024-11-05']

  if (!supported.includes(clientVersion)) {
    // Reject versions we don't know
    throw new McpError(
      ErrorCode.InvalidRequest,
      `Unsupported protocol version: ${clientVersion}. Supported: ${supported.join(', ')}`
    )
  }

  const downgraded = clientVersion !== PREFERRED_PROTOCOL

  if (downgraded) {
    // Log the downgrade event for audit trail
    logger.warn('protocol_downgrade', {
      requestedVersion: clientVersion,
      preferredVersion: PREFERRED_PROTOCOL,
      sessionId: context.sessionId
    })

    // If the requested version is below the security baseline, apply compensating controls
    if (clientVersion < SECURITY_BASELINE_PROTOCOL) {
      logger.warn('protocol_below_security_baseline', {
        version: clientVersion,
        baseline: SECURITY_BASELINE_PROTOCOL
      })
      // Disable features that require baseline security guarantees
      disableFeaturesBelowBaseline()
    }
  }

  return { version: clientVersion, downgraded }
}

const server = new Server({ name: 'my-server', version: '1.0.0' }, { capabilities: { tools: {} } })

server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
  const { version } = negotiateProtocolVersion(request.params.protocolVersion, context)
  return { protocolVersion: version, serverInfo: { name: 'my-server', version: '1.0.0' }, capabilities: { tools: {} } }
})

server.setRequestHandler(ListToolsRequestSchema, async (request, context) => {
  requireActiveSession(context)
  return { tools: [{ name: 'watch', inputSchema: { type: 'object' }, enabled: subscriptions && MINIMUM_PROTOCOL !== '' }] }
})
