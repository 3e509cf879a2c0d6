import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  InitializeRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  SubscribeRequestSchema
} from '@modelcontextprotocol/sdk/types.js'
import { negotiateProtocolVersion } from './secure_4_downgrade.js'
import { requireActiveSession } from './secure_5_initialization.js'

interface SessionConfig {
  allowAdvancedTools: boolean
  allowSubscriptions: boolean
}

const authorizedClients = new Map([['client-1', { tier: 'premium', plan: 'team' }]])

function getSessionConfig(clientId: string | undefined): SessionConfig {
  // authorization check: client identity from transport auth, not initialize params
  const authorized = authorizedClients.get(clientId ?? '')
  return {
    allowAdvancedTools: authorized?.tier === 'premium',
    allowSubscriptions: authorized?.plan === 'team'
  }
}

const server = new Server({ name: 'my-server', version: '1.0.0' }, { capabilities: { tools: {} } })

server.setRequestHandler(InitializeRequestSchema, async (request, context) => {
  // clientId comes from transport authentication, not the request body
  const config = getSessionConfig(context.clientId)
  const { version } = negotiateProtocolVersion(request.params.protocolVersion, context)

  return {
    protocolVersion: version,
    serverInfo: { name: 'my-server', version: '1.0.0' },
    capabilities: {
      tools: {},
      ...(config.allowAdvancedTools ? { experimental: { advancedMode: true } } : {}),
      ...(config.allowSubscriptions ? { resources: { subscribe: true } } : {})
    }
  }
})

server.setRequestHandler(ListToolsRequestSchema, async (request, context) => {
  requireActiveSession(context)
  return { tools: [] }
})
server.setRequestHandler(ListResourcesRequestSchema, async (request, context) => {
  requireActiveSession(context)
  return { resources: [] }
})
server.setRequestHandler(SubscribeRequestSchema, async (request, context) => {
  requireActiveSession(context)
  return {}
})
