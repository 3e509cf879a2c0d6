"""`avow configure --web`: the form in a browser, and what became of it."""

import sys
import webbrowser

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
    if open_it:
        webbrowser.open(server.link)
    try:
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
