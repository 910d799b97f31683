"""Everything that can happen to memory: the door, the change log as it is read, and the way back."""
