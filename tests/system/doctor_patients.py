"""Small servers with an illness each, as programs; what they need is told only by how they fail."""

from pathlib import Path

# Enough of a server to be looked at: it answers the handshake and lists one tool.
_SERVE = """
import json, sys
def serve():
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked:
            continue
        match asked["method"]:
            case "initialize":
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, **EXTRA,
                          "serverInfo": {"name": "patient", "version": "1"}}
            case "tools/list":
                result = {"tools": TOOLS}
            case _:
                error = {"code": -32601, "message": "Method not found"}
                print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
                continue
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
EXTRA = {}
TOOLS = [{"name": "look", "description": "Look.", "inputSchema": {"type": "object"}}]
"""

PATIENTS = {
    "well": "serve()",
    "tokenless": """
import os
token = os.environ.get("PATIENT_TOKEN")
if not token:
    sys.exit("Error: PATIENT_TOKEN environment variable is required")
serve()
""",
    # Asks for one thing after the other, in words that its code does not show.
    "stepwise": """
import os
for name in [one[::-1] for one in ("NEKOT_EHT", "LRU_EHT", "OFNI_EHT")]:
    if not os.environ.get(name):
        sys.exit(name + " is required")
serve()
""",
    # Writes down what it was started with.
    "witness": """
import os
with open(os.path.join(os.path.dirname(__file__), "seen.txt"), "a") as file:
    places = [value for name, value in os.environ.items() if name.startswith("XDG_")]
    file.write(repr(sys.argv[1:]) + repr(places) + "\\n")
sys.exit("Error: WITNESS_KEY environment variable is required")
""",
    "broken": "import a_module_that_nobody_has\nserve()",
    "lonely": """
import socket
socket.create_connection(("127.0.0.1", 9))
""",
    "deaf": """
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print("HTTP server listening on port", listener.getsockname()[1], file=sys.stderr, flush=True)
time.sleep(60)
""",
    "mute": "sys.exit(3)",
    "late": """
import os
if not os.environ.get("LATE_API_KEY"):
    print("Warning: LATE_API_KEY is not set, calls will fail", file=sys.stderr, flush=True)
serve()
""",
    "declaring": """
EXTRA = {"configurationSchema": {"environmentVariables": [
    {"name": "DECLARED_KEY", "description": "A key", "type": "string", "required": True, "sensitive": True}]}}
serve()
""",
    "leaking": """
import os
sys.exit("cannot log in with " + os.environ["PATIENT_TOKEN"] + ": 401 Unauthorized")
""",
    "either": """
sys.exit("Error: set EITHER_TOKEN or EITHER_USER and EITHER_PASSWORD, one of them is required")
""",
    "curious": """
import os
seen = " ".join(sorted(name for name in os.environ if "SECRET" in name)) or "nothing"
home = os.environ.get("HOME", "")
if not os.environ.get("CURIOUS_KEY"):
    sys.exit("CURIOUS_KEY is required")
with open(os.path.join(os.path.dirname(__file__), "seen.txt"), "w") as file:
    file.write(seen + "\\n" + home + "\\n" + os.environ["CURIOUS_KEY"])
serve()
""",
}


def make(name: str, directory: Path) -> Path:
    """Write the program of one patient, and return its path."""
    path = directory / f"{name}.py"
    path.write_text(_SERVE + PATIENTS[name], encoding="utf-8")
    return path
