"""What a server author adds in one line: the signature, possible capabilities, and keeping to both."""
