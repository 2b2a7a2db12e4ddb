"""The outbox: one worker sends, edits and retires the posts that places show, and the private messages to people."""
