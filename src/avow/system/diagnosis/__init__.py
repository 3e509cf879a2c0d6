"""What a server needs, and why it fails: from its manifests, its code and its output."""
