"""The registry for people: pages made on the server, readable without a script."""
