"""The score card as a picture to put beside a server's name."""

from typing import Final
from xml.sax.saxutils import escape

from avow.audit.model import Pattern, Verdict
from avow.audit.scorecard import Scorecard

_COLOURS: Final = {
    Verdict.PASS: "#2e7d32",
    Verdict.FAIL: "#c62828",
    Verdict.NOT_APPLICABLE: "#757575",
    Verdict.UNKNOWN: "#ef6c00",
}
_SIGNS: Final = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.NOT_APPLICABLE: "–",
    Verdict.UNKNOWN: "?",
}
_LABEL: Final = 82
_CELL: Final = 24
_HEIGHT: Final = 20


def badge_svg(card: Scorecard) -> str:
    """One cell a pattern, with a sign beside the colour for those who cannot tell colours apart."""
    width = _LABEL + _CELL * len(Pattern)
    words = ", ".join(f"{pattern}: {card[pattern]}" for pattern in Pattern)
    cells = "".join(_cell(number, pattern, card[pattern]) for number, pattern in enumerate(Pattern))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" role="img"'
        f' aria-label="{escape(f"negotiation {words}")}"><title>{escape(f"negotiation {words}")}</title>'
        f'<clipPath id="r"><rect width="{width}" height="{_HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" fill="#fff"'
        f' text-anchor="middle"><rect width="{_LABEL}" height="{_HEIGHT}" fill="#444"/>'
        f'<text x="{_LABEL // 2}" y="14">negotiation</text>{cells}</g></svg>\n'
    )


def _cell(number: int, pattern: Pattern, verdict: Verdict) -> str:
    left = _LABEL + number * _CELL
    return (
        f"<g><title>{escape(f'{pattern}: {verdict}')}</title>"
        f'<rect x="{left + 1}" width="{_CELL - 1}" height="{_HEIGHT}" fill="{_COLOURS[verdict]}"/>'
        f'<text x="{left + _CELL // 2}" y="14">{_SIGNS[verdict]}</text></g>'
    )
