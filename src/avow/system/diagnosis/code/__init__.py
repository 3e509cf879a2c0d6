"""Reading an installed package's own code: what it takes from its environment and its command line."""

from avow.system.diagnosis.code.model import CodeFact, CodeFacts, CodeGroup, Need
from avow.system.diagnosis.code.reader import read_package

__all__ = ["CodeFact", "CodeFacts", "CodeGroup", "Need", "read_package"]
