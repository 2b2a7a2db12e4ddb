"""A Discord of our own on this machine: REST and gateway, strict about everything that the real one is strict about."""
