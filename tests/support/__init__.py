"""What several tests need: databases, people and games to fill them with."""
