"""What enters a prompt unasked: sections, the budget, the frozen block of capped facts."""
