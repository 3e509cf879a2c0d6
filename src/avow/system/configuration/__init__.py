"""What a server's user gave it: where values come from, where they are kept, and whether they suffice."""
