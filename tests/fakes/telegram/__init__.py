"""A fake Telegram: a Bot API server on this machine that is stricter than the real one."""
