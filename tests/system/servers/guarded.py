"""The guarded server as a process: `guarded.py FRAMEWORK stdio`, or `guarded.py FRAMEWORK http`.

Over HTTP it prints its port; the bearer token `boss` is an administrator's, `guest` is not. Audit events are
lines of JSON on standard error.
"""

import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "interaction"))
from framework_process import construction, serve

from hardened.servers import hardened


def written(event: Any) -> None:
    sys.stderr.write(json.dumps(event) + "\n")
    sys.stderr.flush()


def make(framework: str, transport: str) -> Any:
    logging.disable(logging.CRITICAL)
    return hardened(framework, construction(framework, transport), on_event=written, max_half_open=5)[0]


if __name__ == "__main__":
    serve(make)
