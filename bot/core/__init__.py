"""Foundation of every feature: the context, requests and askers, features, preferences, base classes of jobs."""
