"""The consolidator that works without a model: it finds plain statements and makes a proposal of them."""
