"""What adapters and the program say to each other: requests, presses, cards, replies."""
