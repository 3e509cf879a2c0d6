"""Text that tries something: instructions aimed at the model, hidden characters, terminal escapes.

Signs: `instruction`, `credential-path`, `encoded`, `invisible`, `bidirectional`, `tag-characters`,
`terminal-escape`, `homoglyph`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from avow.core.suspicion.characters import character_sightings, name_sightings, visible
from avow.core.suspicion.homoglyphs import look_alike_words, mixed_words, skeleton
from avow.core.suspicion.model import Sighting, Suspicion

__all__ = ["Suspicion", "name_suspicions", "suspicions"]

# Enough to act on; a text with more of them than this gains nothing from the rest.
LIMIT: Final = 50
# As long as this, a run of letters and digits may be encoded text.
_CODE: Final = 80


def suspicions(text: str) -> tuple[Suspicion, ...]:
    """Every sign that a text is more than a description, in the order of their places."""
    if len(text) < _CODE and text.isascii() and text.isalnum():
        return ()  # one plain word, as most names and values are
    # Late: a hundred patterns to compile, and a lockfile is read without any of them.
    from avow.core.suspicion.phrases import phrase_sightings

    seen = visible(text)
    read = skeleton(seen)
    detectors = [character_sightings(text), mixed_words(text), phrase_sightings(read)]
    if read != seen:
        # Whole words of Cyrillic or Greek lose their letters in the skeleton.
        detectors.append(phrase_sightings(seen))
    return _in_order(*detectors)


def name_suspicions(name: str) -> tuple[Suspicion, ...]:
    """Every sign that an identifier is not what it looks like."""
    return _in_order(name_sightings(name), look_alike_words(name))


def _in_order(*detectors: Iterator[Sighting]) -> tuple[Suspicion, ...]:
    found = [sighting for detector in detectors for sighting in islice(detector, LIMIT)]
    found.sort(key=lambda sighting: sighting.place)
    return tuple(dict.fromkeys(sighting.suspicion for sighting in found))[:LIMIT]
