import logging

SUPPORTED = ("2025-11-25", "2025-06-18")
log = logging.getLogger("handshake")


def negotiate(version):
    if version not in SUPPORTED:
        raise ValueError("unsupported")
    if version != SUPPORTED[0]:
        log.warning("downgrade to %s", version)
    return version


def initialize(params):
    return {"protocolVersion": negotiate(params["protocolVersion"]), "serverInfo": {}, "capabilities": {}}


METHODS = {"initialize": initialize}
