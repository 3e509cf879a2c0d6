import sys

if sys.version_info < (3, 11):
    raise SystemExit("Python 3.11 is needed")


def initialize(params):
    if params["protocolVersion"] != "2025-11-25":
        raise ValueError("unsupported")
    return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
