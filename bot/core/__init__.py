"""What every feature builds on: the context, requests and askers, features, preferences, base classes of jobs."""
