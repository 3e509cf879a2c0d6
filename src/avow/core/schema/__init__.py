"""JSON Schemas compared by what they accept, not by how they are written."""

from avow.core.schema.compare import Comparison, compare
from avow.core.schema.differences import Difference, Direction
from avow.core.schema.document import Budget
from avow.core.schema.raw import Edit

__all__ = ["Budget", "Comparison", "Difference", "Direction", "Edit", "compare"]
