"""What every feature stands on: requests and who asks, cards, forms, rights, words, pictures, stored games; it knows
no feature."""
