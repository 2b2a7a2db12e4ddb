"""The base of every feature: requests, requesters, cards, forms, rights, words, pictures. It imports no feature."""
