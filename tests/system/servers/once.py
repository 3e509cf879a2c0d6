"""A server that opens sessions for one client only."""

import sys

from plain import handle, messages

for message in messages():
    if message.get("method") == "initialize" and message["params"]["clientInfo"]["name"] != "avow":
        sys.exit("only for avow")
    handle(message)
