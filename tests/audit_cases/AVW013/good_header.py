SESSIONS = {}


def initialize(params, session_id):
    SESSIONS[session_id] = {"client": params["clientInfo"]}
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
