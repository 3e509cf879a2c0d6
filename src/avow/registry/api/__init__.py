"""The registry over HTTP: questions and changes in JSON, the log in its own formats."""
