def initialize(params, context):
    progress = params.get("_meta", {}).get("progressToken")
    context.report(progress)
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}


METHODS = {"initialize": initialize}
