"""The list of rules, and what one of them is about."""

from avow.audit.catalogue import RULES
from avow.audit.settings import rule_id
from avow.cli.output import write
from avow.cli.output.console import columns, line, to_string


def print_rules(explained: str | None) -> None:
    """Print every rule, or one of them."""
    if explained is None:
        rows = [
            ((info.id, "bold"), str(info.severity), str(info.pattern), info.summary)
            for info in RULES.values()
        ]
        write(to_string(columns(rows, indent=0)))
        return
    info = RULES[rule_id(explained)]
    found_by = "a probe of a running server" if info.live else "source code"
    write(
        to_string(
            [
                line((f"{info.id} {info.name}", "bold")),
                line(info.summary),
                line(f"{info.severity}, {info.pattern}, found in {found_by}"),
                line(f"docs/rules/{info.id}.md has the reason, examples, and how to fix it"),
            ]
        )
    )
