"""What people do with the program on every platform: the same tests on Discord and on Telegram."""
