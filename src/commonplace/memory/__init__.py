"""One memory: its parts put together, and the public face, sync and async."""
