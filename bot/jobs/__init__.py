"""What the program does by itself: boards delivered, times kept, computers' moves."""
