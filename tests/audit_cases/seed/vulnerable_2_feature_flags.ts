// Enabling features based on client-claimed capabilities.
server.setRequestHandler(InitializeRequestSchema, async (request) => {
  const clientCaps = request.params.capabilities

  const enableAdvancedTools = clientCaps.experimental?.advancedMode === true
  const enableResourceSubscriptions = clientCaps.resources?.subscribe === true

  return {
    protocolVersion: '2025-11-05',
    serverInfo: { name: 'my-server', version: '1.0.0' },
    capabilities: {
      tools: {},
      ...(enableAdvancedTools ? { experimental: { advancedMode: true } } : {}),  // expect: AVW010
      ...(enableResourceSubscriptions ? { resources: { subscribe: true } } : {})  // expect: AVW010
    }
  }
})
