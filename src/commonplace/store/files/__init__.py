"""The store made of files: atomic commits, appends, locks and leases on one machine."""
