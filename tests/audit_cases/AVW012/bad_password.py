def initialize(params):
    password = params.get("password")  # expect: AVW012
    check(password)
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}


def check(password):
    if password != "open sesame":
        raise PermissionError


METHODS = {"initialize": initialize}
