"""What a server author adds in one line: the signature, possible capabilities, and keeping to both."""

from avow.core.variants import Variant
from avow.server.availability import AvailabilityContext
from avow.server.configuration import ServerConfiguration, argument, describe_configuration, variable
from avow.server.declared import Declared, declare
from avow.server.guard import Evidence, Feature, Guard, Identity, guard

__all__ = [
    "AvailabilityContext",
    "Declared",
    "Evidence",
    "Feature",
    "Guard",
    "Identity",
    "ServerConfiguration",
    "Variant",
    "argument",
    "declare",
    "describe_configuration",
    "guard",
    "variable",
]
