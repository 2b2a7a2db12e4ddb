"""The board inside Telegram and Discord: a Mini App and an Activity, on the page's own code."""
