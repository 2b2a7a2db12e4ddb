"""What computers think: searches in worker processes, hints, analyses of finished games."""
