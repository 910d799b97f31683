"""Find what was said and noted, rank it, and say why."""
