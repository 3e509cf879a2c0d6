"""The form in a browser, on this machine only, for as long as it takes to fill it in."""
