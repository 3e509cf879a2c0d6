"""The pages of the form, as HTML; everything that goes into one is escaped here, whoever wrote it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from avow.configure.web.fields import Field, field_markup

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{head}<title>{title} · Avow</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Section:
    """Fields under one heading; `is_folded` keeps those out of sight that most people need not see."""

    heading: str
    fields: tuple[Field, ...]
    note: str = ""
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Banner:
    """What has just happened: a heading, words, and what the server itself said."""

    heading: str
    words: str = ""
    quoted: str = ""
    is_bad: bool = True


@dataclass(frozen=True, slots=True)
class FormView:
    """Everything that the form shows; plain text, none of it escaped yet."""

    name: str
    command: str
    store: str
    sections: Sequence[Section]
    notes: Sequence[str] = ()
    banner: Banner | None = None
    may_insist: bool = False


def form_page(view: FormView, word: str) -> str:
    """The form itself; `word` is what it brings back to show that it is ours."""
    wrong = [field for section in view.sections for field in section.fields if field.problem]
    parts = [
        f"<h1>Configure <code>{escape(view.name)}</code></h1>",
        f'<p class="quiet">Starts <code>{escape(view.command)}</code></p>',
        _banner(view.banner) if view.banner else "",
        _problems(wrong) if wrong else "",
        *(f'<p class="note">{escape(note)}</p>' for note in view.notes),
        '<form method="post" action="./" novalidate autocomplete="off">',
        f'<input type="hidden" name="word" value="{escape(word)}">',
        *map(_section, view.sections),
        f'<p class="quiet">{escape(view.store)}</p>',
        '<p class="buttons">',
        '<button name="action" value="save" class="main">Start the server and save</button>',
        '<button name="action" value="insist">Save although it does not work</button>'
        if view.may_insist
        else "",
        '<button name="action" value="cancel">Cancel</button>',
        "</p>",
        '<p class="quiet" id="waiting" role="status" aria-live="polite"></p>',
        "</form>",
    ]
    title = f"{'Please correct: ' if wrong else ''}Configure {view.name}"
    return _page(title, parts, '<script src="form.js" defer></script>\n')


def notice_page(heading: str, words: str, rows: Iterable[tuple[str, str]] = (), *, good: bool = False) -> str:
    """A page with nothing to fill in."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    return _page(
        heading,
        [
            f'<div class="banner {"good" if good else "plain"}" role="status">',
            f"<h1>{escape(heading)}</h1>",
            f"<p>{escape(words)}</p>",
            "</div>",
            f"<dl>{items}</dl>" if items else "",
        ],
    )


def onward_page() -> str:
    """A page that leads to the form by itself."""
    return _page(
        "Opening the form",
        ['<p><a href="./">Go on to the form</a></p>'],
        '<meta http-equiv="refresh" content="0;url=./">\n',
    )


def _page(title: str, parts: Iterable[str], head: str = "") -> str:
    return _PAGE.format(title=escape(title), head=head, body="\n".join(filter(None, parts)))


def _banner(banner: Banner) -> str:
    quoted = f'<pre tabindex="0">{escape(banner.quoted)}</pre>' if banner.quoted else ""
    words = f"<p>{escape(banner.words)}</p>" if banner.words else ""
    kind = "bad" if banner.is_bad else "good"
    heading = f"<h2>{escape(banner.heading)}</h2>"
    return f'<div class="banner {kind}" role="alert" tabindex="-1" id="news">{heading}{words}{quoted}</div>'


def _problems(wrong: Sequence[Field]) -> str:
    items = "".join(
        f'<li><a href="#{field.identity}">{escape(field.label)}</a>: {escape(field.problem)}</li>'
        for field in wrong
    )
    return (
        '<div class="banner bad" role="alert" tabindex="-1" id="news">'
        f"<h2>Nothing was saved yet: please correct what is marked</h2><ul>{items}</ul></div>"
    )


def _section(section: Section) -> str:
    heading, fields = escape(section.heading), "\n".join(map(field_markup, section.fields))
    note = f'<p class="quiet">{escape(section.note)}</p>' if section.note else ""
    if section.is_folded:
        return f"<details><summary>{heading}</summary>{note}{fields}</details>"
    return f"<fieldset><legend>{heading}</legend>{note}{fields}</fieldset>"
