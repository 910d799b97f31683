"""Where memory is kept: the protocol, and the store made of files."""
