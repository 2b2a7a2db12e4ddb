"""How a move or a command is entered: the tree of questions, typed lines, and talk that is neither."""
