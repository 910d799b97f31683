"""Not yet made."""
