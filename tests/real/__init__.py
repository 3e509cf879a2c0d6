"""Real clients and real servers from npm and PyPI: with Avow between them nothing looks different."""
