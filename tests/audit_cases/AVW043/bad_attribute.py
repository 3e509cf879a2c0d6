from collections import defaultdict

from mcp.server.lowlevel import Server


class Phases:
    def __init__(self) -> None:
        self.session_phase = defaultdict(str)
        self.app = Server("a")

    def begin(self, session_id: str) -> None:
        self.session_phase[session_id] = "init_sent"  # expect: AVW043
