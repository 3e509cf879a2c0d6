"""`avow configure --web`: the form in a browser, and what became of it."""

import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from avow.cli.asking.unattended import write_document
from avow.cli.failures import DECLINED
from avow.configure.saving import Saved
from avow.configure.setup import Setup
from avow.configure.web.form import WebForm
from avow.configure.web.listening import FormServer
from avow.system.processes import kill_every_process_group


def configure_in_browser(setup: Setup, *, idle: float, open_it: bool, text: bool) -> tuple[int, Saved | None]:
    """Serve the form until it is done; the exit code, and what was kept if anything was."""
    form = WebForm(setup)
    server = FormServer(form)
    sys.stderr.write(
        f"Open this address in a browser; it works once:\n\n  {server.link}\n\n"
        "Waiting for the form. Ctrl-C ends it, and nothing is written.\n"
    )
    sys.stderr.flush()
    try:
        with _opened(server.link, wanted=open_it):
            is_done = server.serve(idle)
    except KeyboardInterrupt:
        # A server that is just being tried would stay behind.
        kill_every_process_group()
        raise
    finished = form.finished
    if not text:
        outcome, saved = (finished.outcome, finished.saved) if finished else (None, None)
        write_document(setup, outcome, saved, status="" if saved else "cancelled" if is_done else "timed_out")
    if finished is None or finished.saved is None:
        why = "cancelled" if is_done else "nobody used the form for a while"
        sys.stderr.write(f"{why}: nothing was written\n")
        return DECLINED, None
    return 0, finished.saved


@contextmanager
def _opened(link: str, *, wanted: bool) -> Iterator[None]:
    """Let a browser open the link, which works once: from a file, since everybody sees a command line."""
    if not wanted:
        yield
        return
    with TemporaryDirectory(prefix="avow-", ignore_cleanup_errors=True) as directory:
        page = Path(directory) / "form.html"
        page.write_text(f'<meta http-equiv="refresh" content="0;url={escape(link)}">\n', encoding="utf-8")
        webbrowser.open(page.as_uri())
        yield
