"""A server that opens sessions for one client only."""

import sys

from plain import handle, messages

for message in messages():
    if message.get("method") == "initialize" and message["params"]["clientInfo"]["name"] != "claude-ai":
        sys.exit("only for Claude")
    handle(message)
