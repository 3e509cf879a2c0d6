"""The least that a Python proxy can do: two pipes and `poll`, no look at what goes through."""

import os
import select
import subprocess
import sys


def main() -> None:
    server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert server.stdin
    assert server.stdout
    routes = {0: server.stdin.fileno(), server.stdout.fileno(): 1}
    poll = select.poll()
    for source in routes:
        poll.register(source, select.POLLIN)
    while True:
        for source, _ in poll.poll():
            data = os.read(source, 262144)
            if not data:
                server.kill()
                return
            while data:
                data = data[os.write(routes[source], data) :]


if __name__ == "__main__":
    main()
