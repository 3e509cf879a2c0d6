"""What each server is doing, on stderr, while somebody is watching and waiting."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# A terminal that gets a row for each of many servers would scroll.
_MOST_ROWS = 10


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str, str], None] | None]:
    """A function to tell `(server, what it is doing)`, or None when nobody is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    # Late, since only a terminal needs it.
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    from avow.core.printable import printable

    doing: dict[str, str] = {}
    lock = threading.Lock()
    spinner = Spinner("dots")

    def tell(name: str, what: str) -> None:
        with lock:
            doing.pop(name, None)
            if what:
                doing[name] = what
            rows = [f"{printable(server, 40)}  {printable(words, 60)}" for server, words in doing.items()]
            if len(rows) > _MOST_ROWS:
                rows = [*rows[:_MOST_ROWS], f"and {len(rows) - _MOST_ROWS} more"]
            spinner.update(text=Text("\n  ".join(rows), style="dim"))

    with Live(spinner, console=Console(stderr=True), transient=True, refresh_per_second=12):
        yield tell
