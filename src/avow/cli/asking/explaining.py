"""`avow configure --where`: for each value where it comes from; no secret is shown."""

from avow.cli.output import write
from avow.cli.output.console import Part, columns, line, to_string
from avow.configure.setup import Setup
from avow.configure.wording import line_of, name_of
from avow.core.canonical import JsonObject
from avow.core.configuration.hazards import is_secret
from avow.system.configuration.values import Explained, explain


def tell_where(setup: Setup, *, text: bool) -> None:
    """Print where each value comes from, and which store secrets go to."""
    subject = setup.subject
    explained = explain(subject.known, subject.resolution)
    if not text:
        from avow.cli.output.json import dumps

        store = setup.store.describe()
        document = {
            "server": subject.name,
            "store": {"kind": str(store.kind), "place": store.place, "strength": store.strength},
            "parameters": [_document(one) for one in explained],
        }
        write(dumps(document))
        return
    rows = [_row(one, str(setup.store.describe())) for one in explained]
    lines = [line((line_of(subject.name), "bold"), (f"  {setup.command}", "dim")), *columns(rows)]
    if not rows:
        lines.append(line("There is nothing to configure.", indent=2))
    lines.append(line(f"Secrets are kept in {setup.store.describe()}.", indent=2))
    write(to_string(lines))


def _row(one: Explained, store: str) -> list[Part]:
    # What is told once below need not be told for each secret.
    place = "where secrets are kept" if one.place == store else line_of(one.place)
    where = "not set" if one.layer is None else f"{one.layer}: {place}"
    reasons = "".join(f"; {withheld.layer} not used: {line_of(withheld.reason)}" for withheld in one.withheld)
    need = " (required)" if one.layer is None and one.parameter.required else ""
    return [(name_of(one.parameter), "bold"), line_of(one.shown), f"{where}{need}{reasons}"]


def _document(one: Explained) -> JsonObject:
    return {
        "name": one.parameter.binding.name,
        "key": one.parameter.key,
        "kind": str(one.parameter.binding.where),
        "required": one.parameter.required,
        "sensitive": is_secret(one.parameter),
        "source": None if one.layer is None else str(one.layer),
        "place": one.place,
        "value": one.shown,
        "withheld": [{"source": str(withheld.layer), "reason": withheld.reason} for withheld in one.withheld],
    }
