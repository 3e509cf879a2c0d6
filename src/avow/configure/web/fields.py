"""One field of the form, with the control that fits what it has to hold."""

from dataclasses import dataclass, field
from enum import StrEnum
from html import escape


class Control(StrEnum):
    """What a person fills a field in with."""

    TEXT = "text"
    NUMBER = "number"
    URL = "url"
    PATH = "path"
    SECRET = "secret"  # noqa: S105  the name of a control
    LINES = "lines"
    CHOICE = "choice"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Field:
    """A field as it is shown; plain text, none of it escaped yet.

    `kept` says, without telling it, that a secret is there already and stays when the field stays empty;
    `may_go` that what is there may be taken away. `ambient` names a variable that could be taken instead.
    """

    number: int
    label: str
    control: Control
    text: str = field(default="", repr=False)
    description: str = ""
    kind: str = ""
    remarks: tuple[str, ...] = ()
    link: str = ""
    problem: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    is_required: bool = False
    kept: str = ""
    may_go: bool = False
    ambient: str = ""
    is_taken: bool = False

    @property
    def identity(self) -> str:
        """The name of the field in its form."""
        return f"p{self.number}"


def field_markup(view: Field) -> str:
    """The field as HTML."""
    identity = view.identity
    label = f'<label for="{identity}">{escape(view.label)}</label>'
    hints = [f'<span class="kind">{escape(view.kind)}</span>'] if view.kind else []
    hints += [escape(remark) for remark in view.remarks]
    parts = [
        f'<p class="about" id="{identity}-about">{escape(view.description)}</p>' if view.description else "",
        _control(view),
        f'<p class="problem" id="{identity}-problem">{escape(view.problem)}</p>' if view.problem else "",
        f'<p class="quiet" id="{identity}-hint">{"<br>".join(hints)}</p>' if hints else "",
        _link(view.link) if view.link else "",
        _tick(f"{identity}-take", view.ambient, ticked=view.is_taken) if view.ambient else "",
        _tick(f"{identity}-drop", "Take away the value that is there") if view.may_go else "",
    ]
    if view.control is Control.CHECK:
        label, parts[1] = f'<div class="check">{parts[1]}{label}</div>', ""
    wrong = " wrong" if view.problem else ""
    return f'<div class="field{wrong}">{label}{"".join(parts)}</div>'


def _control(view: Field) -> str:
    common = f'id="{view.identity}" name="{view.identity}"{_states(view)}'
    text = escape(view.text)
    match view.control:
        case Control.SECRET:
            kept = f' placeholder="{escape(view.kept)}"' if view.kept else ""
            return f'<input type="password" {common} autocomplete="new-password" spellcheck="false"{kept}>'
        case Control.CHECK:
            ticked = " checked" if view.text == "true" else ""
            return f'<input type="checkbox" value="true" {common}{ticked}>'
        case Control.CHOICE:
            options = "".join(
                f'<option value="{escape(value)}"{" selected" if value == view.text else ""}>'
                f"{escape(words)}</option>"
                for value, words in view.choices
            )
            return f"<select {common}>{options}</select>"
        case Control.LINES:
            # HTML drops the first line break after the tag.
            return f'<textarea rows="3" spellcheck="false" {common}>\n{text}</textarea>'
        case Control.PATH:
            names = f'{common} list="{view.identity}-list" data-paths'
            return (
                f'<input type="text" {names} value="{text}" spellcheck="false" autocapitalize="off">'
                f'<datalist id="{view.identity}-list"></datalist>'
            )
        case Control.NUMBER:
            return f'<input type="text" inputmode="decimal" {common} value="{text}">'
        case Control.URL:
            return f'<input type="url" {common} value="{text}" spellcheck="false">'
        case Control.TEXT:
            return f'<input type="text" {common} value="{text}" spellcheck="false" autocapitalize="off">'


def _states(view: Field) -> str:
    told = [
        f"{view.identity}-{part}"
        for part, there in (
            ("about", view.description),
            ("problem", view.problem),
            ("hint", view.kind or view.remarks),
        )
        if there
    ]
    described = f' aria-describedby="{" ".join(told)}"' if told else ""
    required = ' aria-required="true"' if view.is_required and view.control is not Control.CHECK else ""
    invalid = ' aria-invalid="true"' if view.problem else ""
    return described + required + invalid


def _tick(name: str, words: str, *, ticked: bool = False) -> str:
    state = " checked" if ticked else ""
    return (
        f'<div class="check small"><input type="checkbox" value="yes" id="{name}" name="{name}"{state}>'
        f'<label for="{name}">{escape(words)}</label></div>'
    )


def _link(address: str) -> str:
    shown = escape(address)
    return (
        f'<p class="quiet">Where to get it: <a href="{shown}" target="_blank" '
        f'rel="noopener noreferrer">{shown}</a> (the server names this address)</p>'
    )
