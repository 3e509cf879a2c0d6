SESSIONS = {}


def initialize(params, session_id):
    SESSIONS[session_id] = {"client": params["clientInfo"]}
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}


def end(session_id):
    SESSIONS.pop(session_id, None)


METHODS = {"initialize": initialize}
