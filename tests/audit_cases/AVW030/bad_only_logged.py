import logging

SUPPORTED_VERSIONS = ("2025-06-18", "2025-11-25")


def initialize(params: dict) -> dict:
    known = params["protocolVersion"] in SUPPORTED_VERSIONS
    logging.info("known: %s", known)
    return {
        "protocolVersion": params["protocolVersion"],  # expect: AVW030
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "notes", "version": "1"},
    }


HANDLERS = {"initialize": initialize}
