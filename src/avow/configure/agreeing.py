"""Settings of a project that nobody has seen yet: what they say, and a yes to have them beside secrets."""

from collections.abc import Iterator
from dataclasses import replace

from avow.configure.subject import Subject, texts_of
from avow.configure.wording import line_of
from avow.system.configuration.remembered import update
from avow.system.configuration.values import Sources, resolve


def unseen_settings(subject: Subject) -> tuple[str, ...]:
    """What the settings give the server, line by line; nothing where somebody has agreed to them already."""
    known = subject.known
    if known.remembered is not None and not known.is_unseen:
        return ()
    return tuple(_lines(subject))


def agree(subject: Subject, sources: Sources) -> Subject:
    """Write down that somebody has seen the settings, and look again for what the server has.

    Raises:
        StorageError: it cannot be written.
    """
    known = subject.known
    agreed = update(known.identity, lambda before: replace(before, seen={**before.seen, **known.seen}))
    known = replace(known, remembered=agreed)
    return replace(subject, known=known, resolution=resolve(known, sources))


def _lines(subject: Subject) -> Iterator[str]:
    project = subject.known.project
    tables = {"": project.values, **project.presets}
    for preset, values in tables.items():
        where = f" (preset {line_of(preset)})" if preset else ""
        for key, value in values.items():
            yield f"{line_of(key)} = {line_of(', '.join(texts_of(value)))}{where}"
