"""What was said, turned into memory: jobs, the consolidators that propose, and their schedule."""
