from mcp.types import ClientCapabilities, RootsCapability, SamplingCapability

OURS = ClientCapabilities(sampling=SamplingCapability(), roots=RootsCapability(listChanged=True))
