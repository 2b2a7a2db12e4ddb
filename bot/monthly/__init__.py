"""The month of a channel: its champions, streaks and surprises, told once when the month is over."""
