"""What every feature stands on: the context, who asks, features themselves, preferences, the workers of due things."""
