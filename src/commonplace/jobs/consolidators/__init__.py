"""What turns a range of messages into a proposal."""
