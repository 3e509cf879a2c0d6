"""Every client with every server on every route, two or three at a time, since most of it is waiting.

The conversations with one server come one after the other: they change its files, and a server that is shared
by several clients keeps to itself what could be anybody's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, Final

from gateway_helpers import Gateway
from project import Project
from real.accounts import account
from real.packages import Packages
from real.python_client import converse
from real.talks import Talk

Json = dict[str, Any]

CLIENTS: Final = {
    "python, legacy": ("python", "legacy"),
    "python, auto": ("python", "auto"),
    "typescript 1": ("sdk1.mjs", "legacy"),
    "typescript 2, legacy": ("sdk2.mjs", "legacy"),
    "typescript 2, auto": ("sdk2.mjs", "auto"),
}


class Conversations:
    """What each client hears from each server, by route."""

    def __init__(
        self, project: Project, talks: dict[str, Talk], gateway: Gateway, packages: Packages, scripts: Path
    ) -> None:
        self._project = project
        self._talks = talks
        self._gateway = gateway
        self._packages = packages
        self._scripts = scripts
        self._locks = {server: Lock() for server in talks}
        self._pool = ThreadPoolExecutor(3)
        self._begun: dict[tuple[str, str], Future[dict[str, Json]]] = {}

    def begin(self, client: str, server: str) -> Future[dict[str, Json]]:
        """Have a conversation, at the same time as those with other servers; never twice."""
        pair = (client, server)
        if pair not in self._begun:
            self._begun[pair] = self._pool.submit(self._hold, *pair)
        return self._begun[pair]

    def between(self, client: str, server: str) -> dict[str, Json]:
        """The account of a conversation on each route."""
        return self.begin(client, server).result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _hold(self, client: str, server: str) -> dict[str, Json]:
        program, mode = CLIENTS[client]
        talk = self._talks[server]
        plan = {
            "mode": mode,
            "steps": talk.steps,
            "roots": talk.roots,
            "elicited": {"name": "Ada", "wood": "ash"},
        }
        accounts = {}
        with self._locks[server]:
            for route, way in self.routes(server).items():
                talk.reset()
                accounts[route] = account(self._speak(program, {**plan, **way}))
        return accounts

    def routes(self, server: str) -> dict[str, Json]:
        """The ways to reach a server."""
        talk = self._talks[server]
        held = {"url": self._gateway.url(server)}
        if talk.url:
            return {"direct": {"url": talk.url}, "gateway": held}
        run = [sys.executable, "-m", "avow", "run", server]
        return {
            "direct": {"start": self._start(talk, talk.command)},
            "run": {"start": self._start(talk, run)},
            "gateway": held,
        }

    def _start(self, talk: Talk, command: list[str]) -> Json:
        at = str(self._project.directory)
        environment = {"HOME": at, "PATH": os.environ["PATH"], **talk.environment}
        return {"command": command[0], "args": command[1:], "cwd": at, "env": environment}

    def _speak(self, program: str, plan: Json) -> Json:
        if program == "python":
            return converse(plan)
        told = self._scripts / f"{id(plan)}.json"
        told.write_text(json.dumps(plan), encoding="utf-8")
        ended = subprocess.run(
            [str(self._packages.node), str(self._scripts / program), str(told)],
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        report: Json = json.loads(ended.stdout)
        return report


def in_parallel(works: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """The results of some works under their names, a few at a time."""
    with ThreadPoolExecutor(4) as pool:
        begun = {name: pool.submit(work) for name, work in works.items()}
        return {name: future.result() for name, future in begun.items()}
