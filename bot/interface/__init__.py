"""The contract between adapters and the program: requests, presses, cards, replies."""
