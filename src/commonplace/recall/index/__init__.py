"""The derived search index: what is said where, by term. It can be deleted at any time."""
