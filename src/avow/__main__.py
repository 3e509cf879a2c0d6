"""`python -m avow` is the same program as `avow`."""

from avow.cli.main import main

main()
