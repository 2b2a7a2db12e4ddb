"""The page: a chat room in the browser, with the same boards."""
