import logging

logger = logging.getLogger(__name__)


class Session:
    def initialize(self, params):
        self.client_name = params["clientInfo"]["name"]
        logger.info("session of %s", self.client_name)
        return {"protocolVersion": "2025-11-25", "serverInfo": {}, "capabilities": {"tools": {}}}


SESSION = Session()
METHODS = {"initialize": SESSION.initialize}
