"""JSON Schemas compared by what they accept, not by how they are written; `compare` is the way in."""
