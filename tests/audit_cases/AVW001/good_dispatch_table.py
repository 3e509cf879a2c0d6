def initialize(params):
    return {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "own", "version": "1"},
        "capabilities": {"tools": {}, "prompts": {}},
    }


def list_tools(params):
    return {"tools": []}


def list_prompts(params):
    return {"prompts": []}


METHODS = {
    "initialize": initialize,
    "tools/list": list_tools,
    "prompts/list": list_prompts,
}
