"""`python -m avow` is the same program as `avow`."""

from avow.cli.main import main

try:
    main()
except SystemExit:
    # Ctrl-C inside of an `exec`, such as a dataclass being made by an import, leaves a mark in Python: run
    # with `-m`, it ends by a signal instead of our exit code. Another `exec` takes the mark away.
    exec("")  # noqa: S102  nothing is run
    raise
