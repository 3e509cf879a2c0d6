"""Formats of others for what a server needs to be told: each is read into our model and written from it."""
